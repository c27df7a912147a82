import { describe, expect, it } from "vitest";
import type { StoreEntry } from "../../src/api";
import { coursePoints, difference, distinctParts, isComparable } from "../../src/logic/compare";

const run = (game: string, first: string, second: string, seed = 1) =>
  ({ game, agents: [first, second], seed, nash_conv: null, all: { score: { value: 0.5, low: 0.4, high: 0.6 } } }) as unknown as StoreEntry;

describe("runs side by side", () => {
  it("are called by what others do not share", () => {
    const [a, b] = distinctParts([run("hex", "uct:c=1", "random"), run("hex", "uct:c=2", "random")]);
    expect([a, b]).toEqual([
      { game: null, first: "uct:c=1", second: null, seed: null },
      { game: null, first: "uct:c=2", second: null, seed: null },
    ]);
    expect(distinctParts([run("hex", "uct", "random"), run("othello", "uct", "flat")])[1]).toEqual({ game: "othello", first: null, second: "flat", seed: null });
  });

  it("that are the same but for the seed have their agents and the seed", () => {
    expect(distinctParts([run("hex", "uct", "random", 1), run("hex", "uct", "random", 2)]).map(({ first, second, seed }) => [first, second, seed])).toEqual([
      ["uct", "random", 1],
      ["uct", "random", 2],
    ]);
    expect(distinctParts([run("hex", "uct", "random")])[0]).toEqual({ game: null, first: "uct", second: "random", seed: null });
  });

  it("have their course from the figure's values, whatever the agents are called", () => {
    const csv = 'series,games,score,low,high,paper\n"uct:c=1,solver",2,1,0.34,1,\n"uct:c=1,solver",4,0.75,0.3,0.95,\n';
    expect(coursePoints(csv)).toEqual([
      { games: 2, score: 1, low: 0.34, high: 1 },
      { games: 4, score: 0.75, low: 0.3, high: 0.95 },
    ]);
    expect(coursePoints("")).toEqual([]);
  });

  it("differ by an interval that follows from both", () => {
    const { value, low, high } = difference({ value: 0.7, low: 0.6, high: 0.78 }, { value: 0.5, low: 0.4, high: 0.6 });
    expect(value).toBeCloseTo(0.2);
    expect(low).toBeCloseTo(0.2 - Math.hypot(0.1, 0.1));
    expect(high).toBeCloseTo(0.2 + Math.hypot(0.08, 0.1));
  });

  it("need a score", () => {
    expect(isComparable(run("hex", "uct", "random"))).toBe(true);
    expect(isComparable({ ...run("hex", "uct", "random"), nash_conv: { value: 1, low: 1, high: 1 } })).toBe(false);
  });
});
