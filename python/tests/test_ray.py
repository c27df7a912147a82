"""A cluster of two nodes on this machine, one of which dies in the middle of a run."""

import contextlib
import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
import sakiyomi

# Ray reads these when it is imported.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# So that a node that is gone is noticed after seconds.
os.environ.setdefault("RAY_health_check_initial_delay_ms", "1000")
os.environ.setdefault("RAY_health_check_period_ms", "1000")
os.environ.setdefault("RAY_health_check_timeout_ms", "5000")
os.environ.setdefault("RAY_health_check_failure_threshold", "3")
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed: no cluster is tested")
SMALL = Path(__file__).with_name("small.toml")


def tallies(store, source, scale="paper"):
    [report] = sakiyomi.report(str(source), scale=scale, store=store)
    return [(cell["name"], cell["wins"], cell["draws"], cell["losses"]) for cell in report.cells]


@pytest.fixture
def cluster():
    import ray
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 100 * 2**20}
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False, **memory},
    )
    second = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.3", **memory)
    ray.init(address=cluster.address, _node_ip_address="127.0.0.2", log_to_driver=False)
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()


def use(node):
    """Waits until a node has done something: its first task starts a process, which takes a while."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = NodeAffinitySchedulingStrategy(node.node_id, soft=False)
    ray.get(ray.remote(scheduling_strategy=there)(lambda: None).remote())


@needs_ray
def test_a_lost_node_changes_no_number(cluster, monkeypatch, tmp_path):
    import ray
    from sakiyomi import ray as on_ray

    nodes, second = cluster
    local, remote = tmp_path / "local.sqlite", tmp_path / "remote.sqlite"
    source = tmp_path / "longer.toml"
    source.write_text(SMALL.read_text().replace("games = 400", "games = 4000"))
    sakiyomi.run(str(source), scale="paper", store=local)
    use(second)
    do = on_ray._do

    def do_and_tell(units):
        busy = tmp_path / ray.get_runtime_context().get_node_id()
        busy.write_text(str(os.getpid()))
        results = do(units)
        busy.unlink()
        return results

    monkeypatch.setattr(on_ray, "_do", do_and_tell)
    killed, lost = threading.Event(), []

    def watch(progress):
        # In the middle one node goes, with what it is doing. Its process would outlive it for a second, and finish its work.
        if progress["done"] > progress["games"] / 8 and not killed.is_set():
            # It may have nothing to do just now.
            with contextlib.suppress(FileNotFoundError, ValueError):
                os.kill(int((tmp_path / second.node_id).read_text()), signal.SIGKILL)
                killed.set()
                nodes.remove_node(second, allow_graceful=False)
        lost.append(progress["lost"])

    result = on_ray.run(str(source), scale="paper", store=remote, unit_seconds=0.05, progress=watch)
    assert killed.is_set() and result.is_complete and lost[-1] > 0
    assert [node["Alive"] for node in ray.nodes()].count(True) == 1
    assert tallies(local, source) == tallies(remote, source)
    again = on_ray.run(str(source), scale="paper", store=remote)
    assert again.games_played == 0


# Games of some length, so that the node that goes has work.
SMALL_EVOLUTION = {"judges": ["m-uct:iterations=100+noise"], "verify": ["random"], "population": 40, "elites": 2, "generations": 2, "games": 20, "verify_games": 100, "candidates": 3, "polish": 0}


def files_of(folder):
    """What a run leaves, without what depends on the time."""
    return {path.name: path.read_text() for path in folder.rglob("*") if path.suffix in (".json", ".csv", ".tbsmap", ".html")}


@needs_ray
def test_evolution_on_a_cluster_that_loses_a_node_ends_like_a_local_one(cluster, tmp_path):
    import ray
    from sakiyomi import ray as on_ray

    nodes, second = cluster
    sakiyomi.evolve(tmp_path / "local", threads=1, **SMALL_EVOLUTION)
    use(second)
    killed, told = threading.Event(), []

    def watch(progress):
        told.append(progress)
        # In the middle one node goes.
        if len(told) > 8 and not killed.is_set():
            killed.set()
            nodes.remove_node(second, allow_graceful=False)

    result = on_ray.evolve(tmp_path / "remote", progress=watch, **SMALL_EVOLUTION)
    assert result.is_complete and result.generations == 2 and told[-1]["lost"] >= 0
    # Whether a game was on its way there is chance; that lost units come again, the run of an experiment shows.
    assert killed.is_set() and [node["Alive"] for node in ray.nodes()].count(True) == 1
    local, remote = files_of(tmp_path / "local"), files_of(tmp_path / "remote")
    assert {"run.json", "tried.json", "gallery.json", "history.csv"} <= local.keys()
    assert local == remote


@needs_ray
def test_evolution_from_the_command_line(cluster, tmp_path, capsys):
    from sakiyomi import ray as on_ray

    options = "--judge random --verify random --population 6 --elites 1 --generations 1 --polish 0 --candidates 0 --seed 4 -q"
    assert on_ray.main(["evolve", "--out", str(tmp_path / "remote"), *options.split()]) == 0
    assert "1 generations" in capsys.readouterr().out
    named = {"judges": ["random"], "verify": ["random"], "population": 6, "elites": 1, "generations": 1, "polish": 0, "candidates": 0, "seed": 4}
    sakiyomi.evolve(tmp_path / "local", **named)
    assert files_of(tmp_path / "local") == files_of(tmp_path / "remote")
    assert on_ray.main(["evolve", "--out", str(tmp_path / "wrong"), "--no-such-option"]) == 1
    assert "--no-such-option" in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch):
    from sakiyomi import ray as on_ray

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(sakiyomi.MissingPackage, match="pip install ray"):
        on_ray.run("all")
    with pytest.raises(sakiyomi.MissingPackage, match="pip install ray"):
        on_ray.evolve("nowhere")


@needs_ray
def test_a_unit_that_fails_is_an_error_and_what_was_done_stays(cluster, tmp_path):
    from sakiyomi import ray as on_ray

    source = tmp_path / "broken.toml"
    text = SMALL.read_text().replace('second = "random"', 'second = "exec:false"', 1)
    source.write_text(text.replace('id = "small"', 'id = "broken"'))
    local, remote = tmp_path / "local.sqlite", tmp_path / "remote.sqlite"
    outcomes = []
    for run, store in ((sakiyomi.run, local), (on_ray.run, remote)):
        run(str(source), store=store)
        outcomes.append(tallies(store, source, "quick"))
    assert outcomes[0] == outcomes[1], "a program that gives up loses its matches, here as there"
