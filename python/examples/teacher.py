"""For teachers: a game in twenty lines of Python, searched by the tree search in Rust."""

# %% The rules: who takes the last match wins.
from sakiyomi import custom
from sakiyomi.custom import Over


class Nim:
    def players(self):
        return 2

    def start(self):
        return (7, 0)  # matches, who is to move

    def turn(self, state):
        matches, player = state
        return player if matches else Over([float(player == 1), float(player == 0)])

    def actions(self, state, player):
        return range(1, min(3, state[0]) + 1)

    def apply(self, state, actions):
        return (state[0] - actions[0], 1 - state[1])


# %% What does the search think, with more and more iterations?
for iterations in (10, 100, 1_000):
    advice = custom.advise(Nim(), (7, 0), f"uct:iterations={iterations}")
    shares = ", ".join(f"{action}: {share:.0%}" for action, share in sorted(advice.policy.items()))
    print(f"{iterations:>5} iterations: take {advice.action} ({shares})")

# %% A student's rule against the search.
result = custom.duel(Nim(), lambda state, player: state[0] % 4 or 1, "uct:iterations=200", games=20)
print(f"the rule wins {result.wins}, draws {result.draws} and loses {result.losses} of {result.games}")
