"""The examples run as they are."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", ["researcher", "map_designer", "teacher"])
def test_examples(name, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"))
    assert capsys.readouterr().out.count("\n") >= 4


def test_alphazero(capsys, monkeypatch, tmp_path):
    pytest.importorskip("torch", reason="torch is not installed: the AlphaZero example is not run")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sys.argv", ["alphazero", "--game", "connect-four:5x4", "--minutes", "0.05", "--games", "8", "--simulations", "8", "--evaluate", "4"]
    )
    runpy.run_path(str(EXAMPLES / "alphazero.py"), run_name="__main__")
    assert "against UCT" in capsys.readouterr().out
    assert len((EXAMPLES / "alphazero.py").read_text().splitlines()) < 150


def test_the_readme_example(monkeypatch, tmp_path):
    """The first Python example of the README, as it stands there."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    code = readme.split("```python\n", 1)[1].split("```", 1)[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
