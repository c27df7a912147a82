"""Games written in Python, searched by the tree search in Rust: for teaching and for first drafts.

A game is an object with five methods. States are immutable values that can be compared and hashed (tuples, frozen
dataclasses, strings); so are actions.

    >>> class Nim:
    ...     "Who takes the last of seven matches wins; a turn takes one, two or three."
    ...     def players(self):
    ...         return 2
    ...     def start(self):
    ...         return (7, 0)
    ...     def turn(self, state):
    ...         matches, player = state
    ...         return player if matches else Over([float(player == 1), float(player == 0)])
    ...     def actions(self, state, player):
    ...         return range(1, min(3, state[0]) + 1)
    ...     def apply(self, state, actions):
    ...         return (state[0] - actions[0], 1 - state[1])
    >>> advise(Nim(), (7, 0), "uct:iterations=500").action
    3
    >>> duel(Nim(), "uct:iterations=200", "random", games=20).score > 0.7
    True

Every call of the rules passes through the interpreter, which is slower by orders of magnitude than rules in Rust: write the
game in Rust when it is to be measured.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from . import _native
from .errors import IllegalAction, SpecError
from .results import Interval

__all__ = ["Advice", "Chance", "CustomDuelResult", "CustomGame", "Over", "advise", "duel", "play"]


@dataclass(frozen=True)
class Over:
    """The match is over, and this is what every player gets, from 0 (worst) to 1 (best)."""

    payoffs: Sequence[float]


@dataclass(frozen=True)
class Chance:
    """Chance decides: outcomes with their probabilities. The outcome is handed to `apply` as the only action."""

    outcomes: Sequence[tuple[Any, float]]


class CustomGame(Protocol):
    """The rules of a game."""

    def players(self) -> int:
        """How many players there are."""

    def start(self) -> Any:
        """The first state."""

    def turn(self, state: Any) -> int | tuple[int, ...] | Over | Chance:
        """Who chooses now: a player from 0, a tuple of players who choose at once, or `Over`, or `Chance`."""

    def actions(self, state: Any, player: int) -> Iterable[Any]:
        """The legal actions of a choosing player: at least one, each once."""

    def apply(self, state: Any, actions: tuple[Any, ...]) -> Any:
        """The state after one action per choosing player, in player order, or after the outcome of chance."""


Agent = str | Callable[[Any, int], Any]
"""A specification of a tree search or `random`, or a function from a state and a player to an action."""


@dataclass(frozen=True)
class Advice:
    """What a search found."""

    action: Any
    value: float | None
    policy: dict[Any, float]
    iterations: int


def advise(game: CustomGame, state: Any, agent: str, player: int | None = None, *, seed: int = 1) -> Advice:
    """Asks a search what to play."""
    if player is None:
        turn = game.turn(state)
        if not isinstance(turn, int):
            raise SpecError(f"it is not one player's turn: {turn}; say which player is meant")
        player = turn
    action, value, policy, iterations = _native.CustomAgent(game, agent, seed).choose(state, player)
    return Advice(action, value, dict(policy), iterations)


class _Seated:
    """An agent for one match."""

    def __init__(self, game: CustomGame, agent: Agent, seed: int) -> None:
        self.function = agent if callable(agent) else None
        self.search = None if callable(agent) else _native.CustomAgent(game, agent, seed)

    def choose(self, game: CustomGame, state: Any, player: int) -> Any:
        if self.search is not None:
            return self.search.choose(state, player)[0]
        assert self.function is not None
        action = self.function(state, player)
        legal = list(game.actions(state, player))
        if action not in legal:
            raise IllegalAction(f"the function of player {player} chose {action!r}; legal: {legal}")
        return action

    def observe(self, before: Any, actions: tuple[Any, ...]) -> None:
        if self.search is not None:
            self.search.observe(before, list(actions))


def play(game: CustomGame, agents: Sequence[Agent], *, seed: int = 1) -> tuple[list[float], list[tuple[Any, ...]]]:
    """Plays one match, one agent per player. Returns what every player got, and what was played."""
    seated = [_Seated(game, agent, seed * 64 + i) for i, agent in enumerate(agents)]
    if len(seated) != game.players():
        raise SpecError(f"{len(seated)} agents for {game.players()} players")
    chance = random.Random(seed)
    state, past = game.start(), list[tuple[Any, ...]]()
    while not isinstance(turn := game.turn(state), Over):
        if isinstance(turn, Chance):
            outcomes = [outcome for outcome, _ in turn.outcomes]
            actions = tuple(chance.choices(outcomes, [probability for _, probability in turn.outcomes]))
        else:
            who = (turn,) if isinstance(turn, int) else tuple(sorted(turn))
            actions = tuple(seated[player].choose(game, state, player) for player in who)
        for agent in seated:
            agent.observe(state, actions)
        past.append(actions)
        state = game.apply(state, actions)
    return list(turn.payoffs), past


@dataclass(frozen=True)
class CustomDuelResult:
    """Two agents over many matches of a game in Python; everything counts for the first one."""

    wins: int
    draws: int
    losses: int
    score: float
    interval: Interval
    sign_test: float

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


def duel(game: CustomGame, first: Agent, second: Agent, *, games: int = 100, seed: int = 1) -> CustomDuelResult:
    """Plays two agents against each other; the first takes each seat in turn, the second all others."""
    n_players = game.players()
    if n_players < 2 or games < 1:
        raise SpecError("a duel needs at least 2 players and 1 game")
    counts = [0, 0, 0]
    for number in range(games):
        seat = number % n_players
        agents = [first if player == seat else second for player in range(n_players)]
        payoffs, _ = play(game, agents, seed=seed * 1_000_003 + number)
        best = max(payoff for player, payoff in enumerate(payoffs) if player != seat)
        counts[0 if payoffs[seat] > best else 1 if payoffs[seat] == best else 2] += 1
    wins, draws, losses = counts
    said = json.loads(_native.tally(wins, draws, losses))
    return CustomDuelResult(wins, draws, losses, said["score"], Interval(*said["interval"]), said["sign_test"])
