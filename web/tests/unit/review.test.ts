import { describe, expect, it } from "vitest";
import type { Thought } from "../../src/api";
import { accuracy, classOf, firstInterval, meanAccuracy, rate, rateTurn, worst } from "../../src/logic/review";
import { turnsOf } from "../../src/logic/turns";

const thought = (player: number, action: string, value: number | null, arms: [string, number][] = []): Thought => ({
  player,
  action,
  value,
  iterations: 0,
  nodes: 0,
  seconds: 0,
  line: [],
  tree: null,
  rows: [{ player, arms: arms.map(([text, value]) => ({ text, cells: [], share: 0, visits: null, value, proven: false, prior: null })) }],
});
const step = (by: number[], ...texts: string[]) => ({ by, texts, cells: by.map(() => []) });

describe("a review", () => {
  it("has the classes and the accuracy that players know", () => {
    expect([0, 0.02, 0.05, 0.1, 0.2, 0.21].map(classOf)).toEqual(["best", "excellent", "good", "inaccuracy", "mistake", "blunder"]);
    expect(accuracy(0)).toBeCloseTo(100, 1);
    expect(accuracy(0.1)).toBeCloseTo(63.6, 1);
    expect(accuracy(1)).toBe(0);
  });

  it("rates a move by what the next position is worth", () => {
    const [rating] = rate(4, step([0], "b"), thought(0, "a", 0.7), thought(1, "x", 0.6), null);
    expect(rating).toMatchObject({ step: 4, player: 0, text: "b", loss: expect.closeTo(0.3, 9), kind: "blunder", better: "a" });
    expect(rate(4, step([0], "a"), thought(0, "a", 0.7), thought(1, "x", 0.9), null)[0]!.loss).toBe(0);
    expect(rate(4, step([1], "b"), thought(1, "a", 0.5), undefined, [1, 0])[0]!.loss).toBe(0.5);
    expect(rate(4, step([0], "b"), thought(0, "a", 0.7), thought(0, "x", 0.66), null)[0]!.kind).toBe("good");
  });

  it("rates choices that are made at once by their arms", () => {
    const before = thought(0, "2", 0.5, [
      ["2", 0.5],
      ["1", 0.2],
    ]);
    expect(rate(1, step([0, 1], "1", "2"), before, undefined, null)).toMatchObject([{ player: 0, loss: expect.closeTo(0.3, 9), better: "2" }]);
  });

  it("leaves chance and what is not known alone", () => {
    expect(rate(0, step([], "works"), thought(0, "a", 0.5), undefined, null)).toEqual([]);
    expect(rate(0, step([0], "b"), thought(0, "a", null), thought(1, "x", 0.5), null)).toEqual([]);
  });

  it("sums up", () => {
    const ratings = [rate(0, step([0], "b"), thought(0, "a", 0.7), thought(1, "x", 0.6), null), rate(1, step([1], "y"), thought(1, "x", 0.6), thought(0, "a", 0.41), null)].flat();
    expect(worst(ratings, null, 5).map((rating) => rating.step)).toEqual([0]);
    expect(meanAccuracy(ratings, 1)).toBeGreaterThan(90);
    expect(meanAccuracy(ratings, 2)).toBeNull();
    expect(firstInterval(thought(1, "x", 0.6), 2)!.value).toBeCloseTo(0.4);
    expect(firstInterval(thought(1, "x", 0.6), 3)).toBeNull();
  });

  it("is exact where both moves are solved, whatever the next search thinks", () => {
    const arm = (text: string, value: number, proven: boolean) => ({ text, cells: [], share: 0.5, visits: 10, value, proven, prior: null });
    const solved: Thought = { ...thought(0, "a", 1), rows: [{ player: 0, arms: [arm("a", 1, true), arm("b", 0.5, true), arm("c", 0.9, false)] }] };
    expect(rate(0, step([0], "b"), solved, thought(1, "x", 0.9), null)[0]).toMatchObject({ loss: 0.5, isExact: true });
    expect(rate(0, step([0], "c"), solved, thought(1, "x", 0.4), null)[0]).toMatchObject({ loss: expect.closeTo(0.4, 9), isExact: false });
  });

  it("tells how sure a search is", () => {
    const searched = (visits: number, value: number): Thought => ({
      ...thought(0, "a", value),
      rows: [{ player: 0, arms: [{ text: "a", cells: [], share: 1, visits, value, proven: false, prior: null }] }],
    });
    const [few, many] = [firstInterval(searched(100, 0.6), 2)!, firstInterval(searched(10_000, 0.6), 2)!];
    expect(few.low).toBeGreaterThan(0.49);
    expect(few.high).toBeLessThan(0.71);
    expect(many.high - many.low).toBeLessThan(0.02);
    expect(firstInterval(searched(50, 1), 2)!.low).toBeLessThan(0.99);
  });

  it("takes a turn of several actions as one", () => {
    const past = [step([0], "a1-b1"), step([0], "b1xc1"), step([0], "end"), step([1], "x")];
    const before = { ...thought(0, "a1-a2", 0.6), line: [step([0], "a1-a2"), step([], "dice"), step([0], "end"), step([1], "y")] };
    const [rating] = rateTurn([0, 1, 2], past, before, thought(1, "x", 0.7), null);
    expect(rating).toMatchObject({ step: 0, text: "a1-b1", better: "a1-a2", loss: expect.closeTo(0.3, 9), kind: "blunder" });
    expect(rating!.turn!.better.map(({ texts }) => texts[0])).toEqual(["a1-a2", "end"]);
    expect(rateTurn([0, 1, 2], past, { ...before, line: past }, thought(1, "x", 0.9), null)[0]!.loss).toBe(0);
    expect(turnsOf(past, 2)).toEqual([
      { step: 0, steps: [0, 1, 2] },
      { step: 3, steps: [3] },
    ]);
    expect(turnsOf(past.slice(0, 2), 1)).toHaveLength(2);
  });

  it("says where a move is proven to lose", () => {
    const arm = (value: number, proven: boolean) => ({ text: "w", cells: [], share: 1, visits: 9, value, proven, prior: null });
    const before = thought(0, "a", 0.6);
    const reply = (value: number, proven: boolean): Thought => ({ ...thought(1, "w", value), rows: [{ player: 1, arms: [arm(value, proven)] }] });
    expect(rate(0, step([0], "b"), before, reply(1, true), null)[0]!.isForcedLoss).toBe(true);
    expect(rate(0, step([0], "b"), before, reply(1, false), null)[0]!.isForcedLoss).toBe(false);
    expect(rate(0, step([0], "b"), before, reply(0.5, true), null)[0]!.isForcedLoss).toBe(false);
    // What was lost already is not lost by this move.
    const lost: Thought = { ...before, rows: [{ player: 0, arms: [arm(0, true)] }] };
    expect(rate(0, step([0], "b"), lost, reply(1, true), null)[0]!.isForcedLoss).toBe(false);
  });
});
