"""Fair maps: evolution, and verdicts on maps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _native
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

    @classmethod
    def from_json(cls, text: str, out: str | os.PathLike[str]) -> EvolutionResult:
        data = json.loads(text)
        return cls(
            data,
            out=os.fspath(out),
            generations=len(data["history"]),
            **{name: data[name] for name in ("tried", "passed", "is_complete")},
            finds=tuple(data["finds"]),
        )

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

    Agents are texts, five kinds if none are given. They play the map as it is: `+opening=1` draws the first action of each side at random, for
    those that would always play the same game. With `+noise` hit points and places of units vary from game to game.
    """
    data = json.loads(_native.fairness(map, list(agents), games=games, seed=seed, threads=threads))
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
    progress: Callable[[dict[str, Any]], object] | None = None,
    **options: str | int | float | bool,
) -> EvolutionResult:
    """Evolves maps that are fair to both sides, and tries the best with fresh games.

    The folder `out` keeps a checkpoint after each generation, so the same call goes on where it was stopped. Further options
    are those of `sakiyomi evolve --help` with underscores: `generations=30, population=40, verify_games=400, size="6x6"`; flags are
    given as `True`. `progress` is told how far it is, from time to time: `generations` that are complete, `done` of `games` of a
    stage, `best` and `mean` fitness, `passed` of `tried` of `candidates`. Ctrl-C and an exception of `progress` stop it, with its
    checkpoint. `sakiyomi.ray.evolve` plays the games on other machines.
    """
    named = {"preset": preset, "what": what, "seed": seed, "judges": judges, "verify": verify, "threads": threads}
    return EvolutionResult.from_json(_native.evolve(_arguments(out, named | options), progress=progress), out)


def _arguments(out: str | os.PathLike[str], options: dict[str, Any]) -> list[str]:
    """Options as arguments of the command.

    >>> _arguments("fair", {"judges": ["random", "sample+noise"], "no_archive": True, "population": 8})
    ['--out=fair', '--judge=random', '--judge=sample+noise', '--no-archive', '--population=8']
    """
    arguments = [f"--out={os.fspath(out)}"]
    for option, value in options.items():
        name = "--judge" if option == "judges" else "--" + option.replace("_", "-")
        if value is None or isinstance(value, bool):
            arguments += [name] if value else []
        else:
            several = value if isinstance(value, (list, tuple)) else [value]
            arguments += [f"{name}={one}" for one in several]
    return arguments
