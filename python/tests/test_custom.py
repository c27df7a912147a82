"""Games written in Python."""

import pytest
import sakiyomi
from sakiyomi import custom
from sakiyomi.custom import Chance, Over


class Nim:
    def players(self):
        return 2

    def start(self):
        return (7, 0)

    def turn(self, state):
        matches, player = state
        return player if matches else Over([float(player == 1), float(player == 0)])

    def actions(self, state, player):
        return range(1, min(3, state[0]) + 1)

    def apply(self, state, actions):
        return (state[0] - actions[0], 1 - state[1])


class Pennies(Nim):
    """Both show a side at once after chance has said who wants them equal."""

    def start(self):
        return ("toss",)

    def turn(self, state):
        if state == ("toss",):
            return Chance([("first", 0.75), ("second", 0.25)])
        if len(state) == 1:
            return (0, 1)
        first_wins = (state[1] == state[2]) == (state[0] == "first")
        return Over([float(first_wins), float(not first_wins)])

    def actions(self, state, player):
        return ["heads", "tails"]

    def apply(self, state, actions):
        return tuple(actions) if state == ("toss",) else (*state, *actions)


def test_the_search_finds_the_only_winning_move():
    for matches, best in [(7, 3), (6, 2), (5, 1), (3, 3)]:
        advice = custom.advise(Nim(), (matches, 0), "uct:iterations=1000")
        assert advice.action == best and advice.value > 0.6
        assert sum(advice.policy.values()) == pytest.approx(1) and advice.iterations == 1000


def test_duels():
    result = custom.duel(Nim(), "uct:iterations=100", "random", games=40, seed=2)
    assert result.games == 40 and result.score > 0.7 and result.score in result.interval
    again = custom.duel(Nim(), "uct:iterations=100", "random", games=40, seed=2)
    assert result == again
    perfect = custom.duel(Nim(), lambda state, player: state[0] % 4 or 1, "random", games=20)
    assert perfect.wins >= 17


def test_chance_and_players_at_once():
    payoffs, past = custom.play(Pennies(), ["exp3:iterations=50", "random"], seed=3)
    assert sum(payoffs) == 1 and past[0][0] in ("first", "second") and len(past[1]) == 2
    advice = custom.advise(Pennies(), ("first",), "rm:iterations=2000", player=0)
    assert advice.policy["heads"] == pytest.approx(0.5, abs=0.15)


def broken(method, act):
    class Broken(Nim):
        pass

    setattr(Broken, method, act)
    return Broken()


@pytest.mark.parametrize(
    ("game", "error", "text"),
    [
        (broken("actions", lambda self, state, player: 1 / 0), ZeroDivisionError, "division"),
        (broken("apply", lambda self, state, actions: {}["missing"]), KeyError, "missing"),
        (broken("actions", lambda self, state, player: []), sakiyomi.SpecError, "nothing for player 0"),
        (broken("turn", lambda self, state: 5 if state[0] < 7 else 0), sakiyomi.SpecError, "player 5"),
        (broken("turn", lambda self, state: Over([2.0, 0.0]) if state[0] < 7 else 0), sakiyomi.SpecError, "payoffs"),
        (broken("turn", lambda self, state: None if state[0] < 7 else 0), sakiyomi.SpecError, "expected a player"),
        (broken("apply", lambda self, state, actions: [1, 0]), TypeError, "unhashable"),
        (broken("players", lambda self: 0), sakiyomi.SpecError, "0; expected"),
    ],
)
def test_what_is_wrong_with_the_rules_is_raised(game, error, text):
    with pytest.raises(error, match=text):
        custom.advise(game, (7, 0), "uct:iterations=100")


def test_what_does_not_fit_is_refused():
    with pytest.raises(sakiyomi.SpecError, match="would do nothing"):
        custom.advise(Nim(), (7, 0), "uct:pruned")
    with pytest.raises(sakiyomi.SpecError, match="tree searches"):
        custom.advise(Nim(), (7, 0), "maxn:depth=3")
    with pytest.raises(sakiyomi.SpecError, match="does not choose"):
        custom.advise(Nim(), (7, 0), "random", player=1)
    with pytest.raises(sakiyomi.IllegalAction, match="chose 9"):
        custom.play(Nim(), [lambda state, player: 9, "random"])
