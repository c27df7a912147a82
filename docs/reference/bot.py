#!/usr/bin/env python3
"""A complete agent for Sakiyomi's line protocol (docs/reference/protocol.md): it plays at random."""

import random
import sys


def main():
    legal = []
    for line in sys.stdin:
        word, *fields = line.rstrip("\n").split("\t")
        if word == "seed":
            random.seed(int(fields[0]))
            answer("ready")
        elif word == "legal":
            legal = fields
        elif word == "go":
            answer("move", random.choice(legal))
        elif word == "quit":
            return


def answer(*fields):
    print("\t".join(fields), flush=True)


main()
