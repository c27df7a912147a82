"""Sakiyomi, a laboratory for game search.

    >>> import sakiyomi
    >>> table = sakiyomi.Table("tic-tac-toe")
    >>> table.play("b2")
    >>> table.turn
    (1,)
    >>> thought = table.advise("uct:iterations=500")
    >>> thought.action in table.legal()
    True
    >>> result = sakiyomi.duel("tic-tac-toe", "uct:iterations=200", "random", games=20)
    >>> result.games, result.score > 0.7
    (20, True)

Games and agents are named by short texts, such as `connect-four:7x6` and `uct:iterations=2000`; `games()` and
`agents()` list them. Long functions release the interpreter's lock, can be stopped with Ctrl-C, and tell a
`progress` callback how far they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _native
from ._native import Position, Table, Thought, __version__
from .batch import Batch
from .errors import (
    AgentError,
    IllegalAction,
    MissingPackage,
    NetworkError,
    SakiyomiError,
    SpecError,
    StoreError,
    TableError,
)
from .evolution import EvolutionResult, FairnessResult, Verdict, evolve, fairness
from .network import SelfPlayResult, self_play
from .results import (
    BestResponseResult,
    DuelResult,
    ExploitResult,
    Interval,
    Report,
    RunResult,
    SolveResult,
    Tally,
)

__all__ = [
    "AgentError",
    "Batch",
    "BestResponseResult",
    "DuelResult",
    "Entry",
    "EvolutionResult",
    "ExploitResult",
    "FairnessResult",
    "Game",
    "IllegalAction",
    "Interval",
    "MissingPackage",
    "NetworkError",
    "Position",
    "Report",
    "RunResult",
    "SakiyomiError",
    "SelfPlayResult",
    "SolveResult",
    "SpecError",
    "StoreError",
    "Table",
    "TableError",
    "Tally",
    "Thought",
    "Verdict",
    "__version__",
    "agents",
    "assess",
    "best_response",
    "duel",
    "evolve",
    "experiments",
    "exploit",
    "fairness",
    "games",
    "report",
    "run",
    "self_play",
    "solve",
]

Progress = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Entry:
    """A game or an agent of the catalog."""

    name: str
    summary: str
    example: str
    parameters: tuple[dict[str, Any], ...]
    presets: tuple[str, ...] = ()
    """Specifications that are ready to play; only games have them."""


def _entries(text: str) -> list[Entry]:
    return [
        Entry(
            entry["name"],
            entry["summary"],
            entry["example"],
            tuple(entry["parameters"]),
            tuple(entry.get("presets", ())),
        )
        for entry in json.loads(text)
    ]


def games() -> list[Entry]:
    """All games.

    >>> "hagetaka" in [entry.name for entry in games()]
    True
    """
    return _entries(_native.games())


def agents() -> list[Entry]:
    """All agents.

    >>> [entry.example for entry in agents() if entry.name == "random"]
    ['random']
    """
    return _entries(_native.agents())


@dataclass(frozen=True, init=False)
class Game:
    """A game by its specification, with everything that can be done with it.

    >>> game = Game("connect-four:5x4")
    >>> game.name, game.position().n_actions
    ('connect-four', 5)
    >>> Game("connect-for")
    Traceback (most recent call last):
    ...
    sakiyomi.errors.SpecError: `connect-for`: no game is called `connect-for`, did you mean `connect-four`?...
    """

    spec: str

    def __init__(self, spec: str | Game) -> None:
        object.__setattr__(self, "spec", _native.game_text(spec))

    def __str__(self) -> str:
        return self.spec

    @property
    def name(self) -> str:
        return self.spec.split(":", 1)[0]

    def table(self, seed: int = 1) -> Table:
        """A match with actions as texts."""
        return Table(self, seed)

    def position(self) -> Position:
        """The first state, with actions as numbers."""
        return Position(self)

    def batch(self, n: int, **settings: Any) -> Batch:
        """Many environments; see `Batch`."""
        return Batch(self, n, **settings)

    def duel(self, first: str, second: str, **settings: Any) -> DuelResult:
        """Two agents against each other; see `duel`."""
        return duel(self, first, second, **settings)

    def _repr_svg_(self) -> str:
        return self.table().svg()


def duel(
    game: str | Game,
    first: str,
    second: str,
    *,
    games: int = 100,
    seed: int = 1,
    threads: int | None = None,
    sprt: tuple[float, float] | tuple[float, float, float, float] | None = None,
    openings: int | None = None,
    opening_plies: int = 2,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> DuelResult:
    """Plays two agents against each other, in every seat equally often.

    The result depends on the seed only, not on the threads, as long as budgets are iterations. `sprt` (Elo of H0 and H1, and
    both errors, 0.05 if not given) stops as soon as one hypothesis is accepted. `openings` begins games with random
    first moves. With a `store` only what it lacks is played.

    >>> result = duel("tic-tac-toe", "uct:iterations=50", "uct:iterations=50", games=10, seed=3)
    >>> result.wins + result.draws + result.losses
    10
    """
    full = None if sprt is None else (sprt[0], sprt[1], *(sprt[2:] or (0.05, 0.05)))
    return DuelResult.from_json(
        _native.duel(
            game,
            first,
            second,
            games=games,
            seed=seed,
            threads=threads,
            sprt=full,
            openings=openings,
            opening_plies=opening_plies,
            store=store,
            progress=progress,
        )
    )


def exploit(
    game: str | Game,
    agent: str,
    *,
    iterations: int | Sequence[int] | None = None,
    fresh: bool = False,
    seed: int = 1,
    memory: int = 4 << 30,
    progress: Progress | None = None,
) -> ExploitResult:
    """Measures exactly how much a strategy can be exploited: best responses and NashConv.

    A tree search is grown from the start and measured after `iterations` (several give a curve); other agents, and all with
    `fresh`, are asked in every state.

    >>> round(exploit("goofspiel:n=4,order=descending", "uniform").exploitability * 2, 6)  # payoffs from -1 to 1
    0.75
    """
    checkpoints = [iterations] if isinstance(iterations, int) else None if iterations is None else list(iterations)
    text = _native.exploit(
        game, agent, checkpoints=checkpoints, fresh=fresh, seed=seed, memory=memory, progress=progress
    )
    return ExploitResult.from_json(text, str(game), agent)


def best_response(
    game: str | Game,
    agent: str,
    *,
    minutes: float | None = None,
    search_games: int | None = None,
    games: int = 200,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BestResponseResult:
    """Looks for a response to any agent or program by playing against it, and plays it on fresh games.

    What the response wins is a lower bound of what a best response would win. With `search_games` in place of `minutes` the
    same seed gives the same result.

    >>> best_response("tic-tac-toe", "random", search_games=200, games=20).found
    True
    """
    return BestResponseResult.from_json(
        _native.best_response(
            game,
            agent,
            minutes=minutes,
            search_games=search_games,
            games=games,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    )


def solve(
    game: str | Game,
    *,
    memory: int = 8 << 30,
    save: str | os.PathLike[str] | None = None,
    check: bool = False,
    threads: int | None = None,
    layers: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> SolveResult:
    """Solves a game of two exactly; `save` keeps the solution for the agent `exact:file=..`.

    Hagetaka and Goofspiel are solved layer by layer on all threads. With a folder for `layers` a solution that was stopped
    goes on after the last layer that is there.

    >>> solve("goofspiel:n=3,order=descending").values
    (0.5, 0.5)
    """
    text = _native.solve(
        game, memory=memory, save=save, check=check, threads=threads, layers=layers, progress=progress
    )
    return SolveResult.from_json(text, str(game))


def assess(
    game: str | Game,
    *,
    minutes: float = 5.0,
    games: int | None = None,
    strengths: Sequence[int] = (25, 100, 400, 1600),
    players: Sequence[str] = (),
    remedies: bool = False,
    seed: int = 1,
    threads: int | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Assesses a game: whether it is fair, deep and alive, and with `remedies` what would mend it.

    Players of many kinds play against themselves, and searches of rising strength against each other. About `minutes` decide
    how much is played, or, if `games` is given, this number and `strengths` (iterations of the searches), so that the same
    games are played again. The report is a dictionary; its certificate is `report["verdict"]["sentence"]`.

    >>> report = assess("tic-tac-toe", games=6, strengths=[10, 40], seed=3)
    >>> report["exact"]["values"], report["players"][0]["games"]
    ([0.5, 0.5], 6)
    """
    text = _native.assess(
        game,
        minutes=minutes,
        strengths=list(strengths),
        games=games,
        players=list(players),
        remedies=remedies,
        seed=seed,
        threads=threads,
        store=store,
        progress=progress,
    )
    found: dict[str, Any] = json.loads(text)
    return found


def _ids(ids: str | Sequence[str]) -> list[str]:
    return [ids] if isinstance(ids, str) else list(ids)


def experiments(
    *, folder: str | os.PathLike[str] | None = None, store: str | os.PathLike[str] = "sakiyomi.sqlite"
) -> list[dict[str, Any]]:
    """The experiments of a folder and how much of them a store has.

    Without a folder those of `experiments` here, or else those that are part of the package.
    """
    listed: list[dict[str, Any]] = json.loads(_native.experiments(folder=folder, store=store))
    return listed


def run(
    ids: str | Sequence[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    scale: str = "quick",
    store: str | os.PathLike[str] = "sakiyomi.sqlite",
    threads: int | None = None,
    unit_seconds: float = 1.0,
    progress: Progress | None = None,
) -> RunResult:
    """Plays what a store lacks of experiments: ids, paths of files, or `all`. What was done stays done when it is stopped."""
    return RunResult.from_json(
        _native.run(
            _ids(ids),
            folder=folder,
            scale=scale,
            store=store,
            threads=threads,
            unit_seconds=unit_seconds,
            progress=progress,
        )
    )


def report(
    ids: str | Sequence[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    scale: str = "quick",
    store: str | os.PathLike[str] = "sakiyomi.sqlite",
) -> list[Report]:
    """What a store has of experiments, or what came with the package where that is more, beside the numbers of the papers."""
    text = _native.report(_ids(ids), folder=folder, scale=scale, store=store)
    return [Report.from_data(data) for data in json.loads(text)]
