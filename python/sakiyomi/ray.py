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
"""Units that a core has waiting, so that it never waits for the driver."""
WAIT_SECONDS = 0.2


def _do(unit: str) -> str:
    """Does a unit, on whichever machine it came to."""
    return _native.run_unit(unit)


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

    A unit whose machine is lost is handed out again; after `max_losses` of them the run gives up, and what is in the store stays.
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
    waiting: dict[Any, int] = {}
    n_lost = 0
    while True:
        # The cluster may have grown or shrunk.
        capacity = PER_WORKER * max(1, int(ray.cluster_resources().get("CPU", workers)))
        while len(waiting) < capacity and (handed := open_run.next()) is not None:
            ticket, unit = handed
            waiting[task.remote(unit)] = ticket
        if not waiting:
            break
        done, _ = ray.wait(list(waiting), num_returns=1, timeout=WAIT_SECONDS)
        for reference in done:
            ticket = waiting.pop(reference)
            try:
                open_run.enter(ticket, ray.get(reference))
            except ray.exceptions.RayTaskError as error:
                # The work itself failed; it would fail again anywhere.
                raise SakiyomiError(f"a unit of work failed: {error.cause}") from error
            except ray.exceptions.RayError as error:
                open_run.lose(ticket)
                n_lost += 1
                if n_lost > max_losses:
                    raise SakiyomiError(f"{n_lost} units were lost, the last one by: {error}") from error
        if progress is not None:
            progress(json.loads(open_run.progress()) | {"lost": n_lost})
    return RunResult.from_json(open_run.summary())


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
