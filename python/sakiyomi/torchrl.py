"""A game of two as a batched environment of TorchRL: many matches at once, stepped in Rust.

    environments = BatchedEnv("connect-four", 256)
    rollout = environments.rollout(100, policy, break_when_any_done=False)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import MissingPackage
from .gymnasium import Opponent, VectorEnv

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise MissingPackage("sakiyomi.torchrl needs torchrl: pip install torchrl") from error

if TYPE_CHECKING:
    from . import Game

__all__ = ["BatchedEnv"]


class BatchedEnv(EnvBase):  # type: ignore[misc]
    """The matches of `sakiyomi.gymnasium.VectorEnv`, with `observation` and `action_mask` as TorchRL names them.

    A match that ends begins again in the same step, so `done` tells of the old match and the next observation is of the new
    one; resetting single matches therefore changes nothing.
    """

    def __init__(self, game: str | Game, n: int, *, opponent: Opponent | None = None, seed: int = 1) -> None:
        super().__init__(batch_size=torch.Size([n]))
        self._environments = VectorEnv(game, n, opponent=opponent, seed=seed)
        shape, actions = self._environments.observation_shape, self._environments.n_actions
        self.observation_spec = Composite(
            observation=Unbounded((n, *shape), dtype=torch.float32),
            action_mask=Binary(n=actions, shape=(n, actions), dtype=torch.bool),
            shape=(n,),
        )
        self.action_spec = Categorical(actions, shape=(n,), dtype=torch.int64)
        self.reward_spec = Unbounded((n, 1), dtype=torch.float32)
        self._seed = seed
        self._is_started = False

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        partial = tensordict is not None and "_reset" in tensordict.keys()
        if not (partial and self._is_started):
            observations, info = self._environments.reset(seed=self._seed)
            self._is_started = True
            self._last = self._seen(observations, info)
        return self._last.clone()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = tensordict["action"].cpu().numpy()
        observations, rewards, ended, _, info = self._environments.step(actions)
        self._last = self._seen(observations, info)
        done = torch.from_numpy(ended)[:, None]
        told = self._last.clone()
        told.update(
            {
                "reward": torch.from_numpy(rewards.astype(np.float32))[:, None],
                "done": done.clone(),
                "terminated": done,
            }
        )
        return told

    def _seen(self, observations: Any, info: dict[str, Any]) -> TensorDictBase:
        arrays = {
            "observation": torch.from_numpy(observations),
            "action_mask": torch.from_numpy(info["action_mask"]),
        }
        return TensorDict(arrays, batch_size=self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        self._seed = 1 if seed is None else seed
        self._is_started = False
