"""`sakiyomi.train`: what it refuses, what it writes, and that a run that was killed goes on as if it had not been."""

import csv
import hashlib
import subprocess
import sys

import numpy as np
import pytest
import sakiyomi
from sakiyomi import _native, train

SMALL = ["--matches", "8", "--simulations", "8", "--width", "8", "--blocks", "1", "--batch", "32", "--threads", "1"]
SMALL += ["--evaluate", "4", "--against", "uct:iterations=20", "--device", "cpu"]

# A process that kills itself as soon as this function is called for the second time.
KILLED = """
import os, signal, sys, sakiyomi.model, sakiyomi.train
owner, name = {owner}, "{name}"
function, calls = getattr(owner, name), []
def kill(*arguments, **named):
    calls.append(1)
    if len(calls) == {calls}:
        {before}
        os.kill(os.getpid(), signal.SIGKILL)
    return function(*arguments, **named)
setattr(owner, name, kill)
sys.exit(sakiyomi.train.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("games", "problem"),
    [
        (["gdl:sheet=free-for-all"], "what one player gets"),
        (["goofspiel:n=4"], "players choose at once"),
        (["hagetaka:n=4,players=3"], "players choose at once"),
        (["sangoku"], "chance has a part"),
        (["gdl:sheet=pig"], "chance has a part"),
        (["gdl:sheet=connect-five,memory=100KB"], "no observations"),
        (["connect-four", "connect-four:5x4"], "another board"),
    ],
)
def test_games_that_cannot_be_taught_are_refused(games, problem):
    with pytest.raises(sakiyomi.SpecError, match=problem):
        train._probe(games)


@pytest.mark.parametrize("games", [["tic-tac-toe"], ["gdl:sheet=tic-tac-toe"], ["tubstap:map=ford"], ["tubstap:seed=1", "tubstap:seed=2"]])
def test_games_that_can_be_taught(games):
    shape = train._probe(games)
    assert shape.n_actions > 0 and shape.length > 1
    assert len(shape.cells) in (0, shape.n_actions)


def test_symmetries_name_the_same_positions():
    """Playing an image of the moves leads to the image of the position."""
    for game in ["connect-four", "tic-tac-toe", "othello", "breakthrough", "hex:5x5"]:
        symmetries = sakiyomi.Game(game).position().symmetries()
        assert symmetries, game
        for numbers, actions in symmetries:
            rng = np.random.default_rng(1)
            position, image = sakiyomi.Game(game).position(), sakiyomi.Game(game).position()
            for _ in range(6):
                action = int(rng.choice(image.legal()))
                image.apply(action)
                position.apply(int(actions[action]))
                seen = position.observation().reshape(-1)[numbers]
                assert (seen == image.observation().reshape(-1)).all(), game
                assert (position.mask()[actions] == image.mask()).all(), game


def many_matches(**settings):
    usual = dict(
        matches=12, at_once=6, simulations=8, rule="gumbel", considered=4, c=1.0, noise=None, share=0.7, images=True, opening_plies=2,
        drawn_moves=0, seed=3, threads=1, progress=None,
    )  # fmt: skip
    sizes = []

    def uniform(observations, masks):
        sizes.append(len(masks))
        return np.ones(masks.shape, np.float32), np.full(len(masks), 0.5, np.float32)

    return _native.many_matches(["connect-four:5x4"], uniform, **(usual | settings)), sizes


def test_many_matches_do_not_depend_on_threads():
    one, sizes = many_matches()
    two, _ = many_matches(threads=2)
    assert max(sizes) == 3
    assert all((one[name] == two[name]).all() for name in one)
    assert one["payoffs"].shape == (12, 2)
    assert one["policies"].sum(1) == pytest.approx(np.ones(len(one["policies"])), abs=1e-3)
    by_visits, _ = many_matches(rule="puct", noise=(1.0, 0.25), drawn_moves=4)
    assert by_visits["payoffs"].shape == (12, 2)


def test_settings_are_checked(capsys, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    for options, text in [(["--matches", "0"], "--matches is 0"), (["--minutes", "-1"], "--minutes"), (["--threads", "-1"], "--threads")]:
        assert train.main(["tic-tac-toe", "--out", str(tmp_path), *options]) == 2
        assert text in capsys.readouterr().err
    assert train.main(["no-game", "--out", str(tmp_path)]) == 2
    assert train.main(["goofspiel", "--out", str(tmp_path)]) == 2
    assert not list(tmp_path.iterdir())


def test_it_learns_and_its_network_plays(capsys, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    out = tmp_path / "run"
    command = ["tic-tac-toe", "--out", str(out), *SMALL, "--matches", "32"]
    assert train.main([*command, "--generations", "8"]) == 0
    printed = capsys.readouterr().out
    assert "generation 8" in printed and "against uct:iterations=20" in printed
    points = list(csv.DictReader((out / "curve.csv").open()))
    assert [int(point["generation"]) for point in points] == list(range(1, 9))
    assert float(points[-1]["policy_loss"]) < float(points[0]["policy_loss"])
    # It goes on where it ended, with a larger budget, and only with the same settings.
    assert train.main([*command, "--generations", "9"]) == 0
    assert "goes on after generation 8" in capsys.readouterr().out
    assert train.main([*command, "--generations", "9", "--seed", "2"]) == 2
    assert "seed=1, not 2" in capsys.readouterr().err
    network = f"net:file={out / 'network.onnx'},iterations=30"
    assert sakiyomi.duel("tic-tac-toe", network, "random", games=40).score > 0.6


def test_rule_sheets_are_learned(tmp_path):
    """Their networks say what each of two players gets."""
    pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    out = tmp_path / "run"
    assert train.main(["gdl:sheet=tic-tac-toe", "--out", str(out), *SMALL, "--matches", "32", "--generations", "6"]) == 0
    network = f"net:file={out / 'network.onnx'},iterations=30"
    assert sakiyomi.duel("gdl:sheet=tic-tac-toe", network, "random", games=40).score > 0.6


def test_descent_learns(tmp_path):
    """All positions of its trees are learned, many more than are played."""
    pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    out = tmp_path / "run"
    assert train.main(["tic-tac-toe", "--out", str(out), *SMALL, "--rule", "descent", "--simulations", "20", "--generations", "6"]) == 0
    points = list(csv.DictReader((out / "curve.csv").open()))
    assert int(points[0]["positions"]) > 8 * 9
    network = f"net:file={out / 'network.onnx'},iterations=30"
    assert sakiyomi.duel("tic-tac-toe", network, "random", games=40).score > 0.6


def test_a_teacher_plays_the_first_generations(capsys, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    command = ["tic-tac-toe", "--out", str(tmp_path / "run"), *SMALL, "--matches", "64", "--generations", "2"]
    assert train.main([*command, "--teacher", "uct:iterations=200"]) == 2
    assert "--taught" in capsys.readouterr().err
    assert train.main([*command, "--teacher", "uct:iterations=200", "--taught", "1"]) == 0
    taught, played = csv.DictReader((tmp_path / "run" / "curve.csv").open())
    assert float(taught["network_share"]) == 0 < float(played["network_share"])


def test_actions_of_cells_have_the_numbers_of_their_cells(tmp_path):
    """The file says what the network says, and the logit of an action is what its cell has on one plane."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    from sakiyomi import model

    game = "tubstap:seed=1"
    shape = train._probe([game])
    net = model.Net(shape.observation, shape.n_actions, 8, 1, cells=shape.cells).eval()
    cell, planes = 17, shape.cells.count(17)
    x = torch.rand(2, *shape.observation)
    own = [number for number, of in enumerate(shape.cells) if of == cell]
    seen = net.policy[0].of_cells[0](net.trunk(x)).flatten(2)[:, :, cell]
    assert len(own) == planes == seen.shape[1]
    assert torch.allclose(net(x)[0][:, own], seen, atol=1e-5)
    model.save_onnx(net, shape.observation, shape.n_actions, tmp_path / "network.onnx")
    table, position = _native.Table(game), sakiyomi.Game(game).position()
    for _ in range(6):
        logits = net(torch.from_numpy(position.observation()[None]))[0][0].detach().numpy()
        likeliest = max(position.legal(), key=lambda action: logits[action])
        thought = table.advise(f"net:file={tmp_path / 'network.onnx'},iterations=1")
        assert thought.action == position.action_text(likeliest)
        table.play(thought.action)
        position.apply(likeliest)


def finish(out):
    """Runs to the end, and returns a hash of the network and the curve without its times."""
    assert train.main(["tic-tac-toe", "--out", str(out), *SMALL, "--generations", "4"]) == 0
    points = list(csv.DictReader((out / "curve.csv").open()))
    timeless = [{name: cell for name, cell in point.items() if "second" not in name and "share" not in name} for point in points]
    return hashlib.sha256((out / "network.onnx").read_bytes()).hexdigest(), timeless


@pytest.mark.parametrize(
    ("owner", "name", "calls", "before"),
    [
        ("sakiyomi.model.Evaluator", "__call__", 40, "pass"),
        ("sakiyomi.model.functional", "binary_cross_entropy_with_logits", 12, "pass"),
        ("sakiyomi.model.torch", "save", 2, "open(arguments[1], 'wb').write(b'half')"),
    ],
    ids=["self-play", "learning", "saving"],
)
def test_a_killed_run_goes_on_with_the_same_numbers(owner, name, calls, before, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: no network is taught")
    code = KILLED.format(owner=owner, name=name, calls=calls, before=before)
    command = [sys.executable, "-c", code, "tic-tac-toe", "--out", str(tmp_path / "killed"), *SMALL, "--generations", "4"]
    killed = subprocess.run(command, capture_output=True, text=True)
    assert killed.returncode == -9, killed.stderr
    curve = tmp_path / "killed" / "curve.csv"
    assert not curve.exists() or len(list(csv.DictReader(curve.open()))) < 4
    assert finish(tmp_path / "killed") == finish(tmp_path / "whole")
