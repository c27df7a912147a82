"""AlphaZero in a page: self-play, training, and a curve against plain UCT.

    pip install torch
    python alphazero.py --game connect-four --minutes 20

The search runs in Rust, over many matches at once, and asks the network about all of their leaves together.
"""

import argparse
import time

import numpy as np
import sakiyomi
import torch
from torch import nn
from torch.nn import functional


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x):
        return functional.relu(x + self.body(x))


class Net(nn.Module):
    """Planes in; logits of all actions and the expected payoff of who is to move out."""

    def __init__(self, shape, n_actions, width=48, blocks=3):
        super().__init__()
        planes, rows, columns = shape
        self.stem = nn.Sequential(
            nn.Conv2d(planes, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            *(Residual(width) for _ in range(blocks)),
        )
        self.policy = nn.Sequential(nn.Conv2d(width, 8, 1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * rows * columns, n_actions))
        self.value = nn.Sequential(
            nn.Conv2d(width, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * rows * columns, 64), nn.ReLU(), nn.Linear(64, 1)
        )

    def forward(self, x):
        x = self.stem(x)
        return self.policy(x), self.value(x).squeeze(1)


class Evaluator:
    """The network as the search calls it: numpy in, numpy out. It measures how long it takes."""

    def __init__(self, net):
        self.net, self.seconds = net.eval(), 0.0

    def __call__(self, observations, masks):
        start = time.perf_counter()
        with torch.inference_mode():
            logits, value = self.net(torch.from_numpy(observations))
            priors = logits.masked_fill(~torch.from_numpy(masks), -torch.inf).softmax(1)
            answer = priors.numpy(), value.sigmoid().numpy()
        self.seconds += time.perf_counter() - start
        return answer


def train(net, optimiser, memory, steps, batch_size, rng):
    """Fits policies and results of what was played last."""
    observations, policies, results = (np.concatenate(part) for part in zip(*memory, strict=True))
    net.train()
    losses = []
    for _ in range(steps):
        rows = rng.integers(len(observations), size=batch_size)
        x = torch.from_numpy(observations[rows])
        wanted, result = torch.from_numpy(policies[rows]), torch.from_numpy(results[rows])
        logits, value = net(x)
        loss = -(wanted * logits.log_softmax(1)).sum(1).mean() + functional.binary_cross_entropy_with_logits(value, result)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return float(np.mean(losses))


def score(game, net, simulations, games, seed):
    """The mean payoff of the network against UCT with as many iterations."""
    played = sakiyomi.self_play(
        game, Evaluator(net), games=games, at_once=games, simulations=simulations, noise=None,
        temperature_moves=2, seed=seed, opponent=f"uct:iterations={simulations}",
    )  # fmt: skip
    return played.score


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect-four")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--games", type=int, default=128, help="matches of self-play in each generation")
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--evaluate", type=int, default=200, help="matches against UCT in the end")
    parser.add_argument("--save", default="network.pt")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    torch.manual_seed(given.seed)
    rng = np.random.default_rng(given.seed)
    position = sakiyomi.Game(given.game).position()
    net = Net(position.observation_shape, position.n_actions)
    optimiser = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    memory, start, generation = [], time.monotonic(), 0
    while time.monotonic() - start < 60 * given.minutes:
        generation += 1
        evaluator, began = Evaluator(net), time.perf_counter()
        played = sakiyomi.self_play(
            given.game, evaluator, games=given.games, at_once=given.games, simulations=given.simulations,
            temperature_moves=12, seed=1000 * given.seed + generation,
        )  # fmt: skip
        inside = evaluator.seconds / (time.perf_counter() - began)
        memory = [*memory[-7:], (played.observations, played.policies, played.results)]
        loss = train(net, optimiser, memory, steps=2 * len(played.results) // 64 + 20, batch_size=128, rng=rng)
        line = f"generation {generation}: {len(played.results)} positions, loss {loss:.3f}, {inside:.0%} of the time in the network"
        if generation % 5 == 0:
            line += f", {score(given.game, net, 50, 40, generation):.2f} against UCT with 50"
        print(line, flush=True)
    torch.save(net.state_dict(), given.save)
    final = score(given.game, net, 200, given.evaluate, 7)
    print(f"{final:.3f} against UCT with 200 iterations over {given.evaluate} games")


if __name__ == "__main__":
    main()
