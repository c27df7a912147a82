#!/usr/bin/env python3
"""Runs of evolution side by side, and what each change of preset `fair` is worth.

    python3 bench/fair_maps.py ablations --program target/release/sakiyomi --out evolved/ablations --seed 21
    python3 bench/fair_maps.py table evolved/fair-11 evolved/fair-12
    python3 bench/fair_maps.py ship evolved/6x6:4 evolved/8x8:3 evolved/10x10:3 --into games/tubstap/fair
    python3 bench/fair_maps.py judge games/tubstap/fair/*.tbsmap --program target/release/sakiyomi --games 400 --seed 9001

`ablations` makes one small run of the preset, and one for each change that is taken back; every run goes on where it was stopped.
`table` prints what runs found: games, candidates that are fair, and fitness by the paper's formula: of the last generation in games of the
search, and of the fair ones on fresh games. `ship` puts the first finds of runs into a folder, numbered, in the place of the maps there.
`judge` lets players of all kinds play maps as they are and with noise, prints RED's score on each, and writes what they say about a map as
it is beside it.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys

# Smaller than the preset, so that all of them take minutes.
SMALL = ["--population", "120", "--elites", "15", "--lineages", "24", "--candidates", "24", "--wanted", "1000", "--verify-games", "800"]
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

# Players that vary by themselves play a map as it is; the two others begin with a random action of each side.
PLAIN = [
    "sample+opening=1",
    "satd2:iterations=500+opening=1",
    "m-uct:iterations=300",
    "m3lee",
    "staff",
    "oep:iterations=100",
    "tubstap-best:iterations=100",
    "uct:iterations=300",
    "puct:iterations=200",
    "halving:iterations=200",
]


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


def judge(options):
    judges = options.agent or PLAIN
    noisy = [judge.split("+")[0] + "+noise" for judge in judges]
    said = {}
    for path in options.maps:
        for start, agents in (("as it is", judges), ("with noise", noisy)):
            command = [options.program, "fairness", path, "--games", str(options.games), "--seed", str(options.seed), "--json", "--quiet"]
            command += [*(f"--agents={agent}" for agent in agents), "--threads", str(options.threads or 1)]
            fairness = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
            said[path, start] = fairness["judges"]
            if start == "as it is":
                path.with_suffix(".json").write_text(json.dumps(fairness, indent=1) + "\n")
    for start, agents in (("as it is", judges), ("with noise", noisy)):
        print(f"\n| {start} | " + " | ".join(f"`{agent}`" for agent in agents) + " |\n|" + "---|" * (len(agents) + 1))
        columns = [[said[path, start][at] for path in options.maps] for at in range(len(agents))]
        for row, path in enumerate(options.maps):
            cells = [f"{it['wins'][0]}-{it['draws']}-{it['wins'][1]}, {it['score']:.2f}" for it in (column[row] for column in columns)]
            print(f"| {path.stem} | " + " | ".join(cells) + " |")
        for name, of in (("within 0.4 and 0.6", within), ("mean fitness", mean_fitness)):
            print(f"| {name} | " + " | ".join(of(column) for column in columns) + " |")


def ship(options):
    chosen = []
    for text in options.run:
        folder, number = text.rsplit(":", 1)
        maps = sorted(pathlib.Path(folder, "maps").glob("*.tbsmap"))
        if len(maps) < int(number):
            sys.exit(f"{folder} has {len(maps)} fair maps, not {number}")
        chosen += maps[: int(number)]
    texts = [path.read_bytes() for path in chosen]
    for old in [*options.into.glob("*.tbsmap"), *options.into.glob("*.json")]:
        old.unlink()
    for number, text in enumerate(texts, 1):
        (options.into / f"{number:02}.tbsmap").write_bytes(text)


def within(column):
    return f"{sum(0.4 <= it['score'] <= 0.6 for it in column)} of {len(column)}"


def mean_fitness(column):
    return f"{sum(it['paper_fitness'] for it in column) / len(column):.2f}"


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
    shipped = commands.add_parser("ship")
    shipped.add_argument("run", nargs="+", metavar="FOLDER:NUMBER")
    shipped.add_argument("--into", type=pathlib.Path, required=True)
    judged = commands.add_parser("judge")
    judged.add_argument("maps", type=pathlib.Path, nargs="+")
    judged.add_argument("--program", default="sakiyomi")
    judged.add_argument("--agent", action="append", help="given several times, instead of the usual ten")
    judged.add_argument("--games", type=int, default=400)
    judged.add_argument("--seed", type=int, default=9001)
    judged.add_argument("--threads", type=int)
    options = parser.parse_args()
    if options.command == "ablations":
        ablations(options)
    elif options.command == "ship":
        ship(options)
    elif options.command == "judge":
        judge(options)
    else:
        table([(folder.name, folder) for folder in options.folder])


if __name__ == "__main__":
    main()
