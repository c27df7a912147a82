"""Fair maps: evolution, and verdicts on maps. Both are the commands of the same name, run in a process of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import SakiyomiError, SpecError
from .results import Interval, Result

__all__ = ["EvolutionResult", "FairnessResult", "Verdict", "evolve", "fairness"]


@dataclass(frozen=True)
class Verdict:
    """What games of one agent against itself say of a map; the score is the first side's."""

    judge: str
    games: int
    wins: tuple[int, int]
    draws: int
    score: float
    interval: Interval
    unfair: tuple[str, ...]
    """Why it is not shown to be fair; empty if it is fair."""

    @property
    def is_fair(self) -> bool:
        return not self.unfair

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Verdict:
        low, high = data["interval"]
        names = ["judge", "games", "draws", "score"]
        return cls(
            **{name: data[name] for name in names},
            wins=(data["wins"][0], data["wins"][1]),
            interval=Interval(low, high),
            unfair=tuple(data["unfair"]),
        )


@dataclass(frozen=True)
class FairnessResult(Result):
    """Whether a map is fair."""

    is_fair: bool
    verdicts: tuple[Verdict, ...]

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._data["judges"]
        return rows


@dataclass(frozen=True)
class EvolutionResult(Result):
    """What a run of evolution has found; `to_frame` has a row for each generation."""

    out: str
    generations: int
    tried: int
    """Candidates on which fresh games were played."""
    passed: int
    """Those that are fair."""
    is_complete: bool
    finds: tuple[dict[str, Any], ...]

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._data["history"]
        return rows


def fairness(
    map: str | os.PathLike[str],
    agents: Sequence[str] = (),
    *,
    games: int = 400,
    seed: int = 1,
    threads: int | None = None,
) -> FairnessResult:
    """Judges whether a map of TUBSTAP (a .tbsmap file) is fair: agents play both sides, many times.

    Agents are texts; with `+noise` hit points and places of units vary from game to game.
    """
    arguments = ["fairness", os.fspath(map), "--games", str(games), "--seed", str(seed)]
    for agent in agents:
        arguments += ["--agents", agent]
    data = _command(arguments, threads)
    return FairnessResult(data, data["is_fair"], tuple(Verdict.from_data(judge) for judge in data["judges"]))


def evolve(
    out: str | os.PathLike[str],
    *,
    preset: str = "fair",
    what: str = "map",
    seed: int = 1,
    judges: Sequence[str] = (),
    verify: Sequence[str] = (),
    threads: int | None = None,
    progress: Callable[[str], object] | None = None,
    **options: str | int | float | bool,
) -> EvolutionResult:
    """Evolves maps that are fair to both sides, and tries the best with fresh games.

    The folder `out` keeps a checkpoint after each generation, so the same call goes on where it was stopped. Further options
    are those of `sakiyomi evolve --help` with underscores: `generations=30, population=40, verify_games=400, size="6x6"`; flags are
    given as `True`. `progress` is handed a line of text from time to time.
    """
    arguments = ["evolve", "--out", os.fspath(out), "--preset", preset, "--what", what, "--seed", str(seed)]
    for name, several in (("--judge", judges), ("--verify", verify)):
        for agent in several:
            arguments += [name, agent]
    for option, value in options.items():
        name = "--" + option.replace("_", "-")
        if isinstance(value, bool):
            arguments += [name] if value else []
        else:
            arguments += [name, str(value)]
    data = _command(arguments, threads, progress)
    return EvolutionResult(
        data,
        out=os.fspath(out),
        generations=len(data["history"]),
        **{name: data[name] for name in ("tried", "passed", "is_complete")},
        finds=tuple(data["finds"]),
    )


def _command(arguments: list[str], threads: int | None, progress: Callable[[str], object] | None = None) -> dict[str, Any]:
    """Runs a command and reads the object that it prints. Ctrl-C and an exception of `progress` stop it, with its checkpoint."""
    line = [sys.executable, "-m", "sakiyomi", *arguments, "--json"]
    if threads is not None:
        line += ["--threads", str(threads)]
    if progress is None:
        line.append("--quiet")
    child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stderr is not None
    printed: list[str] = []
    reader = threading.Thread(target=lambda stream: printed.append(stream.read()), args=(child.stdout,))
    reader.start()
    said: list[str] = []
    try:
        for text in child.stderr:
            said.append(text.strip())
            if progress is not None and not text.startswith("error:"):
                progress(said[-1])
        child.wait()
    except BaseException:
        child.send_signal(signal.SIGINT)
        child.wait()
        raise
    finally:
        reader.join()
        child.stdout.close()
        child.stderr.close()
    if child.returncode == 130:
        raise KeyboardInterrupt
    if child.returncode != 0:
        message = next((text.removeprefix("error: ") for text in said if text.startswith("error:")), "\n".join(said))
        raise SpecError(message) if child.returncode == 2 else SakiyomiError(message)
    data: dict[str, Any] = json.loads(printed[0])
    return data
