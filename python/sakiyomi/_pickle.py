"""What pickles name: matches are kept as their records, and played again when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._native import Position, Table

__all__ = ["position", "table"]


def table(record: dict[str, Any]) -> Table:
    """A match from its record. Agents that were seated are not part of it."""
    return Table.replay(record)


def position(game: str, steps: Sequence[Sequence[int]]) -> Position:
    """A state from the game and everything that was applied."""
    state = Position(game)
    for actions in steps:
        state.apply(*actions)
    return state
