"""For designers of maps: look at a map, let agents play it from both sides, and see whether it is fair."""

# %% A map and its first moves.
from pathlib import Path

import sakiyomi

game = sakiyomi.Game("tubstap")
table = game.table(seed=1)
print(table)
thought = table.advise("uct:iterations=300")
print(f"the search plays {thought.action} and expects {thought.value:.2f}")
with open("map.svg", "w") as file:
    file.write(table.svg())

# %% The same agent on both sides: the score of a seat tells whom the map favours.
result = game.duel("uct:iterations=30", "uct:iterations=30", games=12, seed=3)
for seat in result.to_dict()["seats"]:
    print(f"the first agent as {seat['name']}: {seat['wins']} won, {seat['draws']} drawn, {seat['losses']} lost")

# %% A verdict on a file: agents play both sides, with statistics.
maps = Path(__file__).parents[2] / "games" / "tubstap"
verdict = sakiyomi.fairness(maps / "ford.tbsmap", ["sample+noise"], games=40).verdicts[0]
print(f"ford: the first side scores {verdict.score:.2f} in [{verdict.interval.low:.2f}, {verdict.interval.high:.2f}]")
