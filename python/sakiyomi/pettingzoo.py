"""Every game as an environment of PettingZoo: `aec(game)` lets players act one after the other, `parallel(game)` all at once.

Observations are dictionaries with `observation` and `action_mask`. Rewards come at the end of a match, from -1 to 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import MissingPackage, SpecError

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import AgentSelector, wrappers
except ImportError as error:
    raise MissingPackage("sakiyomi.pettingzoo needs pettingzoo: pip install pettingzoo") from error

if TYPE_CHECKING:
    from . import Game

__all__ = ["SakiyomiAEC", "SakiyomiParallel", "aec", "parallel"]

Observation = dict[str, NDArray[Any]]


def aec(game: str | Game, render_mode: str | None = None) -> Any:
    """A game whose players act one after the other, wrapped as PettingZoo's own classics are."""
    return wrappers.OrderEnforcingWrapper(SakiyomiAEC(game, render_mode))


def parallel(game: str | Game, render_mode: str | None = None) -> SakiyomiParallel:
    """A game whose players act at the same time."""
    return SakiyomiParallel(game, render_mode)


class _Match:
    """What both kinds of environment share: a position whose chance is drawn."""

    def __init__(self, game: str | Game) -> None:
        self.start = _native.Position(game)
        self.agents = [f"player_{i}" for i in range(self.start.players)]
        self.shape = self.start.observation_shape
        self.random, _ = seeding.np_random(None)
        self.position = self.start.copy()

    def spaces(self) -> tuple[dict[str, spaces.Space[Any]], dict[str, spaces.Space[Any]]]:
        n = self.start.n_actions
        # A game without observations shows a single 0.
        shape = self.shape if 0 not in self.shape else (1,)
        observation = spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, shape, np.float32),
                "action_mask": spaces.Box(0, 1, (n,), np.int8),
            }
        )
        return dict.fromkeys(self.agents, observation), {agent: spaces.Discrete(n) for agent in self.agents}

    def reset(self, seed: int | None) -> None:
        if seed is not None:
            self.random, _ = seeding.np_random(seed)
        self.position = self.start.copy()
        self.draw()

    def draw(self) -> None:
        while self.position.is_chance:
            probabilities = np.array([probability for _, probability in self.position.outcomes()])
            self.position.apply(int(self.random.choice(len(probabilities), p=probabilities / probabilities.sum())))

    def apply(self, *actions: int) -> None:
        self.position.apply(*actions)
        self.draw()

    def observe(self, player: int) -> Observation:
        seen = self.position.observation(player) if 0 not in self.shape else np.zeros(1, np.float32)
        return {"observation": seen, "action_mask": self.position.mask(player).astype(np.int8)}

    def rewards(self) -> dict[str, float]:
        payoffs = self.position.payoffs
        if payoffs is None:
            return dict.fromkeys(self.agents, 0.0)
        return {agent: 2.0 * payoff - 1.0 for agent, payoff in zip(self.agents, payoffs, strict=True)}

    def render(self, mode: str | None) -> str | None:
        return {"ansi": str(self.position), "svg": self.position.svg()}.get(mode or "")


class SakiyomiAEC(AECEnv):  # type: ignore[misc]
    """A game for learners that act in turn. Where several players choose at once they are asked in turn and played together."""

    metadata = {"render_modes": ["ansi", "svg"], "name": "sakiyomi_v0", "is_parallelizable": False}

    def __init__(self, game: str | Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self._match = _Match(game)
        self.possible_agents = self._match.agents[:]
        self._observations, self._actions = self._match.spaces()
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._match.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: list[int] = []
        self._select()

    def _select(self) -> None:
        turn = self._match.position.turn
        if turn:
            self.agent_selection = self.possible_agents[turn[len(self._chosen)]]

    def observe(self, agent: str) -> Observation:
        return self._match.observe(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise SpecError(f"{agent} has to choose an action")
        self._cumulative_rewards[agent] = 0.0
        player = self.possible_agents.index(agent)
        # What is not legal is refused now, not when the others have chosen.
        self._match.position.action_text(int(action), player)
        self._chosen.append(int(action))
        self._clear_rewards()
        if len(self._chosen) == len(self._match.position.turn):
            self._match.apply(*self._chosen)
            self._chosen = []
            self.rewards = self._match.rewards()
            if self._match.position.is_over:
                self.terminations = dict.fromkeys(self.agents, True)
                self.agent_selection = AgentSelector(self.agents).reset()
        self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        return self._match.render(self.render_mode)

    def close(self) -> None:
        pass


class SakiyomiParallel(ParallelEnv):  # type: ignore[misc]
    """A game for learners that act at the same time. One who has nothing to choose has an empty mask, and its action is
    not looked at."""

    metadata = {"render_modes": ["ansi", "svg"], "name": "sakiyomi_parallel_v0"}

    def __init__(self, game: str | Game, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self._match = _Match(game)
        self.possible_agents = self._match.agents[:]
        self.observation_spaces, self.action_spaces = self._match.spaces()
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def _observe(self) -> dict[str, Observation]:
        return {agent: self._match.observe(i) for i, agent in enumerate(self.possible_agents)}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self._match.reset(seed)
        self.agents = self.possible_agents[:]
        return self._observe(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        turn = self._match.position.turn
        missing = [self.possible_agents[i] for i in turn if self.possible_agents[i] not in actions]
        if missing:
            raise SpecError(f"no action of {', '.join(missing)}, who choose now")
        self._match.apply(*(int(actions[self.possible_agents[i]]) for i in turn))
        is_over = self._match.position.is_over
        everyone = self.agents
        if is_over:
            self.agents = []
        return (
            self._observe(),
            self._match.rewards(),
            dict.fromkeys(everyone, is_over),
            dict.fromkeys(everyone, False),
            {agent: {} for agent in everyone},
        )

    def render(self) -> str | None:
        return self._match.render(self.render_mode)

    def close(self) -> None:
        pass
