"""The board for notebooks, without a notebook."""

import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed")
from sakiyomi.widget import Board  # noqa: E402


def test_a_match_is_played_by_messages():
    board = Board("tic-tac-toe", opponent="uct:iterations=50", adviser="uct:iterations=50")
    assert "<svg" in board.svg and len(board.legal) == 9 and board.policy == {}
    board._told(board, {"kind": "think"}, [])
    assert sum(board.policy.values()) == pytest.approx(1)
    board._told(board, {"kind": "play", "action": "b2"}, [])
    assert board.table.turn == (0,) and len(board.legal) == 7 and board.policy == {}
    board._told(board, {"kind": "undo"}, [])
    assert len(board.legal) == 9
    board._told(board, {"kind": "play", "action": "z9"}, [])
    assert "z9" in board.error and len(board.legal) == 9
    while not board.table.is_over:
        board.play(board.legal[0])
    assert board.legal == [] and "[" in board.caption


def test_the_opponent_opens():
    board = Board("connect-four", seat=1, opponent="uct:iterations=20")
    assert board.table.turn == (1,) and len(board.table.past()) == 1
