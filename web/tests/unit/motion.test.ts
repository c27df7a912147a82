import { describe, expect, it } from "vitest";
import type { Board, OrderForm } from "../../src/api";
import { layout } from "../../src/logic/geometry";
import { ways } from "../../src/logic/motion";
import { commandsIn, joined, pieceOn, planCells, routeTo, shortOrders, shortPlan } from "../../src/logic/orders";
import { emptyCell } from "./samples";

const SIDE = 7;

function board(pieces: [symbol: string, owner: number, cell: number][]): Board {
  const cells = Array.from({ length: SIDE * SIDE }, emptyCell);
  for (const [symbol, owner, cell] of pieces) {
    cells[cell]!.pieces.push({ symbol, owner, shape: "disc", gauge: null, badge: null, has_acted: false, facts: [] } as never);
  }
  const labels = Array.from({ length: SIDE }, (_, i) => String(i));
  return { grid: "hex", cells, column_labels: labels, row_labels: labels, marked: [], edges: [null, null, null, null] };
}

const cell = (x: number, y: number) => y * SIDE + x;

describe("pieces on their way", () => {
  it("go where the server says, and straight if it says nothing", () => {
    const [before, after] = [
      board([
        ["a", 0, cell(1, 1)],
        ["b", 1, cell(5, 5)],
      ]),
      board([
        ["a", 0, cell(3, 2)],
        ["b", 1, cell(5, 4)],
      ]),
    ];
    const points = [
      { at: 0, cell: cell(1, 1) },
      { at: 0.3, cell: cell(2, 1) },
      { at: 1, cell: cell(3, 2) },
    ];
    const found = ways(before, after, [{ symbol: "a", owner: 0, points }]);
    expect(found.get("0:a")).toEqual(points);
    expect(found.get("1:b")).toEqual([
      { at: 0, cell: cell(5, 5) },
      { at: 1, cell: cell(5, 4) },
    ]);
  });

  it("have no way if they cannot be told from each other", () => {
    const twice = board([
      ["a", 0, 3],
      ["a", 0, 4],
    ]);
    expect(
      ways(
        twice,
        board([
          ["a", 0, 5],
          ["a", 0, 6],
        ]),
        [],
      ).size,
    ).toBe(0);
  });
});

describe("orders", () => {
  const form: OrderForm = {
    pieces: ["a", "b", "c"].map((symbol, cell) => ({ symbol, cell, suggested: [] })),
    commands: [
      { letter: "0", sign: "→", name: "right", step: [1, 0] },
      { letter: "A", sign: "act", name: "act", step: null },
      { letter: "1", sign: "↓", name: "down", step: [0, 1] },
    ],
    max_commands: 3,
    separator: " ",
    no_commands: "-",
  };

  it("are typed with known letters", () => {
    expect(commandsIn(form, "0x a7")).toEqual(["0", "A"]);
    expect(commandsIn(form, "0000")).toHaveLength(3);
  });

  it("are shortened to be read", () => {
    expect(shortPlan(form, "000A0")).toBe("→3 act →");
    expect(shortOrders(form, "00 - A1")).toEqual(["→2", "–", "act ↓"]);
    expect(shortOrders(null, "AAA -")).toEqual(["A3", "-"]);
  });

  it("are a way to the cell that was clicked, around walls", () => {
    const field = board([]);
    expect(pieceOn(form, 2)).toBe(2);
    expect(pieceOn(form, 40)).toBeNull();
    expect(routeTo(form, field, 0, SIDE + 2)).toHaveLength(3);
    expect(routeTo(form, field, 2, 0)).toBeNull();
    field.cells[1]!.ground = "wall";
    expect(routeTo(form, field, 0, SIDE + 2)).toBe("100");
    expect(planCells(form, field, 0, "0A10")).toEqual([0, SIDE, SIDE + 1]);
  });

  it("are joined as the form says", () => {
    expect(joined(form, ["00", "", "A"])).toBe("00 - A");
    expect(joined(form, [])).toBe("- - -");
  });
});

describe("a field with holes", () => {
  it("is drawn without the room where there are only holes", () => {
    const whole = board([]);
    const hexagon = board([]);
    for (const [i, each] of hexagon.cells.entries()) each.is_hole = Math.abs((i % SIDE) - Math.floor(i / SIDE)) > 3;
    expect(layout(hexagon).width).toBeCloseTo(SIDE, 6);
    expect(layout(whole).width).toBeGreaterThan(SIDE + 2);
    expect(Math.min(...hexagon.cells.flatMap((each, i) => (each.is_hole ? [] : [layout(hexagon).centre(i).x])))).toBeCloseTo(0.5, 6);
  });
});
