import { describe, expect, it } from "vitest";
import type { Position, Thought } from "../../src/api";
import { parseRecord, recordText } from "../../src/logic/record";

const position = {
  record: { game: "hex", seed: 3, moves: [["a1"]] },
  players: [
    { name: { pattern: "red", values: [] }, colour: null },
    { name: "me", colour: null },
  ],
  turn: { kind: "over", payoffs: [1, 0] },
  legal: [],
  past: [],
} as unknown as Position;
const thought: Thought = {
  player: 0,
  action: "a1",
  value: 0.6,
  iterations: 10,
  nodes: 5,
  seconds: 0.1,
  rows: [{ player: 0, arms: [{ text: "a1", cells: [0], share: 1, visits: 10, value: 0.6, proven: false, prior: null }] }],
  line: [],
  tree: null,
};

describe("a record as a file", () => {
  const text = recordText(position, {
    seats: ["uct", "human"],
    resigned: null,
    version: "1.2",
    thoughts: new Map([[0, [thought]]]),
    review: { agent: "uct", ratings: [] },
  });
  const file = JSON.parse(text);

  it("says who played, how it ended, and what was thought", () => {
    expect(file.players).toEqual([
      { name: "red", agent: "uct" },
      { name: "me", agent: "human" },
    ]);
    expect(file.result).toEqual({ payoffs: [1, 0] });
    expect(file.version).toBe("1.2");
    expect(file.thoughts[0]).toMatchObject({ step: 0, thoughts: [{ action: "a1", value: 0.6, iterations: 10, arms: [{ text: "a1", visits: 10 }] }] });
    expect(file.review.agent).toBe("uct");
  });

  it("is read back", () => {
    expect(parseRecord(text)).toEqual(position.record);
  });

  it("says who gave up", () => {
    const open = { ...position, turn: { kind: "choose", players: [0] } } as Position;
    expect(JSON.parse(recordText(open, { seats: [], resigned: 1, version: "", thoughts: [], review: null })).result).toEqual({ resigned: 1 });
  });
});
