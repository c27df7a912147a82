#!/usr/bin/env python3
"""Certificates of games as one table in Markdown.

    python3 bench/assess.py --program target/release/sakiyomi --minutes 2 connect-four pie:hex:7x7 gdl:my_game.kif > table.md

Games are assessed one after the other, on one thread; without names those of docs/results/assess.md are. Games and moves are those that
the printed commands repeat.
"""

import argparse
import json
import subprocess

GAMES = [
    "connect-four",
    "breakthrough",
    "hex:7x7",
    "pie:hex:7x7",
    "othello",
    "sangoku:scenario=a",
    "sangoku:scenario=c",
    "hagetaka:players=3",
    "tubstap:map=ford",
    "tubstap:map=fair-01",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--program", default="sakiyomi")
    parser.add_argument("--minutes", type=float, default=2.0)
    options = parser.parse_args()
    print("| game | certificate | first seat, weakest and strongest search | exact value | games of each player | CPU minutes |")
    print("|---|---|---|---|---|---|", flush=True)
    commands = []
    for game in options.games:
        command = [options.program, "assess", game, "--minutes", str(options.minutes), "--threads", "1", "--json", "--quiet"]
        report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        searches = [player for player in report["players"] if player["iterations"]]
        ends = ", ".join(score(player) for player in searches[:: max(1, len(searches) - 1)])
        exact = report["exact"]
        exact = "not found" if exact["values"] is None else " : ".join(f"{value:g}" for value in exact["values"])
        cells = [f"`{game}`", report["verdict"]["sentence"], ends, exact, report["games"], f"{report['cpu_seconds'] / 60:.1f}"]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
        commands.append(report["command"].replace(f" --minutes {options.minutes}", ""))
    print("\n```sh\n" + "\n".join(commands) + "\n```")


def score(player):
    first = player["seats"][0]
    low, high = first["interval"]
    return f"{player['iterations']}: {first['score']:.2f} [{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()
