"""Batches of environments, and search with a network."""

import numpy as np
import pytest
import sakiyomi


@pytest.mark.parametrize("game", ["connect-four", "othello", "goofspiel:n=5", "tubstap", "sangoku", "gdl:sheet=tic-tac-toe"])
def test_a_batch_plays_like_positions(game):
    """Every environment shows what a position shows that the same actions were applied to."""
    batch = sakiyomi.Batch(game, 5, seed=3)
    simultaneous = batch.per_player
    assert not simultaneous or game.startswith("goofspiel")
    if simultaneous:
        assert batch.masks.shape == (5, 2, batch.n_actions)
    ended = 0
    positions = None if simultaneous else [sakiyomi.Game(game).position() for _ in range(5)]
    # Chance is drawn inside the batch, so only games without it can be followed from outside.
    if positions is not None and any(position.is_chance for position in positions):
        positions = None
    for _ in range(120):
        actions = batch.random_actions()
        assert np.take_along_axis(batch.masks, actions[..., None], -1).all() or simultaneous
        batch.step(actions)
        ended += batch.ended.sum()
        assert (batch.rewards[~batch.ended] == 0).all()
        for i, position in enumerate(positions or []):
            position.apply(int(actions[i]))
            if position.is_over:
                assert batch.ended[i]
                assert batch.rewards[i] == pytest.approx([2 * payoff - 1 for payoff in position.payoffs])
                positions[i] = position = sakiyomi.Game(game).position()
            if position.is_chance:
                return
            assert not batch.ended[i] or position == sakiyomi.Game(game).position()
            assert batch.players[i] == position.turn[0]
            assert (batch.masks[i] == position.mask()).all()
            if batch.observations.size:
                assert (batch.observations[i] == position.observation()).all()
    assert ended > 0 or game in ("tubstap", "sangoku")


def test_threads_change_nothing():
    batches = [sakiyomi.Batch("connect-four", 64, threads=n, seed=9) for n in (1, 2)]
    for _ in range(100):
        actions = [batch.step(batch.random_actions()) for batch in batches]
        one, two = actions
        assert (one.observations == two.observations).all() and (one.masks == two.masks).all()
        assert (one.rewards == two.rewards).all() and (one.players == two.players).all()


def test_wrong_actions_change_nothing():
    batch = sakiyomi.Batch("tic-tac-toe", 3)
    with pytest.raises(sakiyomi.IllegalAction, match="environment 2"):
        batch.step(np.array([0, 0, 9]))
    with pytest.raises(sakiyomi.SpecError, match="expected 3"):
        batch.step(np.array([0, 0]))
    batch.step([0, 0, 0])
    assert (batch.players == 1).all()
    with pytest.raises(sakiyomi.SpecError, match="per_player"):
        sakiyomi.Batch("goofspiel:n=3", 2, per_player=False)
    with pytest.raises(sakiyomi.SpecError, match="0 environments"):
        sakiyomi.Batch("tic-tac-toe", 0)
    batch.rewards = np.zeros((3, 4), np.float32)
    with pytest.raises(sakiyomi.SpecError, match="rewards: 12"):
        batch.step([1, 1, 1])


def uniform(observations, masks):
    return np.ones(masks.shape), np.full(len(masks), 0.5)


def test_self_play_is_gathered_and_repeatable():
    sizes = []

    def network(observations, masks):
        assert observations.shape == (len(masks), 3, 4, 5) and masks.shape[1] == 5 and masks.any(1).all()
        sizes.append(len(masks))
        return uniform(observations, masks)

    def play(at_once):
        return sakiyomi.self_play("connect-four:5x4", network, games=8, at_once=at_once, simulations=16, seed=2)

    one, many = play(1), play(8)
    assert max(sizes) == 8
    for name in ("observations", "policies", "results", "matches", "payoffs"):
        assert (getattr(one, name) == getattr(many, name)).all(), name
    assert one.policies.sum(1) == pytest.approx(np.ones(len(one.policies)))
    assert set(np.unique(one.results)) <= {0.0, 0.5, 1.0}
    with pytest.raises(ValueError, match="opponent"):
        _ = one.score


@pytest.mark.parametrize(("sheet", "shape", "n_actions"), [("tic-tac-toe", (4, 3, 3), 10), ("pig", (229,), 3)])
def test_rule_sheets_have_numbers(sheet, shape, n_actions):
    """An action of a rule sheet has the same number in every position; without a board all facts are observed."""
    game = f"gdl:sheet={sheet}"
    position = sakiyomi.Game(game).position()
    assert not position.is_ranked
    assert (position.observation_shape, position.n_actions) == (shape, n_actions)
    played = sakiyomi.self_play(game, lambda o, m: (np.ones(m.shape), np.full((len(m), position.players), 0.5)), games=4, simulations=8)
    assert played.policies.shape[1] == position.n_actions
    assert played.observations.shape[1:] == position.observation_shape
    assert np.isfinite(played.observations).all() and played.observations.any()


def test_a_network_has_opponents():
    told = []
    result = sakiyomi.self_play(
        "tic-tac-toe", uniform, games=20, simulations=200, noise=None, temperature_moves=0, opponent="random", progress=told.append
    )
    assert result.score > 0.7 and result.seats.tolist() == [0, 1] * 10
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("network", "text"),
    [
        (lambda o, m: (np.ones((len(m), 3)), np.zeros(len(m))), "priors of shape"),
        (lambda o, m: (np.ones(m.shape), np.zeros(len(m) + 1)), "values of shape"),
        (lambda o, m: (np.ones(m.shape), np.full(len(m), np.nan)), "value is NaN"),
        (lambda o, m: (np.full(m.shape, np.nan), np.zeros(len(m))), "prior is NaN"),
        (lambda o, m: (np.zeros(m.shape), np.zeros(len(m))), "add up to 0"),
        (lambda o, m: np.ones(m.shape), "two arrays"),
    ],
)
def test_answers_that_cannot_be_used(network, text):
    with pytest.raises(sakiyomi.NetworkError, match=text):
        sakiyomi.self_play("tic-tac-toe", network, games=2, simulations=10)


def test_exceptions_of_a_network_come_through():
    def broken(observations, masks):
        raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError, match="broken"):
        sakiyomi.self_play("tic-tac-toe", broken, games=4, simulations=10)
    with pytest.raises(sakiyomi.SpecError, match="at_once"):
        sakiyomi.self_play("tic-tac-toe", uniform, games=4, at_once=0)
    # Rules that are interpreted do not know all of their moves.
    with pytest.raises(sakiyomi.SpecError, match="no observations"):
        sakiyomi.self_play("gdl:sheet=connect-five,memory=100KB", uniform, games=1)


def test_networks_in_files_say_what_is_wrong(tmp_path):
    table = sakiyomi.Table("tic-tac-toe")
    with pytest.raises(sakiyomi.SpecError, match="No such file"):
        table.advise(f"net:file={tmp_path / 'none.onnx'}")
    (tmp_path / "text.onnx").write_text("no network")
    with pytest.raises(sakiyomi.SpecError, match="no network in ONNX"):
        table.advise(f"net:file={tmp_path / 'text.onnx'}")
    with pytest.raises(sakiyomi.SpecError, match="none comes with the program"):
        table.advise("net:iterations=10")
    assert table.advise("puct:iterations=300").action == "b2"
