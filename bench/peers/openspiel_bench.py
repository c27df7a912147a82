"""Measures OpenSpiel's C++ MCTSBot and random playouts from the start position.

Prints the figures in the shape of `sakiyomi bench --json`.
"""

import argparse
import json
import math
import time

import pyspiel

# Our name of each game, and OpenSpiel's.
GAMES = {
    "connect-four": "connect_four",
    "breakthrough": "breakthrough",
    "othello": "othello",
}

# UCB1's constant of sqrt(2) is for rewards in 0..1; OpenSpiel's games pay -1..1.
UCT_C = 2 * math.sqrt(2)

# Playouts in one native call: a small part of a second even in the slowest game.
PLAYOUT_BATCH = 500


def main():
    options = parse_options()
    figures = [measure(name, options) for name in GAMES]
    print(json.dumps({"games": figures}))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    return parser.parse_args()


def measure(name, options):
    game = pyspiel.load_game(GAMES[name])
    return {
        "game": name,
        "playouts_per_cpu_second": playouts_per_second(game, options.seconds),
        "simulations_per_cpu_second": simulations_per_second(game, options),
        "simulations": options.simulations,
    }


def simulations_per_second(game, options):
    bot = make_bot(game, rollouts=1, simulations=options.simulations)
    start = game.new_initial_state()

    def search():
        root = bot.mcts_search(start)
        assert root.explore_count == options.simulations, "the search stopped early"
        return options.simulations

    return units_per_cpu_second(options.seconds, search)


def playouts_per_second(game, seconds):
    # The wheel exports no playout function, but a search of one simulation does nothing except
    # evaluate the start position, and the evaluator plays its games in C++.
    bot = make_bot(game, rollouts=PLAYOUT_BATCH, simulations=1)
    start = game.new_initial_state()

    def play_batch():
        root = bot.mcts_search(start)
        assert root.explore_count == 1 and not root.children, "more than one evaluation"
        # All three games are nearly even under random play; a single playout would give -1 or 1.
        assert abs(root.total_reward) < 0.5, "not the mean of many playouts"
        return PLAYOUT_BATCH

    return units_per_cpu_second(seconds, play_batch)


def make_bot(game, rollouts, simulations):
    return pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=rollouts, seed=1),
        uct_c=UCT_C,
        max_simulations=simulations,
        max_memory_mb=0,  # no limit: the bot never stops to collect garbage
        solve=False,
        seed=1,
        verbose=False,
    )


def units_per_cpu_second(seconds, work):
    """Repeats `work`, which returns how many units it did, until `seconds` of CPU time are used."""
    units = 0
    start = time.process_time()
    while (elapsed := time.process_time() - start) < seconds:
        units += work()
    return units / elapsed


if __name__ == "__main__":
    main()
