"""The examples run as they are."""

import runpy
from pathlib import Path

import pytest
import sakiyomi

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", ["researcher", "map_designer", "teacher"])
def test_examples(name, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"))
    assert capsys.readouterr().out.count("\n") >= 4


def test_alphazero(capsys, monkeypatch, tmp_path):
    """It learns for a moment, and what it saves plays in a duel."""
    for package in ("torch", "onnxscript"):
        pytest.importorskip(package, reason=f"{package} is not installed: the AlphaZero example is not run")
    monkeypatch.chdir(tmp_path)
    options = "--game connect-four:5x4 --cpu-minutes 0.05 --games 8 --simulations 8 --evaluate 4 --width 8 --blocks 1"
    monkeypatch.setattr("sys.argv", ["alphazero", *options.split()])
    runpy.run_path(str(EXAMPLES / "alphazero.py"), run_name="__main__")
    assert "against UCT" in capsys.readouterr().out
    names, *points = [line.split(",") for line in (tmp_path / "curve.csv").read_text().splitlines()]
    assert points
    for point in (dict(zip(names, map(float, values), strict=True)) for values in points):
        assert 0 < point["loss"] < 10, point
        assert 0 < point["network_share"] <= 1, point
        assert point["wins"] + point["draws"] + point["losses"] > 0, point
    result = sakiyomi.duel("connect-four:5x4", "net:file=network.onnx,iterations=50", "random", games=20)
    assert result.score > 0.5


def test_alphazero_is_short():
    assert len((EXAMPLES / "alphazero.py").read_text().splitlines()) < 150
