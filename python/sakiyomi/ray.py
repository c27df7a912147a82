"""Experiments and evolution on a Ray cluster: `python -m sakiyomi.ray run ID ..` and `python -m sakiyomi.ray evolve --out DIR ..`.

Units of work are pure functions from JSON to JSON, and a store takes each only once; so a run on a cluster, also one that
lost machines on the way, ends with exactly the numbers of a local run. The driver alone talks to the store, or to the folder
of an evolution.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import _native, evolution
from .errors import MissingPackage, SakiyomiError
from .evolution import EvolutionResult
from .results import RunResult

__all__ = ["evolve", "main", "run"]

PER_WORKER = 3
"""Tasks that a core has waiting, so that it never waits for the driver."""
WAIT_SECONDS = 0.2
TASK_SECONDS = 0.25
"""How long a task takes: a task costs Ray about a millisecond, so short units go together."""
MAX_UNITS = 1_000
"""Units of a task at most."""


def _do(units: list[str]) -> list[str]:
    """Does units, on whichever machine they came to."""
    return [_native.run_unit(unit) for unit in units]


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingPackage("sakiyomi.ray needs Ray: pip install ray") from error
    return ray


class _Cluster:
    """A Ray cluster that does units of work: a new one on this machine if `address` is None. `unit_seconds` is what units take
    once their size is known: the first ones are short, and say little about those that follow."""

    def __init__(self, address: str | None, max_losses: int, unit_seconds: float = 0.0) -> None:
        self._ray = _ray()
        if not self._ray.is_initialized():
            self._ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
        self._task = self._ray.remote(max_retries=0)(_do)
        self._max_losses = max_losses
        self._n_failures = 0
        self._unit_seconds = unit_seconds
        self._per_task = 1
        self.n_lost = 0
        """Units that were lost with their machine."""
        self.busy_seconds = 0.0
        """The time that all units together took where they were done."""

    def n_cores(self) -> int:
        """The cores of all machines, which may become more or fewer."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def do(self, take: Callable[[int], list[tuple[int, str]]], lose: Callable[[int], None]) -> Iterator[list[tuple[int, str]]]:
        """Does all that `take` hands out, up to a number of units with their tickets at a time, and yields results with the
        tickets as they come back; nothing of it if it waited in vain for a while. `lose` takes back what was lost."""
        waiting: dict[Any, list[int]] = {}
        while True:
            capacity = PER_WORKER * self.n_cores()
            while len(waiting) < capacity and (handed := take(self._per_task)):
                waiting[self._task.remote([unit for _, unit in handed])] = [ticket for ticket, _ in handed]
            if not waiting:
                return
            done, _ = self._ray.wait(list(waiting), num_returns=1, timeout=WAIT_SECONDS)
            back: list[tuple[int, str]] = []
            for reference in done:
                tickets = waiting.pop(reference)
                try:
                    results = self._ray.get(reference)
                except self._ray.exceptions.RayTaskError as error:
                    # The work itself failed; it would fail again anywhere.
                    raise SakiyomiError(f"a unit of work failed: {error.cause}") from error
                except self._ray.exceptions.RayError as error:
                    self._lost(tickets, lose, error)
                    continue
                self._learn(results)
                back += zip(tickets, results, strict=True)
            yield back

    def _learn(self, results: list[str]) -> None:
        """Counts the time that units took, and sees how many of them make a task."""
        seconds = sum(json.loads(result)["seconds"] for result in results)
        self.busy_seconds += seconds
        per_unit = max(seconds / len(results), self._unit_seconds, 1e-6)
        self._per_task = max(1, min(MAX_UNITS, round(TASK_SECONDS / per_unit)))

    def _lost(self, tickets: list[int], lose: Callable[[int], None], error: Exception) -> None:
        for ticket in tickets:
            lose(ticket)
        self._n_failures += 1
        self.n_lost += len(tickets)
        if self._n_failures > self._max_losses:
            raise SakiyomiError(f"{self.n_lost} units were lost, the last ones by: {error}") from error


def run(
    ids: str | Sequence[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    scale: str = "quick",
    store: str | os.PathLike[str] = "sakiyomi.sqlite",
    unit_seconds: float = 1.0,
    address: str | None = None,
    max_losses: int = 100,
    progress: Callable[[dict[str, Any]], object] | None = None,
) -> RunResult:
    """Plays what a store lacks of experiments on a Ray cluster; a new one on this machine if `address` is None.

    Units whose machine is lost are handed out again; after `max_losses` lost tasks the run gives up, and what is in the store
    stays. `progress` is told what `sakiyomi.run` tells, and also `lost`, the units that were lost so far, and `busy_seconds`, the
    time that all units together took where they were done.
    """
    cluster = _Cluster(address, max_losses, unit_seconds)
    names = [ids] if isinstance(ids, str) else list(ids)
    open_run = _native.OpenRun(
        names, folder=folder, scale=scale, store=store, workers=cluster.n_cores(), unit_seconds=unit_seconds
    )

    for back in cluster.do(_taker(open_run), open_run.lose):
        for ticket, result in back:
            open_run.enter(ticket, result)
        if progress is not None:
            told = {"lost": cluster.n_lost, "busy_seconds": cluster.busy_seconds}
            progress(json.loads(open_run.progress()) | told)
    return RunResult.from_json(open_run.summary())


def evolve(
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    max_losses: int = 100,
    progress: Callable[[dict[str, Any]], object] | None = None,
    **options: Any,
) -> EvolutionResult:
    """Evolves maps as `sakiyomi.evolve` does, with the same options and to the same result, but its games are played on a Ray
    cluster.

    Games whose machine is lost are played again; after `max_losses` lost tasks the run is stopped, with its checkpoint. `progress`
    is told what `sakiyomi.evolve` tells, and also `lost`, the units that were lost so far.
    """
    cluster = _Cluster(address, max_losses)
    open_run = _native.OpenEvolution(evolution._arguments(out, options), workers=cluster.n_cores())
    try:
        while open_run.wait():
            for back in cluster.do(_taker(open_run), open_run.lose):
                for ticket, result in back:
                    open_run.enter(ticket, result)
                if progress is not None:
                    progress(json.loads(open_run.progress()) | {"lost": cluster.n_lost})
    finally:
        # What came back before an exception is in the checkpoint.
        gallery = open_run.close()
    return EvolutionResult.from_json(gallery, out)


def _taker(open_run: _native.OpenRun | _native.OpenEvolution) -> Callable[[int], list[tuple[int, str]]]:
    """What hands out units, up to a number of them."""

    def take(n: int) -> list[tuple[int, str]]:
        handed: list[tuple[int, str]] = []
        while len(handed) < n and (one := open_run.next()) is not None:
            handed.append(one)
        return handed

    return take


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m sakiyomi.ray", description="Experiments and evolution on a Ray cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    options = commands.add_parser("run", help="play what a store lacks of experiments")
    options.add_argument("ids", nargs="+", metavar="ID", help="ids of experiments, paths of files, or `all`")
    options.add_argument("--scale", choices=["quick", "paper"], default="quick")
    options.add_argument("--experiments", metavar="DIR", help="the folder of the experiment files")
    options.add_argument("--store", default="sakiyomi.sqlite", metavar="FILE", help="the file of the results")
    options.add_argument("--unit-seconds", type=float, default=1.0, help="how long a unit of work should take")
    evolving = commands.add_parser("evolve", help="evolve fair maps; further options are those of `sakiyomi evolve`")
    evolving.add_argument("--out", required=True, metavar="FOLDER", help="the folder of the run")
    for command in (options, evolving):
        command.add_argument("--address", help="the cluster, such as `auto`; a new one on this machine if not given")
        command.add_argument("--quiet", "-q", action="store_true", help="show no progress")
    given, others = parser.parse_known_args(arguments)
    if others and given.command == "run":
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    try:
        return _run(given) if given.command == "run" else _evolve(given, others)
    except SakiyomiError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1


def _run(given: argparse.Namespace) -> int:
    def show(progress: dict[str, Any]) -> None:
        left = progress["seconds_left"]
        lost = f", {progress['lost']} units lost" if progress["lost"] else ""
        until = "" if left is None else f", {left:.0f} s left"
        sys.stderr.write(f"\r{progress['done']} of {progress['games']}{until}{lost}   ")

    result = run(
        given.ids,
        folder=given.experiments,
        scale=given.scale,
        store=given.store,
        unit_seconds=given.unit_seconds,
        address=given.address,
        progress=None if given.quiet or not sys.stderr.isatty() else show,
    )
    print(f"{result.games_played} played or measured in {result.seconds:.1f} s; {result.games_done} of {result.games} are done")
    return 0 if result.is_complete else 1


def _evolve(given: argparse.Namespace, others: list[str]) -> int:
    def show(progress: dict[str, Any]) -> None:
        sys.stderr.write(f"\r{progress.get('generations', 0)} generations, {progress.get('done', 0)} of {progress.get('games', 0)} games   ")

    result = evolve(given.out, address=given.address, progress=None if given.quiet or not sys.stderr.isatty() else show, **_options(others))
    print(f"{result.generations} generations; {result.passed} of {result.tried} candidates are fair; gallery: {given.out}/gallery.html")
    return 0 if result.is_complete else 1


def _options(arguments: list[str]) -> dict[str, Any]:
    """Options of the command line as `sakiyomi.evolve` takes them: `--no-archive --population 8` is no_archive=True, population="8".

    >>> _options(["--judge", "random", "--no-archive", "--population=8", "--judge", "sample+noise"])
    {'judges': ['random', 'sample+noise'], 'no_archive': True, 'population': '8'}
    """
    options: dict[str, Any] = {}
    left = deque(arguments)
    while left:
        name, equals, value = left.popleft().partition("=")
        if not name.startswith("--"):
            raise SakiyomiError(f"`{name}` is no option; expected --NAME or --NAME VALUE")
        has_value = bool(equals) or (bool(left) and not left[0].startswith("--"))
        name = name[2:].replace("-", "_")
        given: Any = (value if equals else left.popleft()) if has_value else True
        if name in ("judge", "verify"):
            options.setdefault("judges" if name == "judge" else name, []).append(given)
        else:
            options[name] = given
    return options


if __name__ == "__main__":
    sys.exit(main())
