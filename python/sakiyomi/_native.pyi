import os
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Batch",
    "CustomAgent",
    "OpenEvolution",
    "OpenRun",
    "Position",
    "Table",
    "Thought",
    "__version__",
    "agent_matches",
    "agent_text",
    "agents",
    "assess",
    "best_response",
    "duel",
    "evolve",
    "experiments",
    "exploit",
    "fairness",
    "game_text",
    "games",
    "main",
    "many_matches",
    "report",
    "run",
    "run_unit",
    "self_play",
    "solve",
    "tally",
]

__version__: str

def games() -> str: ...
def agents() -> str: ...
def game_text(spec: object) -> str: ...
def agent_text(spec: object) -> str: ...
def main(arguments: Sequence[str]) -> int: ...
def duel(
    game: object,
    first: object,
    second: object,
    *,
    games: int,
    seed: int,
    threads: int | None,
    sprt: tuple[float, float, float, float] | None,
    openings: int | None,
    opening_plies: int,
    store: str | os.PathLike[str] | None,
    progress: Callable[[dict[str, Any]], object] | None,
) -> str: ...
def exploit(
    game: object,
    agent: object,
    *,
    checkpoints: Sequence[int] | None,
    fresh: bool,
    seed: int,
    memory: int,
    progress: Callable[[dict[str, Any]], object] | None,
) -> str: ...
def assess(
    game: object,
    *,
    minutes: float,
    strengths: Sequence[int],
    games: int | None,
    players: Sequence[str],
    remedies: bool,
    seed: int,
    threads: int | None,
    store: str | os.PathLike[str] | None,
    progress: Callable[[dict[str, Any]], object] | None,
) -> str: ...
def best_response(
    game: object,
    agent: object,
    *,
    minutes: float | None,
    search_games: int | None,
    games: int,
    seed: int,
    threads: int | None,
    progress: Callable[[dict[str, Any]], object] | None,
) -> str: ...
def solve(
    game: object,
    *,
    memory: int,
    save: str | os.PathLike[str] | None,
    check: bool,
    threads: int | None,
    layers: str | os.PathLike[str] | None,
    progress: Callable[[dict[str, Any]], object] | None,
) -> str: ...
def experiments(*, folder: str | os.PathLike[str] | None, store: str | os.PathLike[str]) -> str: ...
def run(
    ids: Sequence[str],
    *,
    folder: str | os.PathLike[str] | None,
    scale: str,
    store: str | os.PathLike[str],
    threads: int | None,
    unit_seconds: float,
    progress: Callable[[dict[str, Any]], object] | None,
) -> str: ...
def report(
    ids: Sequence[str], *, folder: str | os.PathLike[str] | None, scale: str, store: str | os.PathLike[str]
) -> str: ...
def run_unit(unit: str) -> str: ...
def self_play(
    game: object,
    network: Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]],
    *,
    games: int,
    at_once: int,
    simulations: int,
    leaves: int,
    c: float,
    noise: tuple[float, float] | None,
    temperature: float,
    temperature_moves: int,
    seed: int,
    opponent: object | None,
    progress: Callable[[int], object] | None,
) -> dict[str, NDArray[Any]]: ...
def many_matches(
    games: Sequence[object],
    network: Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]],
    *,
    matches: int,
    at_once: int,
    simulations: int,
    rule: str,
    considered: int,
    c: float,
    noise: tuple[float, float] | None,
    share: float,
    images: bool,
    opening_plies: int,
    drawn_moves: int,
    seed: int,
    threads: int,
    progress: Callable[[int], object] | None,
) -> dict[str, NDArray[Any]]: ...
def agent_matches(
    games: Sequence[object],
    agent: object,
    *,
    matches: int,
    opening_plies: int,
    drawn_moves: int,
    seed: int,
    threads: int,
    progress: Callable[[int], object] | None,
) -> dict[str, NDArray[Any]]: ...
@final
class Table:
    """A match. Actions are texts; chance is drawn by the table itself, from the seed."""

    def __new__(cls, game: object, seed: int = 1) -> Table: ...
    @staticmethod
    def replay(record: dict[str, Any]) -> Table:
        """Rebuilds a match from what `record` returned."""
    @property
    def game(self) -> str: ...
    @property
    def players(self) -> int: ...
    @property
    def player_names(self) -> list[str]: ...
    @property
    def turn(self) -> tuple[int, ...]:
        """The players who choose now; empty if the match is over."""
    @property
    def is_over(self) -> bool: ...
    @property
    def payoffs(self) -> list[float] | None:
        """What each player gets, from 0 to 1; None before the end."""
    @property
    def caption(self) -> str: ...
    def legal(self, player: int | None = None) -> list[str]: ...
    def play(self, *actions: str) -> None:
        """Plays one action per choosing player, in player order. Nothing changes if one is not legal."""
    def undo(self) -> bool:
        """Takes back the last choice. False at the start."""
    def seat(self, player: int, agent: object) -> None:
        """Seats an agent, which from now on keeps what it learns between moves."""
    def think(self, player: int | None = None) -> Thought:
        """Lets the seated agent think. It does not play."""
    def advise(self, agent: object, player: int | None = None) -> Thought:
        """Asks any agent what it would play."""
    def view(self) -> dict[str, Any]: ...
    def record(self) -> dict[str, Any]: ...
    def past(self) -> list[dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], Table], tuple[dict[str, Any]]]: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...

@final
class Thought:
    """What an agent thinks about a position."""

    @property
    def player(self) -> int: ...
    @property
    def action(self) -> str: ...
    @property
    def value(self) -> float | None:
        """What the player expects to get, from 0 to 1."""
    @property
    def iterations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def policy(self) -> dict[str, float]:
        """The share of every action that was considered, the largest first."""
    def to_dict(self) -> dict[str, Any]: ...

@final
class Position:
    """A state whose actions are numbers, which can be copied and compared. Chance waits for its outcome."""

    def __new__(cls, game: object) -> Position: ...
    @property
    def players(self) -> int: ...
    @property
    def n_actions(self) -> int: ...
    @property
    def is_ranked(self) -> bool:
        """Whether an action's number is its place in the list of legal actions, for want of numbers of the game's own."""
    @property
    def is_simultaneous(self) -> bool: ...
    @property
    def is_constant_sum(self) -> bool: ...
    @property
    def observation_shape(self) -> tuple[int, ...]: ...
    @property
    def turn(self) -> tuple[int, ...]:
        """The players who choose now; empty if it is chance's turn or the match is over."""
    @property
    def is_chance(self) -> bool: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def payoffs(self) -> list[float] | None: ...
    def legal(self, player: int | None = None) -> list[int]: ...
    def action_text(self, action: int, player: int | None = None) -> str: ...
    def action(self, text: str, player: int | None = None) -> int: ...
    def outcomes(self) -> list[tuple[str, float]]: ...
    def apply(self, *actions: int) -> None:
        """Applies one action per choosing player, or the number of an outcome of chance."""
    def observation(self, player: int | None = None) -> NDArray[np.float32]: ...
    def mask(self, player: int | None = None) -> NDArray[np.bool_]: ...
    def symmetries(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]: ...
    def cells_of_indices(self) -> list[int | None]: ...
    def copy(self) -> Position: ...
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, _memo: object) -> Position: ...
    def __reduce__(self) -> tuple[Callable[[str, list[list[int]]], Position], tuple[str, list[list[int]]]]: ...
    def key(self) -> str:
        """Everything that tells this state from others, as text."""
    def view(self) -> dict[str, Any]: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __hash__(self) -> int: ...

@final
class Batch:
    def __new__(cls, game: object, n: int, *, per_player: bool, threads: int | None, seed: int) -> Batch: ...
    def reset(self, seed: int, arrays: object) -> None: ...
    def step(self, actions: NDArray[np.int64], arrays: object) -> None: ...
    def random_actions(self, out: NDArray[np.int64]) -> None: ...

@final
class OpenRun:
    def __new__(
        cls,
        ids: Sequence[str],
        *,
        folder: str | os.PathLike[str] | None,
        scale: str,
        store: str | os.PathLike[str],
        workers: int,
        unit_seconds: float,
    ) -> OpenRun: ...
    def next(self) -> tuple[int, str] | None: ...
    def enter(self, ticket: int, done: str) -> None: ...
    def lose(self, ticket: int) -> None: ...
    def progress(self) -> str: ...
    def summary(self) -> str: ...

@final
class OpenEvolution:
    def __new__(cls, arguments: Sequence[str], *, workers: int) -> OpenEvolution: ...
    def wait(self) -> bool: ...
    def next(self) -> tuple[int, str] | None: ...
    def enter(self, ticket: int, done: str) -> None: ...
    def lose(self, ticket: int) -> None: ...
    def progress(self) -> str: ...
    def close(self) -> str: ...

def fairness(map: str | os.PathLike[str], agents: Sequence[str], *, games: int, seed: int, threads: int | None) -> str: ...
def evolve(arguments: Sequence[str], *, progress: Callable[[dict[str, Any]], object] | None) -> str: ...
@final
class CustomAgent:
    def __new__(cls, rules: object, agent: object, seed: int) -> CustomAgent: ...
    def choose(self, state: Any, player: int) -> tuple[Any, float | None, list[tuple[Any, float]], int]: ...
    def observe(self, before: Any, actions: Sequence[Any]) -> None: ...

def tally(wins: int, draws: int, losses: int) -> str: ...
