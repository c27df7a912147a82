"""For researchers: a duel with its statistics, an exact exploitability curve, and an experiment that can be resumed."""

# %% Which of two settings is stronger, and is that proven?
import tempfile
from pathlib import Path

import sakiyomi

result = sakiyomi.duel("connect-four", "uct:iterations=400,tuned", "uct:iterations=400", games=60, seed=7)
print(f"{result.wins}-{result.draws}-{result.losses}, score {result.score:.3f} in [{result.interval.low:.3f}, {result.interval.high:.3f}]")
print(f"sign test p = {result.sign_test:.3f}; repeat with: {result.command}")

# %% How far from an equilibrium is a simultaneous-move search?
curve = sakiyomi.exploit("goofspiel:n=4,order=descending", "rm", iterations=[100, 1_000, 10_000])
for point in curve.to_dict()["curve"]:
    print(f"{point['iterations']:>6} iterations: exploitability {point['exploitability']:.5f}")

# %% An experiment is a file; what is done stays done.
folder = Path(tempfile.mkdtemp())
experiment = folder / "exploration.toml"
experiment.write_text(
    """
id = "exploration"
title = "How much to explore"
kind = "duels"

[scale.quick]
games = 20

[scale.paper]
games = 2000

[[duel]]
name = "c = 0.5"
game = "breakthrough:6x6"
first = "uct:iterations=100,c=0.5"
second = "uct:iterations=100,c=1"
"""
)
sakiyomi.run(str(experiment), store=folder / "results.sqlite")
[report] = sakiyomi.report(str(experiment), store=folder / "results.sqlite")
print(report.markdown)
