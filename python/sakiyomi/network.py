"""Search with a network: a callable that takes numpy arrays is the leaf evaluator of the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import NetworkError

if TYPE_CHECKING:
    from . import Game

__all__ = ["Network", "SelfPlayResult", "self_play"]

Network = Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[Any, Any]]
"""Takes observations (n, ..) and masks of legal actions (n, actions); returns priors (n, actions), from 0 on and not
necessarily normalised, and values from 0 to 1: (n,) for the player who observes, or (n, players)."""


@dataclass(frozen=True)
class SelfPlayResult:
    """One row per decision of the network, match after match."""

    observations: NDArray[np.float32]
    policies: NDArray[np.float32]
    """The share of visits of every action."""
    players: NDArray[np.int8]
    results: NDArray[np.float32]
    """What the player of the row got in the end, from 0 to 1."""
    values: NDArray[np.float32]
    """What the search expected."""
    matches: NDArray[np.int64]
    payoffs: NDArray[np.float32]
    """What every player of every match got: (matches, players)."""
    seats: NDArray[np.int8]
    """The seat of the network in every match, or -1 if it had all of them."""

    @property
    def score(self) -> float:
        """The mean payoff of the network over the matches in which it had one seat."""
        rows = self.seats >= 0
        if not rows.any():
            raise ValueError("the network played against itself; a score needs an opponent")
        return float(self.payoffs[rows, self.seats[rows]].mean())


def self_play(
    game: str | Game,
    network: Network,
    *,
    games: int,
    at_once: int = 64,
    simulations: int = 100,
    leaves: int = 1,
    c: float = 1.25,
    noise: tuple[float, float] | None = (1.0, 0.25),
    temperature: float = 1.0,
    temperature_moves: int = 10,
    seed: int = 1,
    opponent: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> SelfPlayResult:
    """Plays matches of a network by PUCT search, `at_once` of them at the same time.

    The leaves of all matches are gathered into one call of the network, `leaves` of each match. `noise` is the alpha of the
    Dirichlet noise in the root's priors and its share. In the first `temperature_moves` of a match actions are drawn in
    proportion to visits^(1 / temperature). With an `opponent` the network has one seat, in turn, and the agent all others.

    >>> def uniform(observations, masks):
    ...     return masks.astype("float32"), np.full(len(masks), 0.5)
    >>> result = self_play("tic-tac-toe", uniform, games=4, simulations=20)
    >>> result.payoffs.shape, result.policies.shape[1]
    ((4, 2), 9)
    """

    def checked(
        observations: NDArray[np.float32], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        answer = network(observations, masks)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise NetworkError(f"expected two arrays, priors and values, but the network returned {type(answer)}")
        priors = np.ascontiguousarray(answer[0], np.float32)
        values = np.ascontiguousarray(answer[1], np.float32)
        if priors.shape != masks.shape:
            raise NetworkError(f"priors of shape {priors.shape}; expected {masks.shape}")
        if values.shape[:1] != masks.shape[:1] or values.ndim > 2:
            raise NetworkError(f"values of shape {values.shape}; expected ({len(masks)},) or ({len(masks)}, players)")
        return priors, values

    arrays = _native.self_play(
        game,
        checked,
        games=games,
        at_once=at_once,
        simulations=simulations,
        leaves=leaves,
        c=c,
        noise=noise,
        temperature=temperature,
        temperature_moves=temperature_moves,
        seed=seed,
        opponent=opponent,
        progress=progress,
    )
    return SelfPlayResult(**arrays)
