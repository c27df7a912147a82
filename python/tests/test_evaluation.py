"""Duels, experiments, exact work, Ctrl-C and the command line."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import sakiyomi

def test_a_duel_depends_on_its_seed_alone():
    def play(**settings):
        return sakiyomi.duel("connect-four:5x4", "uct:iterations=60", "uct:iterations=20", games=30, **settings)

    one, two = play(seed=5, threads=1), play(seed=5, threads=2)
    assert one.tally == two.tally and one.games == 30
    assert one.score in one.interval
    assert one.to_dict()["command"].startswith("sakiyomi duel connect-four:")
    frame = one.to_frame()
    assert list(frame["seat"]) == [0, 1] and frame["wins"].sum() == one.wins


def test_sprt_stops_early():
    result = sakiyomi.duel("tic-tac-toe", "uct:iterations=100", "random", games=5000, sprt=(0, 100))
    assert result.games < 5000 and result.to_dict()["sprt"]["accepted"] == "H1"


def test_progress_is_told_and_its_exceptions_end_the_work():
    told = []
    sakiyomi.duel("connect-four", "uct:iterations=300", "uct:iterations=300", games=60, progress=told.append)
    assert told and told[-1]["done"] == 60 and told[-1]["games"] == 60

    def fail(_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        sakiyomi.duel("connect-four", "uct:iterations=2000", "uct:iterations=2000", games=100_000, progress=fail)


def test_ctrl_c_ends_a_search():
    # A program that a shell has started in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    table = sakiyomi.Table("connect-four")
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            table.advise("uct:time=60s")
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 20
    assert len(table.legal()) == 7, "the table is as it was"


def test_exact_work():
    uniform = sakiyomi.exploit("goofspiel:n=4", "uniform")
    assert 2 * uniform.exploitability == pytest.approx(215 / 288, abs=1e-12)
    curve = sakiyomi.exploit("goofspiel:n=3,order=descending", "rm", iterations=[100, 1000])
    assert list(curve.to_frame()["iterations"]) == [100, 1000]
    solution = sakiyomi.solve("goofspiel:n=4,order=descending", check=True)
    assert solution.values == pytest.approx((0.5, 0.5)) and solution.nash_conv < 1e-9
    assert solution.to_frame()["share"].sum() == pytest.approx(2)


def test_games_are_assessed(tmp_path):
    told = []
    report = sakiyomi.assess(
        "hex:3x3", games=10, strengths=[10, 40], remedies=True, store=tmp_path / "s", progress=told.append
    )
    assert report["exact"]["values"] == [1.0, 0.0] and report["verdict"]["fairness"] == "unfair"
    assert [remedy["game"] for remedy in report["remedies"]][0] == "pie:hex:width=3,height=3"
    assert told[-1]["done"] == told[-1]["games"]
    with pytest.raises(sakiyomi.SpecError, match="rise"):
        sakiyomi.assess("tic-tac-toe", games=4, strengths=[5, 2])


def test_a_response_is_found_by_playing():
    found = sakiyomi.best_response("tic-tac-toe", "random", search_games=100, games=20, threads=2)
    assert (found.game, found.agent) == ("tic-tac-toe", "random")
    assert found.found and found.wins > 10 and found.exploitability_interval.low > 0
    assert found.record is not None and found.record["game"] == {"name": "tic-tac-toe"}
    assert found.wins + found.draws + found.losses == found.games == 20
    with pytest.raises(sakiyomi.SpecError, match="minutes"):
        sakiyomi.best_response("tic-tac-toe", "random")


def test_experiments_run_and_are_reported(tmp_path):
    source = Path(__file__).with_name("small.toml")
    store = tmp_path / "results.sqlite"
    first = sakiyomi.run(str(source), store=store, threads=2)
    assert first.is_complete and first.games_played == first.games > 0
    again = sakiyomi.run(str(source), store=store)
    assert again.games_played == 0 and again.games_done == first.games
    [report] = sakiyomi.report(str(source), store=store)
    assert report.games_done == first.games and report.title in report.markdown
    assert len(report.to_frame()) == len(report.cells)
    with pytest.raises(sakiyomi.SpecError, match="no experiment"):
        sakiyomi.run("nothing", folder=source.parent, store=store)
    (tmp_path / "broken").write_text("this is no store" * 100)
    with pytest.raises(sakiyomi.StoreError):
        sakiyomi.report(str(source), store=tmp_path / "broken")


def test_experiments_and_results_are_part_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert any(one["id"] == "classics-tuned" for one in sakiyomi.experiments())
    [report] = sakiyomi.report("classics-tuned")
    assert report.games_done > 0 and "came with the program" in report.markdown


def test_units_are_pure():
    unit = {
        "task": {"matches": {"game": "tic-tac-toe", "agents": ["uct:iterations=20", "random"], "seed": 4}},
        "numbers": {"start": 2, "end": 6},
    }
    one, two = (json.loads(sakiyomi._native.run_unit(json.dumps(unit))) for _ in range(2))
    assert one["results"] == two["results"] and one["first"] == 2
    with pytest.raises(sakiyomi.SpecError, match="no unit"):
        sakiyomi._native.run_unit("{}")


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "sakiyomi", *arguments], capture_output=True, text=True, timeout=120)


def test_the_wheel_carries_the_command_line():
    done = command("duel", "tic-tac-toe", "random", "random", "--games", "4", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["games"] == 4
    wrong = command("duel", "chess", "random", "random")
    assert wrong.returncode == 2 and "chess" in wrong.stderr
    assert command("--version").stdout.strip() == f"sakiyomi {sakiyomi.__version__}"


def test_the_wheel_serves_the_page():
    import re
    import urllib.request

    server = subprocess.Popen(
        [sys.executable, "-m", "sakiyomi", "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True
    )
    try:
        address = re.search(r"http://\S+", server.stdout.readline()).group(0)
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert answer.status == 200 and b"<html" in answer.read().lower()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)
    assert server.returncode in (0, 130)


def test_a_forked_process_can_search():
    import multiprocessing

    sakiyomi.Table("tic-tac-toe").advise("uct:iterations=10")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_decide, range(4)) == [9] * 4


def _decide(_):
    return len(sakiyomi.Table("tic-tac-toe").advise("uct:iterations=50").policy)


def test_calls_cost_little():
    """What a call costs beside the search itself, in the best of many tries: threads take turns on a busy machine."""
    table = sakiyomi.Table("tic-tac-toe")
    costs = []
    for _ in range(300):
        start = time.perf_counter()
        thought = table.advise("random")
        costs.append(time.perf_counter() - start - thought.seconds)
    costs.sort()
    assert costs[30] < 500e-6, f"{costs[30] * 1e6:.0f} microseconds"


MAP = Path(__file__).parents[2] / "games" / "tubstap" / "ford.tbsmap"


def test_maps_are_judged(tmp_path):
    result = sakiyomi.fairness(MAP, ["random", "sample+noise"], games=20, threads=1)
    assert [verdict.judge for verdict in result.verdicts] == ["random", "sample+noise"]
    for verdict in result.verdicts:
        assert sum(verdict.wins) + verdict.draws == verdict.games == 20
        assert verdict.score in verdict.interval
    assert list(result.to_frame()["games"]) == [20, 20]
    with pytest.raises(sakiyomi.SpecError, match="chess"):
        sakiyomi.fairness(MAP, ["chess"], games=2)
    with pytest.raises(sakiyomi.SpecError, match="nothing.tbsmap"):
        sakiyomi.fairness(tmp_path / "nothing.tbsmap")


def test_maps_are_evolved_and_a_stopped_run_goes_on(tmp_path):
    small = {"judges": ["random"], "verify": ["random"], "population": 6, "elites": 1, "games": 4, "verify_games": 20, "candidates": 3, "polish": 0, "threads": 1}
    told = []
    whole = sakiyomi.evolve(tmp_path / "whole", generations=3, progress=told.append, **small)
    assert whole.is_complete and whole.generations == 3 and len(whole.to_frame()) == 3
    assert told[-1]["generations"] == 3 and told[-1]["tried"] == whole.tried
    assert (tmp_path / "whole" / "gallery.html").exists()

    def fail(_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        sakiyomi.evolve(tmp_path / "parts", generations=3, progress=fail, **small)
    parts = sakiyomi.evolve(tmp_path / "parts", generations=3, **small)
    assert parts.to_dict()["history"] == whole.to_dict()["history"]
    with pytest.raises(sakiyomi.SpecError, match="elites"):
        sakiyomi.evolve(tmp_path / "wrong", generations=1, **(small | {"elites": 6}))


def test_the_games_of_evolution_may_be_played_elsewhere(tmp_path):
    from sakiyomi import _native
    from sakiyomi.evolution import _arguments

    small = {"judges": ["random"], "verify": ["random"], "population": 6, "elites": 1, "generations": 2, "games": 4, "verify_games": 20, "candidates": 3, "polish": 0}

    def elsewhere(name, n_units=None):
        """Plays a run, or some units of it, those that came last first; every third is lost at first."""
        run = _native.OpenEvolution(_arguments(tmp_path / name, small), workers=2)
        n_handed = 0
        while run.wait() and n_units != 0:
            handed = []
            while (one := run.next()) is not None:
                handed.append(one)
            for ticket, unit in reversed(handed):
                n_handed += 1
                if n_handed % 3 == 0:
                    run.lose(ticket)
                elif n_units != 0:
                    run.enter(ticket, _native.run_unit(unit))
                    n_units = None if n_units is None else n_units - 1
        return json.loads(run.close())

    here = sakiyomi.evolve(tmp_path / "here", threads=1, **small)
    assert elsewhere("there") == here.to_dict()
    for name in ("run.json", "tried.json", "gallery.json"):
        assert (tmp_path / "here" / name).read_text() == (tmp_path / "there" / name).read_text()
    assert not elsewhere("broken", n_units=5)["is_complete"]
    rest = sakiyomi.evolve(tmp_path / "broken", threads=1, **small)
    assert rest.to_dict() == here.to_dict(), "it goes on where it was stopped"
    run = _native.OpenEvolution(_arguments(tmp_path / "wrong", small), workers=2)
    while run.wait() and (one := run.next()) is None:
        pass
    with pytest.raises(sakiyomi.SakiyomiError, match="this is no result"):
        run.enter(one[0], "{}")
    run.close()
