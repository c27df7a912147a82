"""Fair maps: evolution, and verdicts on maps. Both are the commands of the same name, run in a process of their own."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

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
    play: Callable[[list[str]], Iterable[tuple[int, str]]] | None = None,
    progress: Callable[[str], object] | None = None,
    **options: str | int | float | bool,
) -> EvolutionResult:
    """Evolves maps that are fair to both sides, and tries the best with fresh games.

    The folder `out` keeps a checkpoint after each generation, so the same call goes on where it was stopped. Further options
    are those of `sakiyomi evolve --help` with underscores: `generations=30, population=40, verify_games=400, size="6x6"`; flags are
    given as `True`. `progress` is handed a line of text from time to time.

    Games are played on `threads`, or by `play`: it is handed units of work as JSON and gives back the place of each in the list and
    what `run_unit` of the native module made of it, in any order, on any machine. The result is the same. `sakiyomi.ray.evolve` uses
    it. If `play` raises an exception, the run is stopped with its checkpoint.
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
    data = _command(arguments, threads, progress) if play is None else _hand_out(arguments, play, progress)
    return EvolutionResult(
        data,
        out=os.fspath(out),
        generations=len(data["history"]),
        **{name: data[name] for name in ("tried", "passed", "is_complete")},
        finds=tuple(data["finds"]),
    )


def _command(arguments: list[str], threads: int | None, progress: Callable[[str], object] | None = None) -> dict[str, Any]:
    """Runs a command and reads the object that it prints. Ctrl-C and an exception of `progress` stop it, with its checkpoint."""
    if threads is not None:
        arguments = [*arguments, "--threads", str(threads)]
    printed: list[str] = []
    with _Child([*arguments, "--json"], progress) as child:
        for line in child.printed():
            printed.append(line)
    data: dict[str, Any] = json.loads("".join(printed))
    return data


def _hand_out(
    arguments: list[str],
    play: Callable[[list[str]], Iterable[tuple[int, str]]],
    progress: Callable[[str], object] | None,
) -> dict[str, Any]:
    """Runs a command whose units of work are done by `play`."""
    data: dict[str, Any] = {}
    with _Child([*arguments, "--hand-out"], progress) as child:
        for line in child.printed():
            said = json.loads(line)
            data = said.get("gallery", data)
            if units := said.get("units"):
                for number, done in play([json.dumps(unit) for unit in units]):
                    child.write(f'{{"number": {number}, "done": {done}}}')
    return data


class _Child:
    """A command that runs. At the end of the `with` it has ended too; what it says is wrong becomes an exception.

    Threads read all that it prints, so that it never waits for us; callbacks are called on the thread of the `with`.
    """

    def __init__(self, arguments: list[str], progress: Callable[[str], object] | None) -> None:
        line = [sys.executable, "-m", "sakiyomi", *arguments, *(["--quiet"] if progress is None else [])]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._progress = progress
        self._lines: queue.SimpleQueue[tuple[IO[str], str]] = queue.SimpleQueue()
        self._errors: list[str] = []
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._readers = [threading.Thread(target=self._read, args=(stream,)) for stream in (self._stdout, self._stderr)]
        for reader in self._readers:
            reader.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put((stream, line))
        self._lines.put((stream, ""))

    def printed(self) -> Iterator[str]:
        """The lines of its standard output, until it ends. What it says on the way goes to `progress`."""
        n_open = len(self._readers)
        while n_open > 0:
            stream, line = self._lines.get()
            if not line:
                n_open -= 1
            elif stream is self._stdout:
                yield line
            elif self._progress is None or line.startswith("error:"):
                self._errors.append(line.strip())
            else:
                self._progress(line.strip())

    def write(self, line: str) -> None:
        # If it has ended, it says why.
        with contextlib.suppress(BrokenPipeError):
            self._stdin.write(line + "\n")
            self._stdin.flush()

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        code = self._process.wait()
        for reader in self._readers:
            reader.join()
        self._stdout.close()
        self._stderr.close()
        if kind is not None or code == 0:
            return
        if code == 130:
            raise KeyboardInterrupt
        wrong = (text.removeprefix("error: ") for text in self._errors if text.startswith("error:"))
        message = next(wrong, "\n".join(self._errors))
        raise SpecError(message) if code == 2 else SakiyomiError(message)
