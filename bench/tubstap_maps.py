"""Random maps of TUBSTAP as texts, one in a line, for `sakiyomi train @maps.txt`: 8 x 8 with the border and four units a side,
with terrain and units in a fixed mix.

    python bench/tubstap_maps.py --maps 400 --seed 1 > maps.txt

With `--symmetric` both sides have the same, turned by half a turn; otherwise most maps are decided before the first move.
"""

import argparse
import random

# How often of 360 cells, and of 80 units.
TERRAIN = {"1": 90, "2": 56, "3": 56, "4": 34, "5": 69, "6": 55}
KINDS = {"F": 4, "A": 3, "P": 24, "U": 22, "R": 15, "I": 12}
WHERE_GROUND_UNITS_STAND = "1356"
TURNS = 10


def draw(rng: random.Random, is_symmetric: bool) -> str:
    terrain = rng.choices(list(TERRAIN), TERRAIN.values(), k=36)
    if is_symmetric:
        terrain[18:] = terrain[17::-1]
    units = []
    for rows, is_red in ((range(2), True), (range(4, 6), False)):
        cells = [(x, y) for y in rows for x in range(6) if terrain[6 * y + x] in WHERE_GROUND_UNITS_STAND]
        if len(cells) < 4:
            return draw(rng, is_symmetric)
        if is_symmetric and not is_red:
            units += [f"{kind.lower()}{7 - int(x)}.{7 - int(y)}.{hp}" for (kind, x), y, hp in (unit.split(".") for unit in units)]
            break
        for x, y in rng.sample(cells, 4):
            kind = rng.choices(list(KINDS), KINDS.values())[0]
            units.append(f"{kind if is_red else kind.lower()}{x + 1}.{y + 1}.{rng.randint(1, 10)}")
    return f"tubstap:code=8x8-{TURNS}-0-{''.join(terrain)}-{'_'.join(units)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--symmetric", action="store_true")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    for _ in range(given.maps):
        print(draw(rng, given.symmetric))


if __name__ == "__main__":
    main()
