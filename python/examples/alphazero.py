"""AlphaZero in a page: self-play, training, a curve against plain UCT, and a network that plays anywhere.

    pip install torch onnx onnxscript
    python alphazero.py --game connect-four --cpu-minutes 40 --save four.onnx
    sakiyomi duel connect-four net:file=four.onnx,iterations=200 uct:iterations=200

The search runs in Rust, over many matches at once, and asks the network about all of their leaves together.
"""

import argparse
import time

import numpy as np
import sakiyomi
import torch
from torch import nn
from torch.nn import functional

C = 0.5  # The weight of priors in the search, for values from 0 to 1.
MIRRORED = {"connect-four"}  # Games that are the same from left to right, with an action for every column.


def convolution(n_in, n_out):
    return nn.Sequential(nn.Conv2d(n_in, n_out, 3, padding=1, bias=False), nn.BatchNorm2d(n_out))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(convolution(width, width), nn.ReLU(), convolution(width, width))

    def forward(self, x):
        return functional.relu(x + self.body(x))


class Net(nn.Module):
    """Planes in; logits of all actions and the expected payoff (0 to 1) of the player to move out."""

    def __init__(self, shape, n_actions, width, blocks):
        super().__init__()
        planes, rows, columns = shape
        self.trunk = nn.Sequential(convolution(planes, width), nn.ReLU(), *(Residual(width) for _ in range(blocks)))
        self.policy = nn.Sequential(nn.Conv2d(width, 8, 1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * rows * columns, n_actions))
        value = [nn.Conv2d(width, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * rows * columns, 64), nn.ReLU(), nn.Linear(64, 1)]
        self.value = nn.Sequential(*value)

    def forward(self, x):
        x = self.trunk(x)
        return self.policy(x), self.value(x).sigmoid().squeeze(1)


class Evaluator:
    """The network as the search calls it: numpy in, numpy out. It measures the CPU time it takes."""

    def __init__(self, net):
        self.net, self.seconds = net.eval(), 0.0

    def __call__(self, observations, masks):
        start = time.process_time()
        with torch.inference_mode():
            logits, values = self.net(torch.from_numpy(observations))
            priors = logits.masked_fill(~torch.from_numpy(masks), -torch.inf).softmax(1)
        self.seconds += time.process_time() - start
        return priors.numpy(), values.numpy()


def train(net, optimiser, memory, n_steps, batch_size, is_mirrored, rng):
    """Fits the shares of visits, and the mean of the result and of what the search expected."""
    observations, policies, targets = (np.concatenate(part) for part in zip(*memory, strict=True))
    net.train()
    losses = []
    for _ in range(n_steps):
        rows = rng.integers(len(observations), size=batch_size)
        x, policy = torch.from_numpy(observations[rows]), torch.from_numpy(policies[rows])
        if is_mirrored and rng.integers(2):
            x, policy = x.flip(-1), policy.flip(-1)
        logits, values = net(x)
        of_policy = -(policy * logits.log_softmax(1)).sum(1).mean()
        loss = of_policy + functional.binary_cross_entropy(values, torch.from_numpy(targets[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return float(np.mean(losses))


def against_uct(game, net, simulations, games, seed):
    """Wins, draws and losses against UCT with the same number of iterations, half of the games in each seat."""
    played = sakiyomi.self_play(
        game, Evaluator(net), games=games, at_once=min(games, 200), simulations=simulations, c=C,
        noise=None, temperature_moves=0, seed=seed, opponent=f"uct:iterations={simulations}",
    )  # fmt: skip
    payoffs = played.payoffs[np.arange(games), played.seats]
    return int((payoffs > 0.5).sum()), int((payoffs == 0.5).sum()), int((payoffs < 0.5).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect-four")
    parser.add_argument("--cpu-minutes", type=float, default=40, help="CPU time of self-play and training together")
    parser.add_argument("--games", type=int, default=128, help="matches of self-play in each generation, all at once")
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--width", type=int, default=32, help="channels of the network")
    parser.add_argument("--blocks", type=int, default=3, help="residual blocks of the network")
    parser.add_argument("--every", type=int, default=5, help="generations between two points of the curve")
    parser.add_argument("--evaluate", type=int, default=200, help="matches against UCT in the end; a point of the curve has 40")
    parser.add_argument("--threads", type=int, default=1, help="threads of the network")
    parser.add_argument("--save", default="network.onnx")
    parser.add_argument("--curve", default="curve.csv")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    rng = np.random.default_rng(given.seed)
    position = sakiyomi.Game(given.game).position()
    net = Net(position.observation_shape, position.n_actions, given.width, given.blocks).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    memory, points, spent, generation, n_positions = [], [], 0.0, 0, 0
    while spent < 60 * given.cpu_minutes:
        began, generation = time.process_time(), generation + 1
        optimiser.param_groups[0]["lr"] = 2e-3 * (1 - 0.9 * spent / (60 * given.cpu_minutes))
        evaluator = Evaluator(net)
        played = sakiyomi.self_play(
            given.game, evaluator, games=given.games, at_once=given.games, simulations=given.simulations,
            c=C, temperature_moves=12, seed=1000 * given.seed + generation,
        )  # fmt: skip
        inside = evaluator.seconds / (time.process_time() - began)
        targets = (played.results + played.values) / 2
        memory = [*memory[-19:], (played.observations, played.policies, targets)]
        n_positions += len(targets)
        loss = train(net, optimiser, memory, 10 + len(targets) // 64, 256, given.game in MIRRORED, rng)
        spent += time.process_time() - began
        progress = f"generation {generation}, {spent / 60:.1f} CPU minutes: {n_positions} positions, loss {loss:.3f}"
        print(f"{progress}, {inside:.0%} of self-play in the network", flush=True)
        if generation % given.every == 0 or spent >= 60 * given.cpu_minutes:
            tally = against_uct(given.game, net, 200, given.evaluate if spent >= 60 * given.cpu_minutes else 40, seed=generation)
            points.append((generation, round(spent / 60, 2), n_positions, round(loss, 4), round(inside, 3), *tally))
            print("against UCT with 200 iterations: {} won, {} drawn, {} lost".format(*tally), flush=True)
            head = "generation,cpu_minutes,positions,loss,network_share,wins,draws,losses"
            np.savetxt(given.curve, points, "%.9g", delimiter=",", header=head, comments="")
    torch.onnx.export(
        net.eval(), (torch.zeros(2, *position.observation_shape),), given.save, input_names=["observations"],
        output_names=["policy", "value"], dynamic_shapes=({0: torch.export.Dim("n")},), external_data=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
