"""Runs sakiyomi and its peers in turn, several rounds, and prints one table of ratios."""

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent

GAMES = ["connect-four", "breakthrough", "othello"]

C = 2**0.5  # of UCB1 for rewards in 0..1, the same for all contestants

PLAYOUTS = "playouts_per_cpu_second"
BLIND_PLAYOUTS = "blind_playouts_per_cpu_second"
SIMULATIONS = "simulations_per_cpu_second"


@dataclass(frozen=True)
class Row:
    """One line of the table: a figure of ours against a peer's, or alone if `peer` is None.

    The target is a ratio, or without a peer a rate.
    """

    game: str
    figure: str
    peer: str | None = None
    peer_figure: str | None = None  # where the peer's figure has another name than ours
    target: float | None = None


ROWS = [
    *(Row(game, SIMULATIONS, "OpenSpiel", target=20) for game in GAMES),
    Row("connect-four", SIMULATIONS, "board-game", target=2),
    Row("connect-four", PLAYOUTS, "board-game", target=2.8),
    # No target, but said openly: the peer's board can be played faster than the peer plays it.
    Row("connect-four", PLAYOUTS, "board-game", peer_figure=BLIND_PLAYOUTS),
    *(Row(game, PLAYOUTS, "OpenSpiel") for game in GAMES),
    Row("breakthrough", PLAYOUTS, target=400_000),
    Row("othello", PLAYOUTS, target=140_000),
]

FIGURE_NAMES = {
    SIMULATIONS: "UCT simulations",
    PLAYOUTS: "random playouts",
    BLIND_PLAYOUTS: "random playouts (blind)",
}


def main():
    options = parse_options()
    contestants = commands(options)
    rounds = [run_round(i, contestants, options) for i in range(options.rounds)]
    results = [summarise(row, rounds) for row in ROWS]
    print_report(results, options)
    if options.json:
        save(options, rounds, results)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=10_000, help="per search")
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="CPU seconds per measurement in a round, at least"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the raw figures")
    return parser.parse_args()


def commands(options):
    """The command of each contestant: all take the same two options, all print the same JSON."""
    sakiyomi = REPOSITORY / (os.environ.get("SAKIYOMI_BIN") or "target/release/sakiyomi")
    work = ["--simulations", str(options.simulations), "--seconds", str(options.seconds)]
    return {
        "sakiyomi": [sakiyomi, "bench", *GAMES, "--agent", f"uct:c={C}", *work, "--json"],
        "OpenSpiel": [HERE / ".venv/bin/python", HERE / "openspiel_bench.py", *work],
        "board-game": [HERE / "board-game/target/release/board-game-peer", *work],
    }


def run_round(index, contestants, options):
    """Runs every contestant once; each round starts with another, so that none is always first."""
    print(f"round {index + 1} of {options.rounds}", file=sys.stderr)
    names = list(contestants)
    first = index % len(names)
    order = names[first:] + names[:first]
    return {name: measure(name, contestants[name], options) for name in order}


def measure(name, command, options):
    """The figures of one contestant: game -> figure -> rate."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        games = {figures["game"]: figures for figures in json.loads(run.stdout)["games"]}
    except OSError as error:
        sys.exit(f"{name}: could not start: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{name}: failed with exit code {error.returncode}:\n{error.stderr}")
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"{name}: unexpected output ({error!r}):\n{run.stdout}")

    for game, figures in games.items():
        if figures.get("simulations") != options.simulations:
            sys.exit(f"{name}: searched {game} with another number of simulations than asked for")
    return games


def summarise(row, rounds):
    """The row's rates and ratios over the rounds, and how its target fared."""
    ours = [rate(each, "sakiyomi", row.game, row.figure) for each in rounds]
    theirs, ratios = None, None
    if row.peer:
        figure = row.peer_figure or row.figure
        theirs = [rate(each, row.peer, row.game, figure) for each in rounds]
        # Paired by round: a slow moment of the machine hits both sides of a ratio.
        ratios = [our / their for our, their in zip(ours, theirs)]
    return {
        "row": row,
        "ours": ours,
        "theirs": theirs,
        "ratios": ratios,
        "verdict": verdict(row.target, statistics.median(ratios or ours)),
    }


def rate(one_round, name, game, figure):
    value = one_round[name].get(game, {}).get(figure)
    if not isinstance(value, (int, float)) or value <= 0:
        sys.exit(f"{name}: no {figure} of {game}")
    return value


def verdict(target, reached):
    if target is None:
        return "-"
    if reached >= target:
        return "met"
    return f"missed by {target / reached:.2f}x"


def print_report(results, options):
    print(
        "From the start position, single thread, thousands per second of CPU time; "
        f"{options.simulations:,} simulations a search,\n"
        f"one random playout per leaf; median (min - max) of {options.rounds} interleaved rounds."
    )
    print()
    header = ["measure", "game", "peer", "sakiyomi, k/s", "peer, k/s", "ratio", "target", "verdict"]
    print_table([header, *(cells(result) for result in results)])


def cells(result):
    row = result["row"]
    return [
        FIGURE_NAMES[row.peer_figure or row.figure],
        row.game,
        row.peer or "-",
        spread(result["ours"], lambda rate: f"{rate / 1000:,.1f}"),
        spread(result["theirs"], lambda rate: f"{rate / 1000:,.1f}"),
        spread(result["ratios"], lambda ratio: f"{ratio:.2f}"),
        target_text(row),
        result["verdict"],
    ]


def spread(values, text):
    if values is None:
        return "-"
    return f"{text(statistics.median(values))} ({text(min(values))} - {text(max(values))})"


def target_text(row):
    if row.target is None:
        return "-"
    return f">= {row.target:g}x" if row.peer else f">= {row.target / 1000:g} k/s"


def print_table(lines):
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def save(options, rounds, results):
    raw = {
        "simulations": options.simulations,
        "seconds": options.seconds,
        "rounds": rounds,
        "rows": [{**result, "row": vars(result["row"])} for result in results],
    }
    options.json.write_text(json.dumps(raw, indent=2) + "\n")
    print(f"\nraw figures saved to {options.json}", file=sys.stderr)


if __name__ == "__main__":
    main()
