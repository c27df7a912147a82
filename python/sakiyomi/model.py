"""The network that `sakiyomi train` teaches: its layers, how the search asks it, one step of teaching, and its file in ONNX.

It needs PyTorch.
"""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .onnx_file import OnnxGraph

__all__ = ["Evaluator", "Net", "Student", "save_onnx"]

CHANNELS_OF_POLICY = 8
MOST_POLICY_NUMBERS = 200_000
"""Numbers of the last layer of the policy; with many actions it gets fewer channels."""


class _Convolution(nn.Module):
    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.convolution: nn.Module = nn.Conv2d(n_in, n_out, 3, padding=1, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(n_out)

    def forward(self, x: Any) -> Any:
        return self.norm(self.convolution(x))

    def fuse(self) -> None:
        """One layer instead of two, which says the same once nothing is learned any more."""
        self.convolution, self.norm = fuse_conv_bn_eval(self.convolution, self.norm), nn.Identity()


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = _Convolution(width, width), _Convolution(width, width)

    def forward(self, x: Any) -> Any:
        return functional.relu(x + self.second(functional.relu(self.first(x))))


class _PolicyByCell(nn.Module):
    """Logits of actions that belong to cells, each from what is known of its cell alone; of the others, from all of the board."""

    def __init__(self, width: int, n_cells: int, cells: Sequence[int | None]) -> None:
        super().__init__()
        of_cell = [0] * n_cells
        planes = max(cells.count(cell) for cell in range(n_cells))
        numbers, n_others = [], 0
        for cell in cells:
            if cell is None:
                numbers.append(planes * n_cells + n_others)
                n_others += 1
            else:
                numbers.append(of_cell[cell] * n_cells + cell)
                of_cell[cell] += 1
        self.of_cells = nn.Sequential(nn.Conv2d(width, planes, 1), nn.Flatten())
        self.of_others = nn.Sequential(nn.Conv2d(width, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(2 * n_cells, max(1, n_others)))
        self.register_buffer("numbers", torch.tensor(numbers), persistent=False)

    def forward(self, x: Any) -> Any:
        return torch.cat([self.of_cells(x), self.of_others(x)], 1)[:, self.numbers]


class Net(nn.Module):
    """Observations in; logits of all actions, and the logit of what the player who observes gets, out. With `of_first` it is
    the logit of what the first of two players gets. `cells` are those that actions belong to, if they belong to cells.

    Boards go through residual blocks of convolutions, facts without a board through layers that are connected in full.
    """

    def __init__(
        self, shape: Sequence[int], n_actions: int, width: int, blocks: int, of_first: bool = False, cells: Sequence[int | None] = ()
    ) -> None:
        super().__init__()
        self.of_first = of_first
        self.is_board = len(shape) == 3
        if self.is_board:
            planes, rows, columns = shape
            n_cells = rows * columns
            channels = max(1, min(CHANNELS_OF_POLICY, MOST_POLICY_NUMBERS // (n_cells * n_actions)))
            start = [_Convolution(planes, width), nn.ReLU(), *(_Residual(width) for _ in range(blocks))]
            policy = [nn.Conv2d(width, channels, 1), nn.ReLU(), nn.Flatten(), nn.Linear(channels * n_cells, n_actions)]
            if cells:
                policy = [_PolicyByCell(width, n_cells, cells)]
            value = [nn.Conv2d(width, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * n_cells, 64)]
        else:
            wide = 4 * width
            start = [nn.Flatten(), nn.Linear(int(np.prod(shape)), wide), nn.ReLU()]
            for _ in range(blocks):
                start += [nn.Linear(wide, wide), nn.LayerNorm(wide), nn.ReLU()]
            policy, value = [nn.Linear(wide, n_actions)], [nn.Linear(wide, 64)]
        self.trunk, self.policy = nn.Sequential(*start), nn.Sequential(*policy)
        self.value = nn.Sequential(*value, nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x: Any) -> tuple[Any, Any]:
        x = self.trunk(x)
        return self.policy(x), self.value(x).squeeze(1)


def _for_play(net: Net) -> Any:
    """A copy that only answers."""
    played = copy.deepcopy(net).eval()
    for module in played.modules():
        if isinstance(module, _Convolution):
            module.fuse()
    return played


def _of_processor() -> Any:
    """The numbers that this processor multiplies fastest: half as long where it has instructions for that."""
    known: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return torch.bfloat16 if known.get("avx512_bf16") or known.get("amx_bf16") else torch.float32


class Evaluator:
    """The network as the search calls it: numpy in, numpy out. It works with half precision where that is faster, and on a
    graphics card with one size of batch, which is recorded once."""

    def __init__(self, net: Net, rows: int) -> None:
        self.device = next(net.parameters()).device
        self.net = _for_play(net)
        self.seconds = 0.0
        """Wall time inside the network."""
        self.rows = 0
        """Rows that it was asked about."""
        self._recorded: Any = None
        if self.device.type == "cuda":
            self.net = self.net.half().to(memory_format=torch.channels_last)
            self._size = rows
        else:
            self.net = self.net.to(_of_processor(), memory_format=torch.channels_last)

    def __call__(self, observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[Any, Any]:
        start = perf_counter()
        with torch.inference_mode():
            answer = self._on_card(observations, masks) if self.device.type == "cuda" else self._here(observations, masks)
        self.seconds += perf_counter() - start
        self.rows += len(masks)
        return answer

    def _here(self, observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[Any, Any]:
        priors, values = self._answer(torch.from_numpy(observations).to(_of_processor()), torch.from_numpy(masks))
        return priors.numpy(), values.numpy()

    def _answer(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        logits, values = self.net(observations)
        priors = logits.float().masked_fill(~masks, -torch.inf).softmax(1)
        values = values.float().sigmoid()
        return priors, torch.stack([values, 1 - values], 1) if self.net.of_first else values

    def _on_card(self, observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[Any, Any]:
        n = len(masks)
        if self._recorded is None or n > self._size:
            self._record(max(n, self._size), observations.shape[1:], masks.shape[1])
        # On the card they become half as long; on the way there that would take the processor's time.
        self._input[:n].copy_(torch.from_numpy(observations).to(self.device))
        self._legal[:n].copy_(torch.from_numpy(masks).to(self.device))
        self._recorded.replay()
        priors, values = self._output
        return priors[:n].cpu().numpy(), values[:n].cpu().numpy()

    def _record(self, size: int, shape: Sequence[int], n_actions: int) -> None:
        """Records the work for batches of this size, so that it starts at once instead of layer by layer."""
        self._size = size
        self._input = torch.zeros((size, *shape), device=self.device, dtype=torch.half)
        if len(shape) == 3:
            self._input = self._input.to(memory_format=torch.channels_last)
        self._legal = torch.ones((size, n_actions), device=self.device, dtype=torch.bool)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._answer(self._input, self._legal)
        torch.cuda.current_stream().wait_stream(stream)
        self._recorded = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._recorded):
            self._output = self._answer(self._input, self._legal)


class Student:
    """A network that learns, with all that a checkpoint needs."""

    def __init__(self, net: Net, rate: float, symmetries: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> None:
        self.net = net
        self.device = next(net.parameters()).device
        self.rate = rate
        self.optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
        self.symmetries = [tuple(torch.from_numpy(part).to(self.device) for part in pair) for pair in symmetries]

    def learn(
        self, examples: Sequence[tuple[Any, Any, Any]], steps: int, batch: int, rate: float, rng: np.random.Generator
    ) -> tuple[float, float]:
        """Fits policies and results of examples: observations, policies and results of several generations. Returns the mean
        losses of policy and value."""
        observations, policies, results = (
            torch.cat([torch.from_numpy(part).to(self.device) for part in parts]) for parts in zip(*examples, strict=True)
        )
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.net.train()
        losses = torch.zeros(2, device=self.device)
        for _ in range(steps):
            rows = torch.from_numpy(rng.integers(len(results), size=batch)).to(self.device)
            x, policy, result = observations[rows].float(), policies[rows].float(), results[rows]
            if self.symmetries and (image := int(rng.integers(1 + len(self.symmetries)))) > 0:
                numbers, actions = self.symmetries[image - 1]
                x = x.flatten(1)[:, numbers].reshape(x.shape)
                policy = policy[:, actions]
            with self._half_precision():
                logits, value = self.net(x)
            of_policy = -(policy * logits.float().log_softmax(1)).sum(1).mean()
            of_value = functional.binary_cross_entropy_with_logits(value.float(), result)
            self.optimiser.zero_grad()
            (of_policy + of_value).backward()
            self.optimiser.step()
            losses += torch.stack([of_policy.detach(), of_value.detach()])
        of_policy, of_value = (losses / max(1, steps)).tolist()
        return of_policy, of_value

    def _half_precision(self) -> Any:
        if self.device.type == "cuda":
            return torch.autocast("cuda", torch.bfloat16)
        return contextlib.nullcontext()

    def state(self) -> dict[str, Any]:
        return {"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict()}

    def load(self, state: dict[str, Any]) -> None:
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` when all of it is on the disk: a file is the old or the new one,
    and never half of it."""
    new = path.with_name(f"{path.name}.new")
    yield new
    with new.open("rb") as written:
        os.fsync(written.fileno())
    new.replace(path)


def save_onnx(net: Net, shape: Sequence[int], n_actions: int, path: Path) -> None:
    """Writes the file that `net:file=..` plays with: observations in, logits and values from 0 to 1 out, which are one for
    the player who observes, or one for each player."""
    shape = shape if len(shape) == 3 else (1, 1, *shape)
    played = _for_play(net).cpu().float()
    outputs: list[tuple[str, list[int | str]]] = [("policy", ["n", n_actions]), ("value", ["n", 1 + int(net.of_first)])]
    graph = OnnxGraph([("observations", ["n", *shape])], outputs)
    trunk = _add(graph, played.trunk, "observations")
    _add(graph, played.policy, trunk, "policy")
    value = _add(graph, played.value, trunk)
    if net.of_first:
        # The logits of what is left are the same below zero.
        value = graph.add("Gemm", [value, graph.weights(np.array([[1.0], [-1.0]]))], transB=1)
    graph.add("Sigmoid", [value], "value")
    with replaced(path) as new:
        new.write_bytes(graph.model())


def _add(graph: OnnxGraph, layer: Any, x: str, output: str | None = None) -> str:
    """Adds a layer, and returns what it puts out."""
    if isinstance(layer, nn.Sequential):
        *others, last = layer
        for each in others:
            x = _add(graph, each, x)
        return _add(graph, last, x, output)
    if isinstance(layer, _Residual):
        inside = graph.add("Relu", [_add(graph, layer.first, x)])
        return graph.add("Relu", [graph.add("Add", [x, _add(graph, layer.second, inside)])], output)
    if isinstance(layer, _PolicyByCell):
        both = graph.add("Concat", [_add(graph, layer.of_cells, x), _add(graph, layer.of_others, x)], axis=1)
        return graph.add("Gather", [both, graph.weights(layer.numbers.numpy())], output, axis=1)
    if isinstance(layer, _Convolution):
        return _add(graph, layer.convolution, x, output)
    if isinstance(layer, (nn.Conv2d, nn.Linear, nn.LayerNorm)):
        inputs = [x, *(graph.weights(part.detach().numpy()) for part in (layer.weight, layer.bias))]
        if isinstance(layer, nn.Conv2d):
            size = layer.kernel_size[0]
            return graph.add("Conv", inputs, output, kernel_shape=[size, size], pads=4 * [size // 2])
        if isinstance(layer, nn.Linear):
            return graph.add("Gemm", inputs, output, transB=1)
        return graph.add("LayerNormalization", inputs, output, axis=-1, epsilon=layer.eps)
    operator = {nn.ReLU: "Relu", nn.Flatten: "Flatten"}[type(layer)]
    return graph.add(operator, [x], output)
