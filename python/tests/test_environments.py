"""Vector environments of Gymnasium and TorchRL against single positions."""

import numpy as np
import pytest
import sakiyomi
from sakiyomi import SpecError

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
from sakiyomi.gymnasium import VectorEnv  # noqa: E402


def lowest(_observations, masks):
    """An opponent that always takes the first legal action."""
    return masks.argmax(axis=1)


def test_steps_are_those_of_single_matches():
    n = 16
    environments = VectorEnv("connect-four:5x4", n, opponent=lowest, seed=3)
    observations, info = environments.reset()
    assert observations.shape == (n, *environments.single_observation_space.shape)
    positions = [sakiyomi.Position("connect-four:5x4") for _ in range(n)]
    seats, matches = [0] * n, 0
    random = np.random.default_rng(1)
    for _ in range(60):
        actions = np.array([random.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        observations, rewards, ended, truncated, info = environments.step(actions)
        assert not truncated.any()
        for i in range(n):
            expected, over = 0.0, False
            for by_learner in (True, False):
                position = positions[i]
                position.apply(int(actions[i]) if by_learner else position.legal()[0])
                if position.is_over:
                    expected += 2 * position.payoffs[seats[i]] - 1
                    over, matches = True, matches + 1
                    positions[i] = sakiyomi.Position("connect-four:5x4")
                    # Whose action ended the match does not open the next one.
                    seats[i] = 1 if by_learner else 0
            assert rewards[i] == expected and ended[i] == over, i
            assert info["seat"][i] == seats[i]
            np.testing.assert_array_equal(info["action_mask"][i], positions[i].mask())
            np.testing.assert_array_equal(observations[i], positions[i].observation())
    assert matches > 40


def test_a_seed_repeats_and_arrays_are_kept():
    def play():
        environments = VectorEnv("othello", 8, seed=5)
        first, _ = environments.reset(seed=7)
        kept = first.copy()
        told = [environments.step(environments.random_actions())[0].sum() for _ in range(10)]
        np.testing.assert_array_equal(first, kept)
        return told

    assert play() == play()


def test_games_that_do_not_fit_are_refused():
    for game in ("hagetaka", "hagetaka:players=3", "gdl:sheet=sliding-eight"):
        with pytest.raises(SpecError):
            VectorEnv(game, 2)
    environments = VectorEnv("sangoku", 2)
    environments.reset()
    with pytest.raises(SpecError, match="several times"):
        for _ in range(5):
            environments.step(environments.random_actions())


def test_torchrl():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("torchrl", reason="torchrl is not installed")
    from sakiyomi.torchrl import BatchedEnv
    from tensordict.nn import TensorDictModule

    environments = BatchedEnv("connect-four:5x4", 8, opponent=lowest, seed=3)

    def draw(masks):
        return torch.multinomial(masks.to(torch.float32), 1).squeeze(-1)

    legal = TensorDictModule(draw, in_keys=["action_mask"], out_keys=["action"])
    rollout = environments.rollout(40, legal, break_when_any_done=False)
    assert rollout.shape == (8, 40)
    done = rollout["next", "done"]
    assert done.any() and set(rollout["next", "reward"][~done].tolist()) == {0.0}
    assert set(rollout["next", "reward"][done].tolist()) <= {-1.0, 0.0, 1.0}
    spec = environments.observation_spec
    assert spec.is_in(environments.reset().select("observation", "action_mask"))
