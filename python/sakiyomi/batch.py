"""Many environments at once, with numpy arrays in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native

if TYPE_CHECKING:
    from . import Game

__all__ = ["Batch"]


class Batch:
    """`n` environments of one game, stepped in Rust.

    A step takes one action per environment and fills the arrays below, always in the order of the environments. A match that
    has ended begins again in the same step. The arrays belong to the batch and are filled again by the next step: copy
    what is to be kept.

    - `observations`: (n, planes, rows, columns) or (n, length), as the choosing player sees the state
    - `masks`: (n, actions), whether an action is legal
    - `rewards`: (n, players), 0, and in the step that ends a match from -1 to 1
    - `ended`: (n,), whether a match ended in this step
    - `players`: (n,), who chooses now

    With `per_player`, the default where players choose at once, observations, masks and actions have a further axis for the
    players after the first one, and actions of players who do not choose are not looked at.

    >>> batch = Batch("connect-four", 4)
    >>> batch.observations.shape, batch.masks.shape, batch.rewards.shape
    ((4, 3, 6, 7), (4, 7), (4, 2))
    >>> _ = batch.step(np.array([0, 1, 2, 3]))
    >>> batch.players.tolist()
    [1, 1, 1, 1]
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    players: NDArray[np.int8]

    def __init__(
        self,
        game: str | Game,
        n: int,
        *,
        per_player: bool | None = None,
        observe: bool = True,
        threads: int | None = 1,
        seed: int = 1,
    ) -> None:
        """`threads` is the number of cores to use (None for all); without `observe` observations stay empty, which is faster."""
        position = _native.Position(game)
        if per_player is None:
            per_player = position.is_simultaneous
        self._batch = _native.Batch(game, n, per_player=per_player, threads=threads, seed=seed)
        self.n = n
        self.n_players = position.players
        self.n_actions = position.n_actions
        self.observation_shape = position.observation_shape
        self.per_player = per_player
        rows: tuple[int, ...] = (n, self.n_players) if per_player else (n,)
        self._rows = rows
        shape = (*rows, *self.observation_shape) if observe and 0 not in self.observation_shape else (0,)
        self.observations = np.zeros(shape, np.float32)
        self.masks = np.zeros((*rows, self.n_actions), np.bool_)
        self.rewards = np.zeros((n, self.n_players), np.float32)
        self.ended = np.zeros(n, np.bool_)
        self.players = np.zeros(n, np.int8)
        self.reset(seed)

    def __len__(self) -> int:
        return self.n

    def reset(self, seed: int = 1) -> Batch:
        """Starts all matches again. Returns the batch itself."""
        self._batch.reset(seed, self)
        return self

    def step(self, actions: NDArray[Any]) -> Batch:
        """Plays one action per environment (or per player). Returns the batch itself, with its arrays filled again.

        >>> Batch("tic-tac-toe", 2).step(np.array([4, 9]))
        Traceback (most recent call last):
        ...
        sakiyomi.errors.IllegalAction: environment 1: action 9 is not legal for player 0; legal: 0 1 2 3 4 5 6 7 8
        """
        self._batch.step(np.ascontiguousarray(actions, np.int64), self)
        return self

    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for every row, each with the same probability."""
        actions = np.zeros(self._rows, np.int64)
        self._batch.random_actions(actions)
        return actions
