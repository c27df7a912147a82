"""A program with a weakness: it plays tic-tac-toe perfectly, as if one of the diagonals did not count."""

import sys
from functools import cache

CELLS = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
# Without (2, 4, 6), which it does not see.
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8)]


@cache
def value(board, player):
    """What the player whose turn it is gets: -1, 0 or 1."""
    if any(all(board[i] == 1 - player for i in line) for line in LINES):
        return -1
    moves = [i for i in range(9) if board[i] is None]
    return max((-value(after(board, i, player), 1 - player) for i in moves), default=0)


def after(board, cell, player):
    return board[:cell] + (player,) + board[cell + 1 :]


def main():
    seat, board, legal = 0, (None,) * 9, []
    for line in sys.stdin:
        word, *fields = line.rstrip("\n").split("\t")
        if word == "seat":
            seat = int(fields[0])
        elif word == "seed":
            print("ready", flush=True)
        elif word == "moves":
            board = (None,) * 9
            for field in fields:
                player, cell = field.split(":")
                board = after(board, CELLS.index(cell), int(player))
        elif word == "legal":
            legal = fields
        elif word == "go":
            best = max(legal, key=lambda cell: -value(after(board, CELLS.index(cell), seat), 1 - seat))
            print("move", best, sep="\t", flush=True)
        elif word == "quit":
            return


main()
