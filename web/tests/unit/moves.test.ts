import { describe, expect, it } from "vitest";
import type { Board, View } from "../../src/api";
import { apart, readable } from "../../src/logic/moves";
import { reveal } from "../../src/logic/reveal";
import { emptyCell } from "./samples";

const board: Board = {
  grid: "square",
  cells: Array.from({ length: 4 }, emptyCell),
  column_labels: ["e", "f"],
  row_labels: ["4", "2"],
  marked: [],
  edges: [null, null, null, null],
};

describe("moves of rule sheets", () => {
  it("are written by their cells", () => {
    expect(readable("(move white pawn e 2 e 4)", [2, 0], board)).toBe("e2-e4");
    expect(readable("(mark f 2)", [3], board)).toBe("f2");
    expect(readable("(remove f 4)", [1], board)).toBe("remove f4");
  });

  it("keep what stands behind the last cell", () => {
    expect(readable("(move e 2 e 4 queen)", [2, 0], board)).toBe("e2-e4 queen");
    expect(readable("(mark f 4 7)", [1], board)).toBe("f4 7");
    expect(readable("(mark 1 1 1 2 8)", [1], board)).toBe("f4 8");
  });

  it("of the same cells are told apart by the words that differ", () => {
    expect(apart(["(mark 1 1 1 2 8)", "(mark 1 1 1 2 9)"], ["f4", "f4"])).toEqual(["8", "9"]);
    expect(apart(["(mark 1 2)", "(remove here 1 2)"], ["f4", "remove f4"])).toEqual(["f4", "remove f4"]);
    expect(apart(["d2 fire b2", "d2 b2"], ["a", "b"])).toEqual(["a", "b"]);
  });

  it("keep their words where no cell belongs to them", () => {
    expect(readable("(take 3)", [], board)).toBe("take 3");
    expect(readable("noop", [], board)).toBe("noop");
    expect(readable("(f (g 1))", [], null)).toBe("(f (g 1))");
    expect(readable("d2 fire b2", [0, 1], board)).toBe("d2 fire b2");
  });

  it("are not named after cells without a name", () => {
    const lattice = { ...board, column_labels: ["1", ""], row_labels: ["", "1"] };
    for (const cell of [0, 1, 3]) expect(readable("(draw 1 1 1 2)", [cell], lattice)).toBe("draw 1 1 1 2");
  });
});

describe("what was chosen at once", () => {
  const view = (...points: number[]): View => ({
    board: null,
    piles: [],
    facts: [],
    caption: "",
    note: null,
    players: points.map((value) => ({ name: "", score: { value, text: "" }, hand: [] })),
  });

  it("says who takes what", () => {
    const step = { by: [0, 1, 2], texts: ["7", "9", "9"], cells: [[], [], []] };
    expect(reveal(step, view(0, 3, 0), view(5, 3, 0)).map((each) => each.gain)).toEqual([5, 0, 0]);
    expect(reveal(step, null, view(5, 3, 0)).map((each) => each.gain)).toEqual([null, null, null]);
  });
});
