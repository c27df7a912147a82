import { describe, expect, it } from "vitest";
import type { JudgeVerdict } from "../../src/api";
import { likeMap, verdictOf } from "../../src/logic/fairness";

const judge = (name: string, wins: [number, number], draws: number, unfair: JudgeVerdict["unfair"]): JudgeVerdict => {
  const value = (wins[0] + draws / 2) / (wins[0] + wins[1] + draws);
  return { judge: name, wins, draws, score: { value, low: value - 0.05, high: value + 0.05 }, unfair };
};

describe("the verdict on a map", () => {
  it("names the judge for whom a side wins most", () => {
    const judges = [judge("a", [120, 60], 20, ["first-side"]), judge("b", [160, 30], 10, ["first-side"]), judge("c", [90, 90], 20, [])];
    expect(verdictOf(judges, false)).toEqual({ reason: "first-side", judge: "b", share: 0.825 });
  });

  it("tells the share of the side that wins too much", () => {
    expect(verdictOf([judge("a", [20, 160], 20, ["second-side"])], false).share).toBeCloseTo(0.85);
    expect(verdictOf([judge("a", [40, 40], 120, ["draws"])], false)).toMatchObject({ reason: "draws", share: 0.6 });
  });

  it("says more of a side than of too few games", () => {
    const judges = [judge("a", [60, 50], 0, ["undecided"]), judge("b", [50, 150], 0, ["second-side"])];
    expect(verdictOf(judges, false).reason).toBe("second-side");
  });

  it("is fair only if the judges say so", () => {
    expect(verdictOf([judge("a", [5, 5], 0, [])], true).reason).toBe("fair");
    expect(verdictOf([judge("a", [5, 5], 0, [])], null).reason).toBe("unknown");
  });
});

it("evolution is asked for maps of the same size", () => {
  const units = [{ side: 0 }, { side: 1 }, { side: 1 }];
  expect(likeMap({ columns: 7, rows: 5, turn_limit: 12, units })).toEqual({ columns: 7, rows: 5, units_a_side: 2, turn_limit: 12 });
  expect(likeMap({ columns: 7, rows: 5, turn_limit: 12, units: [] }).units_a_side).toBe(1);
});
