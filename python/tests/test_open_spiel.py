"""OpenSpiel's algorithms on our games, and its numbers beside ours."""

import pytest

pyspiel = pytest.importorskip("pyspiel")
import sakiyomi  # noqa: E402
from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import exploitability  # noqa: E402
from sakiyomi import open_spiel  # noqa: E402


@pytest.mark.parametrize("game", ["hagetaka:n=4,order=descending", "goofspiel:n=4,order=descending", "goofspiel:n=3"])
def test_exploitability_is_equal(game):
    own = open_spiel.turn_based(game)
    theirs = exploitability.exploitability(own, policy.UniformRandomPolicy(own))
    ours = 2 * sakiyomi.exploit(game, "uniform").exploitability
    assert theirs == pytest.approx(ours, abs=1e-9)


def test_their_own_goofspiel_is_ours():
    theirs = pyspiel.load_game_as_turn_based("goofspiel(num_cards=4,players=2,points_order=descending,returns_type=win_loss,imp_info=False)")
    value = exploitability.exploitability(theirs, policy.UniformRandomPolicy(theirs))
    assert 2 * sakiyomi.exploit("goofspiel:n=4,order=descending", "uniform").exploitability == pytest.approx(value, abs=1e-9)


def test_their_searches_run():
    from open_spiel.python.algorithms import mcts
    import numpy as np

    game = open_spiel.game("tic-tac-toe")
    state = game.new_initial_state()
    for text in ["a1", "b1", "a2", "b2"]:
        state.apply_action(state.position.action(text))
    bot = mcts.MCTSBot(game, 2, 200, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(1))
    assert state.action_to_string(bot.step(state)) == "a3"


def test_states_keep_to_their_rules():
    import random

    rng = random.Random(1)
    for name in ["connect-four:5x4", "goofspiel:n=3"]:
        game = open_spiel.game(name)
        for _ in range(5):
            state = game.new_initial_state()
            while not state.is_terminal():
                copy = state.clone()
                assert str(copy) == str(state)
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    assert sum(p for _, p in outcomes) == pytest.approx(1)
                    state.apply_action(rng.choice(outcomes)[0])
                elif state.is_simultaneous_node():
                    state.apply_actions([rng.choice(state.legal_actions(p)) for p in range(game.num_players())])
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
                assert str(copy) != str(state)
            assert sum(state.returns()) == pytest.approx(0)
