"""What the Python package costs and how fast it is, beside other libraries where they are installed.

    python bench/python.py [--games connect-four othello] [--seconds 2] [--only steps advise duel ray]
    python bench/python.py --only steps --games gdl:file=kif/breakthrough.kif gdl:file=kif/chess_200.kif

Steps are those of all environments together, with random legal actions that the same program draws, numpy in and out (masks, rewards,
ends, players, and where it is said observations), on one thread, per second of CPU time. The median of five rounds is told; in each
round all programs have their turn, so that what else the machine does falls on all of them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import numpy as np
import sakiyomi

OPEN_SPIEL = {"connect-four": "connect_four", "othello": "othello", "breakthrough": "breakthrough"}
PGX = {"connect-four": "connect_four", "othello": "othello"}
WHAT = ["steps", "advise", "duel", "ray"]


def rate(step, per_step, seconds):
    """Steps per second of CPU time, after a short warm-up."""
    for _ in range(20):
        step()
    start, n = time.process_time(), 0
    while time.process_time() - start < seconds:
        for _ in range(10):
            step()
        n += 10
    return n * per_step / (time.process_time() - start)


def batch_steps(game, n, observe):
    batch = sakiyomi.Batch(game, n, observe=observe)
    return lambda: batch.step(batch.random_actions())


def open_spiel_steps(game):
    """OpenSpiel's C++ game through its Python states, as its own examples use it."""
    import random

    import pyspiel

    own = pyspiel.load_game(OPEN_SPIEL[game])
    state = own.new_initial_state()

    def step():
        nonlocal state
        if state.is_terminal():
            state = own.new_initial_state()
        state.apply_action(random.choice(state.legal_actions()))

    return step


def pgx_steps(game, n):
    """pgx's environments, compiled and with its own reset after the end, drawing uniformly among legal actions."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    own = pgx.make(PGX[game])
    play = jax.vmap(auto_reset(own.step, own.init))

    @jax.jit
    def one(state, key):
        key, drawn = jax.random.split(key)
        noise = jax.random.gumbel(drawn, state.legal_action_mask.shape)
        actions = jax.numpy.argmax(jax.numpy.where(state.legal_action_mask, noise, -jax.numpy.inf), axis=-1)
        return play(state, actions, jax.random.split(drawn, n)), key

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(own.init))(jax.random.split(key, n))

    def step():
        nonlocal state, key
        state, key = one(state, key)
        state.observation.block_until_ready()

    return step


def all_steps(game):
    """What is measured: (name, function that makes a step, number of environments it steps)."""
    rows = []
    for n in (256, 1024, 4096):
        for observe in (True, False):
            name = f"Batch, {n:,} environments, {'with' if observe else 'without'} observations"
            rows.append((name, batch_steps(game, n, observe), n))
    if game in OPEN_SPIEL:
        try:
            rows.append(("OpenSpiel's states from Python, without observations", open_spiel_steps(game), 1))
        except ImportError:
            print("OpenSpiel is not installed")
    if game in PGX:
        try:
            rows += [(f"pgx, {n:,} environments, with observations", pgx_steps(game, n), n) for n in (256, 1024, 4096)]
        except ImportError:
            print("pgx is not installed")
    return rows


def measure_steps(game, seconds, rounds=5):
    rows = all_steps(game)
    rates = [[rate(step, n, seconds / rounds) for _, step, n in rows] for _ in range(rounds)]
    for (name, _, _), of_row in zip(rows, zip(*rates, strict=True), strict=True):
        print(f"{game}: {name}: {sorted(of_row)[rounds // 2]:,.0f} steps/s")


def ray_overhead(unit_seconds=0.01, games=30_000):
    """The share of a cluster's time that is not spent in units of this length; one node with one core."""
    import os
    import tempfile
    from pathlib import Path

    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from sakiyomi import ray as on_ray

    folder = Path(tempfile.mkdtemp())
    pairing = 'game = "connect-four"\nfirst = "uct:iterations=100"\nsecond = "uct:iterations=50"'
    scales = "".join(f"[scale.{scale}]\ngames = {games}\n" for scale in ("quick", "paper"))
    experiment = folder / "units.toml"
    experiment.write_text(f'id = "units"\ntitle = "Units"\nkind = "duels"\n{scales}[[duel]]\nname = "units"\n{pairing}\n')
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    points = []

    def watch(progress):
        points.append((time.perf_counter(), progress["busy_seconds"]))

    on_ray.run(str(experiment), store=folder / "units.sqlite", unit_seconds=unit_seconds, progress=watch)
    ray.shutdown()
    # The first tasks start processes and are single units, so counting starts after a few seconds.
    start, before = next(point for point in points if point[1] > points[-1][1] / 10)
    end, after = points[-1]
    return 1 - (after - before) / (end - start)


def advise_cost(calls=2000):
    """Microseconds that a call costs beside the thinking itself: the median."""
    table = sakiyomi.Table("tic-tac-toe")
    costs = []
    for _ in range(calls):
        start = time.perf_counter()
        thought = table.advise("random")
        costs.append(time.perf_counter() - start - thought.seconds)
    return 1e6 * sorted(costs)[calls // 2]


def duel_seconds(games=100):
    """CPU seconds of a duel from here and from the command line, the least of three; the start of the program does not count."""
    import resource

    agents = ("uct:iterations=2000", "uct:iterations=500")

    def here(n):
        start = time.process_time()
        sakiyomi.duel("connect-four", *agents, games=n, threads=1)
        return time.process_time() - start

    def there(n):
        line = [sys.executable, "-m", "sakiyomi", "duel", "connect-four", *agents, "--games", str(n), "--threads", "1", "--json", "-q"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(line, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return tuple(min(play(2 + games) - play(2) for _ in range(3)) for play in (here, there))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=["connect-four", "othello", "breakthrough"])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", nargs="+", choices=WHAT, default=WHAT)
    given = parser.parse_args()
    if "steps" in given.only:
        for game in given.games:
            measure_steps(game, given.seconds)
    if "advise" in given.only:
        print(f"advise: {advise_cost():.1f} microseconds beside the thinking")
    if "duel" in given.only:
        here, there = duel_seconds()
        print(f"duel: {here:.2f} s from Python, {there:.2f} s from the command line ({here / there - 1:+.1%})")
    if "ray" in given.only:
        try:
            print(f"Ray: {ray_overhead():.1%} of the time is not spent in units of 10 ms")
        except ImportError:
            print("Ray is not installed")


if __name__ == "__main__":
    main()
