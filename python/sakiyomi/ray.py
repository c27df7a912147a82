"""Experiments on a Ray cluster: `python -m sakiyomi.ray run ID .. [--scale paper] [--address auto]`.

Units of work are pure functions from JSON to JSON, and a store takes each only once; so a run on a cluster, also one that
lost machines on the way, ends with exactly the numbers of a local run. The driver alone talks to the store.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _native
from .errors import MissingPackage, SakiyomiError
from .results import RunResult

__all__ = ["main", "run"]

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


def run(
    ids: str | Sequence[str],
    *,
    folder: str | os.PathLike[str] = "experiments",
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
    ray = _ray()
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
    task = ray.remote(max_retries=0)(_do)
    names = [ids] if isinstance(ids, str) else list(ids)
    workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    open_run = _native.OpenRun(
        names, folder=folder, scale=scale, store=store, workers=workers, unit_seconds=unit_seconds
    )
    waiting: dict[Any, list[int]] = {}
    n_failures, n_lost, busy, per_task = 0, 0, 0.0, 1
    while True:
        # The cluster may have grown or shrunk.
        capacity = PER_WORKER * max(1, int(ray.cluster_resources().get("CPU", workers)))
        while len(waiting) < capacity and (handed := _take(open_run, per_task)):
            waiting[task.remote([unit for _, unit in handed])] = [ticket for ticket, _ in handed]
        if not waiting:
            break
        done, _ = ray.wait(list(waiting), num_returns=1, timeout=WAIT_SECONDS)
        for reference in done:
            tickets = waiting.pop(reference)
            try:
                results = ray.get(reference)
                seconds = sum(json.loads(result)["seconds"] for result in results)
                for ticket, result in zip(tickets, results, strict=True):
                    open_run.enter(ticket, result)
                busy += seconds
                per_task = max(1, min(MAX_UNITS, round(TASK_SECONDS * len(results) / max(seconds, 1e-6))))
            except ray.exceptions.RayTaskError as error:
                # The work itself failed; it would fail again anywhere.
                raise SakiyomiError(f"a unit of work failed: {error.cause}") from error
            except ray.exceptions.RayError as error:
                for ticket in tickets:
                    open_run.lose(ticket)
                n_failures += 1
                n_lost += len(tickets)
                if n_failures > max_losses:
                    raise SakiyomiError(f"{n_lost} units were lost, the last ones by: {error}") from error
        if progress is not None:
            progress(json.loads(open_run.progress()) | {"lost": n_lost, "busy_seconds": busy})
    return RunResult.from_json(open_run.summary())


def _take(open_run: _native.OpenRun, n: int) -> list[tuple[int, str]]:
    """The next units, up to `n` of them."""
    handed: list[tuple[int, str]] = []
    while len(handed) < n and (one := open_run.next()) is not None:
        handed.append(one)
    return handed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m sakiyomi.ray", description="Experiments on a Ray cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    options = commands.add_parser("run", help="play what a store lacks of experiments")
    options.add_argument("ids", nargs="+", metavar="ID", help="ids of experiments, paths of files, or `all`")
    options.add_argument("--scale", choices=["quick", "paper"], default="quick")
    options.add_argument("--address", help="the cluster, such as `auto`; a new one on this machine if not given")
    options.add_argument("--experiments", default="experiments", metavar="DIR", help="the folder of the experiment files")
    options.add_argument("--store", default="sakiyomi.sqlite", metavar="FILE", help="the file of the results")
    options.add_argument("--unit-seconds", type=float, default=1.0, help="how long a unit of work should take")
    options.add_argument("--quiet", "-q", action="store_true", help="show no progress")
    given = parser.parse_args(arguments)

    def show(progress: dict[str, Any]) -> None:
        left = progress["seconds_left"]
        lost = f", {progress['lost']} units lost" if progress["lost"] else ""
        until = "" if left is None else f", {left:.0f} s left"
        sys.stderr.write(f"\r{progress['done']} of {progress['games']}{until}{lost}   ")

    try:
        result = run(
            given.ids,
            folder=given.experiments,
            scale=given.scale,
            store=given.store,
            unit_seconds=given.unit_seconds,
            address=given.address,
            progress=None if given.quiet or not sys.stderr.isatty() else show,
        )
    except SakiyomiError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    print(f"{result.games_played} played or measured in {result.seconds:.1f} s; {result.games_done} of {result.games} are done")
    return 0 if result.is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
