"""Results as plain objects. Each has its most important numbers as attributes, everything as `to_dict()`, and a
table as `to_frame()` if pandas is installed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import MissingPackage

if TYPE_CHECKING:
    import pandas

__all__ = [
    "BestResponseResult",
    "DuelResult",
    "ExploitResult",
    "Interval",
    "Report",
    "Result",
    "RunResult",
    "SolveResult",
    "Tally",
]


@dataclass(frozen=True)
class Interval:
    """A confidence interval of 95 %."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Tally:
    """Games won, drawn and lost."""

    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class Result:
    """What all results have in common."""

    _data: dict[str, Any] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known, as the command line prints it with `--json`."""
        return json.loads(json.dumps(self._data))  # type: ignore[no-any-return]

    def _rows(self) -> list[dict[str, Any]]:
        return [self._data]

    def to_frame(self) -> pandas.DataFrame:
        """The rows of this result as a table of pandas."""
        try:
            import pandas
        except ImportError as error:
            raise MissingPackage("to_frame needs pandas: pip install pandas") from error
        return pandas.DataFrame(self._rows())


def _interval(data: list[float]) -> Interval:
    low, high = data
    return Interval(low, high)


@dataclass(frozen=True)
class DuelResult(Result):
    """Two agents over many matches; everything counts for the first one."""

    game: str
    agents: tuple[str, str]
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    interval: Interval
    elo: float | None
    sign_test: float
    seed: int
    interrupted: bool
    seconds: float
    command: str

    @classmethod
    def from_json(cls, text: str) -> DuelResult:
        data = json.loads(text)
        names = ["game", "games", "wins", "draws", "losses", "score", "sign_test", "seed", "interrupted", "seconds"]
        return cls(
            data,
            **{name: data[name] for name in names},
            agents=(data["agents"][0], data["agents"][1]),
            interval=_interval(data["interval"]),
            elo=data["elo"]["difference"] if data["elo"] else None,
            command=data["command"],
        )

    @property
    def tally(self) -> Tally:
        return Tally(self.wins, self.draws, self.losses)

    def _rows(self) -> list[dict[str, Any]]:
        keys = ["seat", "name", "wins", "draws", "losses", "score"]
        return [
            {key: seat[key] for key in keys} | {"low": seat["interval"][0], "high": seat["interval"][1]}
            for seat in self._data["seats"]
        ]


@dataclass(frozen=True)
class ExploitResult(Result):
    """How much a strategy can be exploited, exactly. Payoffs are from 0 to 1."""

    game: str
    agent: str
    nash_conv: float
    exploitability: float
    values: tuple[float, ...]
    best_response: tuple[float, ...]
    unit: float
    """A difference of payoffs times this is one in the game's own units, such as points."""

    @classmethod
    def from_json(cls, text: str, game: str, agent: str) -> ExploitResult:
        data = json.loads(text)
        return cls(
            data,
            game=game,
            agent=agent,
            nash_conv=data["nash_conv"],
            exploitability=data["exploitability"],
            values=tuple(data["values"]),
            best_response=tuple(data["best_response"]),
            unit=data["unit"],
        )

    def _rows(self) -> list[dict[str, Any]]:
        keys = ["iterations", "nash_conv", "exploitability", "states", "cpu_seconds", "search_cpu_seconds"]
        return [{key: point[key] for key in keys} for point in self._data["curve"]]


@dataclass(frozen=True)
class BestResponseResult(Result):
    """A response that was found by playing against an agent. Payoffs are from 0 to 1."""

    game: str
    agent: str
    found: bool
    games: int
    wins: int
    draws: int
    losses: int
    mean: float
    interval: Interval
    exploitability: float
    """What the response gains per player: a lower bound of what a best response gains."""
    exploitability_interval: Interval
    record: dict[str, Any] | None
    """The game in which the response got most."""

    @classmethod
    def from_json(cls, text: str) -> BestResponseResult:
        data = json.loads(text)
        names = ["game", "agent", "found", "games", "wins", "draws", "losses", "mean", "exploitability", "record"]
        return cls(
            data,
            **{name: data[name] for name in names},
            interval=_interval(data["interval"]),
            exploitability_interval=_interval(data["exploitability_interval"]),
        )

    def _rows(self) -> list[dict[str, Any]]:
        keys = ["seat", "wins", "draws", "losses", "mean"]
        return [{key: seat[key] for key in keys} for seat in self._data["seats"]]


@dataclass(frozen=True)
class SolveResult(Result):
    """The exact equilibrium of a game of two."""

    game: str
    values: tuple[float, ...]
    states: int
    nash_conv: float | None

    @classmethod
    def from_json(cls, text: str, game: str) -> SolveResult:
        data = json.loads(text)
        return cls(
            data, game=game, values=tuple(data["values"]), states=data["states"], nash_conv=data["nash_conv"]
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"outcome": opening["outcome"], "player": player, "action": action, "share": share}
            for opening in self._data["openings"]
            for player, strategy in enumerate(opening["strategies"])
            for action, share in strategy
        ]


@dataclass(frozen=True)
class RunResult(Result):
    """What a run of experiments did."""

    games_played: int
    games_done: int
    games: int
    seconds: float

    @classmethod
    def from_json(cls, text: str) -> RunResult:
        data = json.loads(text)
        return cls(data, **{name: data[name] for name in ["games_played", "games_done", "games", "seconds"]})

    @property
    def is_complete(self) -> bool:
        return self.games_done >= self.games


@dataclass(frozen=True)
class Report(Result):
    """An experiment with what is known of it."""

    id: str
    title: str
    scale: str
    games_done: int
    games: int
    markdown: str
    svg: str | None

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Report:
        names = ["id", "title", "scale", "games_done", "games", "markdown"]
        return cls(data, **{name: data[name] for name in names}, svg=data["figure_svg"])

    def _repr_svg_(self) -> str | None:
        return self.svg

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __str__(self) -> str:
        return self.markdown

    @property
    def cells(self) -> list[dict[str, Any]]:
        cells: list[dict[str, Any]] = self.to_dict()["cells"]
        return cells

    def _rows(self) -> list[dict[str, Any]]:
        keys = ["name", "game", "first", "second", "games", "wins", "draws", "losses", "score", "measured"]
        return [{key: cell[key] for key in keys} for cell in self._data["cells"]]
