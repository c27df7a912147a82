"""Matches, states and results survive a pickle, also on the way to another process."""

import copy
import pickle

import pytest
import sakiyomi


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("game", ["connect-four", "hagetaka:n=5", "gdl:sheet=pig"])
def test_tables(game):
    table = sakiyomi.Table(game, seed=9)
    for _ in range(4):
        table.play(*(table.legal(player)[0] for player in table.turn))
    twin = again(table)
    assert twin.record() == table.record() and str(twin) == str(table)
    actions = [twin.legal(player)[-1] for player in twin.turn]
    twin.play(*actions)
    table.play(*actions)
    assert twin.record() == table.record()


@pytest.mark.parametrize("game", ["breakthrough:5x5", "hagetaka:n=4"])
def test_positions(game):
    position = sakiyomi.Position(game)
    passed = []
    while not position.is_over and len(passed) < 7:
        if position.is_chance:
            position.apply(1)
        else:
            position.apply(*(position.legal(player)[-1] for player in position.turn))
        passed.append(position.copy())
    # A copy goes on by itself.
    branch = passed[1].copy()
    assert again(branch) == passed[1]
    for state in [*passed, copy.deepcopy(position)]:
        twin = again(state)
        assert twin == state and twin.key() == state.key()


def test_a_long_match_is_dropped_without_recursion():
    position = sakiyomi.Position("gdl:sheet=pig")
    copies = []
    for _ in range(3000):
        if position.is_over:
            break
        if position.is_chance:
            position.apply(0)
        else:
            position.apply(*(position.legal(player)[0] for player in position.turn))
        copies.append(position.copy())
    del copies, position


def test_results():
    duel = sakiyomi.duel("tic-tac-toe", "uct:iterations=20", "random", games=10)
    solved = sakiyomi.solve("goofspiel:n=3,order=descending")
    measured = sakiyomi.exploit("goofspiel:n=3,order=descending", "uniform")
    for result in (duel, solved, measured, duel.interval):
        assert again(result) == result
    assert again(duel).to_dict() == duel.to_dict()
