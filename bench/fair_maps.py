#!/usr/bin/env python3
"""Runs of evolution side by side, and what each change of preset `fair` is worth.

    python3 bench/fair_maps.py ablations --program target/release/sakiyomi --out evolved/ablations --seed 21
    python3 bench/fair_maps.py table evolved/fair-11 evolved/fair-12

`ablations` makes one small run of the preset, and one for each change that is taken back; every run goes on where it was stopped.
`table` prints what runs found: games, candidates that are fair, and fitness by the paper's formula: of the last generation in games of the
search, and of the fair ones on fresh games.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys

# Smaller than the preset, so that all of them take minutes.
SMALL = ["--population", "120", "--elites", "15", "--lineages", "24", "--polish", "7", "--candidates", "24", "--wanted", "1000", "--verify-games", "800"]
# About the games of the small run, spent on generations alone.
GENERATIONS_ALONE = ["--polish", "0", "--generations", "20"]

# The most telling first.
ABLATIONS = {
    "preset fair, small": [],
    "no last phase, the paper's fitness": [*GENERATIONS_ALONE, "--fitness", "paper"],
    "no last phase": GENERATIONS_ALONE,
    "last phase without steps": ["--polish-children", "0", "--polish-mutants", "4"],
    "last phase with steps alone": ["--polish-mutants", "0"],
    "the paper's fitness": ["--fitness", "paper"],
    "no elites": ["--elites", "0"],
    "every pair crossed, at one point": ["--crossover-share", "1", "--crossover", "one-point"],
    "no racing": ["--games", "12"],
    "the paper's threshold of 10": ["--threshold", "10"],
}


def ablations(options):
    folders = []
    for name, changes in ABLATIONS.items():
        folder = options.out / name.replace("'", "").replace(",", "").replace(" ", "-")
        folders.append((name, folder))
        command = [options.program, "evolve", "--preset", "fair", "--seed", str(options.seed), "--out", folder]
        command += [*with_changes(SMALL, changes), "--quiet"]
        if options.threads:
            command += ["--threads", str(options.threads)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(command, stdout=subprocess.DEVNULL)
        if ended.returncode:
            sys.exit(f"{name}: the run ended with code {ended.returncode}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{name}: {after.ru_utime - before.ru_utime:.0f} CPU s", file=sys.stderr, flush=True)
    table(folders)


def with_changes(base, changes):
    """The options of the small run, without those that a change gives another value."""
    pairs = list(zip(base[::2], base[1::2]))
    return [word for pair in pairs if pair[0] not in changes for word in pair] + changes


def table(folders):
    print("| run | games of the search | mean of the last generation | fair for enough judges | for all | mean fitness | draws |")
    print("|---|---|---|---|---|---|---|")
    for name, folder in folders:
        gallery = json.loads((folder / "gallery.json").read_text())
        games = sum(generation["games"] for generation in gallery["history"])
        mean = gallery["history"][-1]["paper"]["mean"]
        finds = [find["fresh"]["judges"] for find in gallery["finds"] if find["fresh"]]
        for_all = sum(all(not judge["unfair"] for judge in find) for find in finds)
        judges = [judge for find in finds for judge in find]
        row = [name, f"{games:,}", f"{mean:.2f}", f"{gallery['passed']} of {gallery['tried']}", str(for_all)]
        row += [f"{sum(judge['paper_fitness'] for judge in judges) / len(judges):.2f}"] if judges else ["-"]
        row += [f"{100 * sum(judge['draws'] for judge in judges) / sum(judge['games'] for judge in judges):.0f} %"] if judges else ["-"]
        print(f"| {' | '.join(row)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("ablations")
    runs.add_argument("--program", default="sakiyomi")
    runs.add_argument("--out", type=pathlib.Path, required=True)
    runs.add_argument("--seed", type=int, default=21)
    runs.add_argument("--threads", type=int)
    shown = commands.add_parser("table")
    shown.add_argument("folder", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    if options.command == "ablations":
        ablations(options)
    else:
        table([(folder.name, folder) for folder in options.folder])


if __name__ == "__main__":
    main()
