"""Games as Python games of OpenSpiel, so that its algorithms run on them: `game("hagetaka:n=4")`.

Utilities are from -1 to 1 (twice the payoff, minus 1). All games here are games of perfect information: what a player knows
is the state. Players who choose at once make a simultaneous game; `turn_based(game)` is what algorithms for extensive games,
such as exploitability, want.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from .errors import MissingPackage

try:
    import numpy as np
    import pyspiel
except ImportError as error:
    raise MissingPackage("sakiyomi.open_spiel needs OpenSpiel: pip install open_spiel") from error

if TYPE_CHECKING:
    from . import Game

__all__ = ["OpenSpielGame", "OpenSpielState", "game", "turn_based"]

MAX_GAME_LENGTH = 1_000
"""What OpenSpiel is told of the length of games whose longest match is not known."""


def game(spec: str | Game, max_game_length: int = MAX_GAME_LENGTH) -> OpenSpielGame:
    """The game as OpenSpiel sees it."""
    return OpenSpielGame(str(spec), max_game_length)


def turn_based(spec: str | Game, max_game_length: int = MAX_GAME_LENGTH) -> Any:
    """The game as OpenSpiel sees it, with players who choose at once choosing one after the other, unseen."""
    own = game(spec, max_game_length)
    is_simultaneous = own.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(own) if is_simultaneous else own


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    def __init__(self, spec: str, max_game_length: int) -> None:
        self.start = start = _native.Position(spec)
        kinds = pyspiel.GameType
        sequential, simultaneous = kinds.Dynamics.SEQUENTIAL, kinds.Dynamics.SIMULTANEOUS
        chance = _has_chance(start)
        kind = pyspiel.GameType(
            short_name="sakiyomi",
            long_name=f"Sakiyomi {spec}",
            dynamics=simultaneous if start.is_simultaneous else sequential,
            chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if chance else kinds.ChanceMode.DETERMINISTIC,
            information=kinds.Information.PERFECT_INFORMATION,
            utility=kinds.Utility.ZERO_SUM if start.is_constant_sum else kinds.Utility.GENERAL_SUM,
            reward_model=kinds.RewardModel.TERMINAL,
            max_num_players=start.players,
            min_num_players=start.players,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=0 not in start.observation_shape,
            parameter_specification={},
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=start.n_actions,
            max_chance_outcomes=chance,
            num_players=start.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if start.is_constant_sum else None,
            max_game_length=max_game_length,
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> OpenSpielState:
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self, params)


def _has_chance(start: _native.Position) -> int:
    """How many outcomes chance has at first, or 0 if the first state is not chance's."""
    return len(start.outcomes())


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    def __init__(self, own: OpenSpielGame) -> None:
        super().__init__(own)
        self.position = own.start.copy()

    def current_player(self) -> Any:
        if self.position.is_over:
            return pyspiel.PlayerId.TERMINAL
        if self.position.is_chance:
            return pyspiel.PlayerId.CHANCE
        turn = self.position.turn
        return turn[0] if len(turn) == 1 else pyspiel.PlayerId.SIMULTANEOUS

    def _legal_actions(self, player: int) -> list[int]:
        legal = self.position.legal(player)
        # At a simultaneous state OpenSpiel wants an action of everyone: who has nothing to choose passes.
        return legal or [0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(i, probability) for i, (_, probability) in enumerate(self.position.outcomes())]

    def _apply_action(self, action: int) -> None:
        self.position.apply(action)

    def _apply_actions(self, actions: list[int]) -> None:
        self.position.apply(*(actions[player] for player in self.position.turn))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.position.outcomes()[action][0]
        if player not in self.position.turn:
            return "pass"
        return self.position.action_text(action, player)

    def is_terminal(self) -> bool:
        return self.position.is_over

    def returns(self) -> list[float]:
        payoffs = self.position.payoffs
        if payoffs is None:
            return [0.0] * self.position.players
        return [2.0 * payoff - 1.0 for payoff in payoffs]

    def rewards(self) -> list[float]:
        return self.returns()

    def information_state_string(self, player: int = 0) -> str:
        return self.position.key()

    def observation_string(self, player: int = 0) -> str:
        return self.position.key()

    def __str__(self) -> str:
        return self.position.key()

    def __deepcopy__(self, memo: object) -> OpenSpielState:
        return self.clone()  # type: ignore[no-any-return]


class _Observer:
    """What OpenSpiel's learners read: the observation as one vector."""

    def __init__(self, own: OpenSpielGame, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        self.shape = own.start.observation_shape
        self.tensor = np.zeros(int(np.prod(self.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(self.shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        if 0 not in self.shape:
            self.tensor[:] = state.position.observation(player).ravel()

    def string_from(self, state: OpenSpielState, player: int) -> str:
        return state.position.key()
