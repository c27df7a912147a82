"""A game of two as a vector environment of Gymnasium: many matches at once against an opponent.

    >>> environments = VectorEnv("connect-four", 4, seed=1)
    >>> observations, info = environments.reset()
    >>> observations.shape, info["action_mask"].shape
    ((4, 3, 6, 7), (4, 7))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .batch import Batch
from .errors import MissingPackage, SpecError

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise MissingPackage("sakiyomi.gymnasium needs gymnasium: pip install gymnasium") from error

if TYPE_CHECKING:
    from . import Game

__all__ = ["Opponent", "VectorEnv"]

Opponent = Callable[[NDArray[np.float32], NDArray[np.bool_]], NDArray[Any]]
"""Observations and masks of all environments in, one legal action for each out. All arrays belong to the batch."""

Info = dict[str, Any]


class VectorEnv(gymnasium.vector.VectorEnv):
    """`n` matches of a game of two that act in turn, one action each.

    A step plays the learner's actions and then the opponent's. A match that ends begins again in the same step
    (`AutoresetMode.SAME_STEP`): rewards and `terminations` are of the old match, observations of the new one. The learner's
    seat changes by itself: where its own action ended a match, the opponent opens the next one. Rewards are 0 during a match
    and from -1 to 1 at its end. `info["action_mask"]` has the legal actions, `info["seat"]` the learner's seats.

    The opponent is a callable, or draws legal actions if there is none. Without `copy` arrays are filled again by the next
    step.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Game,
        n: int,
        *,
        opponent: Opponent | None = None,
        seed: int = 1,
        threads: int | None = 1,
        copy: bool = True,
    ) -> None:
        self._batch = Batch(game, n, seed=seed, threads=threads)
        if self._batch.per_player or self._batch.n_players != 2:
            raise SpecError(f"{game}: a vector environment needs two players who act in turn; sakiyomi.Batch has all games")
        if 0 in self._batch.observation_shape:
            raise SpecError(f"{game} has no observations")
        self._opponent, self._seed, self._copy = opponent, seed, copy
        self.num_envs, self.n_actions = n, self._batch.n_actions
        self.observation_shape = shape = self._batch.observation_shape
        self.single_observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.single_action_space = spaces.Discrete(self.n_actions)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._rows = np.arange(n)
        self._seats = self._batch.players.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Starts all matches again; the learner opens them."""
        self._seed = self._seed if seed is None else seed
        self._batch.reset(self._seed)
        self._seats = self._batch.players.copy()
        return self._observations(), self._info()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Plays one action of the learner in each match, and the opponent's answers."""
        batch, seats = self._batch, self._seats
        batch.step(actions)
        rewards = batch.rewards[self._rows, seats].astype(np.float64)
        ended = batch.ended.copy()
        # Where the match has ended the opponent opens the next one, and the learner has the other seat from now on.
        seats = np.where(ended, 1 - batch.players, seats)
        if np.any(batch.players == seats):
            raise SpecError("players of this game act several times in a row; sakiyomi.Batch has such games")
        batch.step(self._answers())
        rewards += batch.rewards[self._rows, seats]
        again = batch.ended
        seats = np.where(again, batch.players, seats)
        ended |= again
        if np.any(batch.players != seats):
            raise SpecError("players of this game act several times in a row; sakiyomi.Batch has such games")
        self._seats = seats
        return self._observations(), rewards, ended, np.zeros(self.num_envs, np.bool_), self._info()

    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for every match, each with the same probability."""
        return self._batch.random_actions()

    def _answers(self) -> NDArray[Any]:
        if self._opponent is None:
            return self._batch.random_actions()
        return self._opponent(self._batch.observations, self._batch.masks)

    def _observations(self) -> NDArray[np.float32]:
        return self._batch.observations.copy() if self._copy else self._batch.observations

    def _info(self) -> Info:
        masks = self._batch.masks
        return {"action_mask": masks.copy() if self._copy else masks, "seat": self._seats.copy()}
