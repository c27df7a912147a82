"""PettingZoo's own tests, on games that differ in everything."""

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, parallel_api_test, seed_test  # noqa: E402
from sakiyomi import IllegalAction, pettingzoo  # noqa: E402

SEQUENTIAL = ["tic-tac-toe", "connect-four", "breakthrough:6x6", "othello", "hex:5x5", "gdl:sheet=tic-tac-toe", "tubstap", "sangoku"]
SIMULTANEOUS = ["goofspiel:n=4", "hagetaka:n=5,players=3"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("game", [*SEQUENTIAL, *SIMULTANEOUS])
def test_aec(game):
    api_test(pettingzoo.aec(game), num_cycles=60)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("game", SIMULTANEOUS)
def test_parallel(game):
    parallel_api_test(pettingzoo.parallel(game), num_cycles=200)


@pytest.mark.filterwarnings("ignore")
def test_seeds():
    seed_test(lambda: pettingzoo.aec("goofspiel:n=4"), num_cycles=20)


def test_a_match():
    env = pettingzoo.aec("tic-tac-toe", render_mode="ansi")
    env.reset(seed=1)
    for action in [0, 3, 1, 4, 2]:
        observation, reward, termination, _, _ = env.last()
        assert observation["action_mask"][action] == 1 and reward == 0 and not termination
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and "x" in env.render()
    assert all(env.terminations.values())
    env.reset()
    env.step(4)
    with pytest.raises(IllegalAction):
        env.step(4)
    both = pettingzoo.parallel("goofspiel:n=2,order=descending")
    observations, _ = both.reset(seed=1)
    assert np.array_equal(observations["player_0"]["action_mask"], [1, 1])
    _, rewards, ends, _, _ = both.step({"player_0": 0, "player_1": 1})
    while both.agents:
        _, rewards, ends, _, _ = both.step({"player_0": 1, "player_1": 0})
    assert sum(rewards.values()) == 0 and all(ends.values())
