import { describe, expect, it } from "vitest";
import type { PlayedStep, Turn } from "../../src/api";
import { lastChosen, moveRows, movesAmong, undo, winners } from "../../src/logic/turns";

const by = (...players: number[]): PlayedStep => ({ by: players, texts: [], cells: [] });
const to = (...players: number[]): Turn => ({ kind: "choose", players });
const first = (player: number) => player === 0;

describe("undo", () => {
  it("takes back one action of the same turn", () => {
    expect(undo([by(0), by(1), by(0), by(0)], to(0), first)).toEqual({ keep: 3, withinTurn: true });
  });

  it("takes what chance did with it", () => {
    expect(undo([by(0), by()], to(0), first)).toEqual({ keep: 0, withinTurn: true });
  });

  it("goes back over the agent's answer to the person's own move", () => {
    expect(undo([by(0), by(1)], to(0), first)).toEqual({ keep: 0, withinTurn: false });
    expect(undo([by(0), by(1), by(1)], to(0), first)).toEqual({ keep: 0, withinTurn: false });
  });

  it("takes back what was chosen at once as a whole", () => {
    expect(undo([by(), by(0, 1), by()], to(0, 1), first)).toEqual({ keep: 1, withinTurn: false });
  });

  it("takes back the last move of a match that is over", () => {
    expect(undo([by(1), by(0)], { kind: "over", payoffs: [1, 0] }, first)).toEqual({ keep: 1, withinTurn: false });
  });

  it("has nothing to do before the person has moved", () => {
    expect(undo([by(1), by()], to(0), first)).toBeNull();
  });
});

it("marks the last step that somebody chose", () => {
  expect(lastChosen([by(0), by(1), by()])?.by).toEqual([1]);
  expect(lastChosen([by()])).toBeNull();
});

it("finds who won", () => {
  expect(winners([1, 0])).toEqual([0]);
  expect(winners([0.5, 0.5])).toEqual([]);
  expect(winners([0.5, 0.5, 0])).toEqual([0, 1]);
  expect(winners([0.3])).toEqual([0]);
});

it("does not count chance among the moves", () => {
  expect(movesAmong([by(), by(0), by(), by(0, 1)])).toBe(2);
});

describe("rows of the list of moves", () => {
  it("put a long run of chance together", () => {
    expect(moveRows([by(), by(), by(), by(0), by(), by(1)], 2)).toEqual([
      { from: 0, to: 3 },
      { from: 3, to: 4 },
      { from: 4, to: 5 },
      { from: 5, to: 6 },
    ]);
    expect(moveRows([by(0), by(), by()], 2)).toHaveLength(3);
    expect(moveRows([], 2)).toEqual([]);
  });

  it("are turns, with what chance did within them", () => {
    expect(moveRows([by(0), by(0), by(), by(0), by(), by(1), by(1)], 2)).toEqual([
      { from: 0, to: 4 },
      { from: 4, to: 5 },
      { from: 5, to: 7 },
    ]);
    expect(moveRows([by(0), by(0)], 1)).toHaveLength(2);
  });
});
