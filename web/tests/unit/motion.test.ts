import { describe, expect, it } from "vitest";
import type { Board, LegalAction, PlayedStep } from "../../src/api";
import { layout } from "../../src/logic/geometry";
import { ways } from "../../src/logic/motion";
import { isOrders, joined, plansFor } from "../../src/logic/orders";
import { emptyCell } from "./samples";

const SIDE = 7;

function board(pieces: [symbol: string, owner: number, cell: number][]): Board {
  const cells = Array.from({ length: SIDE * SIDE }, emptyCell);
  for (const [symbol, owner, cell] of pieces) {
    cells[cell]!.pieces.push({ symbol, owner, shape: "disc", gauge: null, badge: null, has_acted: false, facts: [] } as never);
  }
  const labels = Array.from({ length: SIDE }, (_, i) => String(i));
  return { grid: "hex", cells, column_labels: labels, row_labels: labels, marked: [] };
}

const orders = (...texts: string[]): PlayedStep[] => [{ by: texts.map((_, i) => i), texts, cells: [] } as unknown as PlayedStep];
const cell = (x: number, y: number) => y * SIDE + x;

describe("pieces on their way", () => {
  it("go through the cells that their orders name", () => {
    const before = board([
      ["a", 0, cell(1, 1)],
      ["b", 0, cell(5, 5)],
    ]);
    const after = board([
      ["a", 0, cell(3, 2)],
      ["b", 0, cell(5, 5)],
    ]);
    const found = ways(before, after, orders("0A1 -"));
    expect([...found.keys()]).toEqual(["0:a"]);
    const way = found.get("0:a")!;
    expect(way.map((place) => place.cell)).toEqual([cell(1, 1), cell(2, 1), cell(2, 1), cell(3, 2), cell(3, 2)]);
    expect(way.map((place) => place.at)).toEqual([...way.map((place) => place.at)].sort((a, b) => a - b));
    expect(way.at(-1)!.at).toBe(1);
  });

  it("go straight where the orders lead elsewhere", () => {
    const found = ways(board([["a", 0, cell(1, 1)]]), board([["a", 0, cell(5, 1)]]), orders("33"));
    expect(found.get("0:a")).toEqual([
      { at: 0, cell: cell(1, 1) },
      { at: 1, cell: cell(5, 1) },
    ]);
  });

  it("complete a move that was under way", () => {
    const found = ways(
      board([
        ["a", 0, cell(1, 1)],
        ["b", 0, 0],
      ]),
      board([
        ["a", 0, cell(3, 1)],
        ["b", 0, 0],
      ]),
      orders("0 -"),
    );
    expect(found.get("0:a")!.map((place) => place.cell)).toEqual([cell(1, 1), cell(2, 1), cell(3, 1), cell(3, 1)]);
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
  const action = (text: string) => ({ text, cells: [], area: [], card: null, kind: null, effects: [], ends_turn: false }) as LegalAction;

  it("are told from other actions", () => {
    expect(isOrders([action("00 1A -"), action("- - -")])).toBe(true);
    expect(isOrders([action("e4")])).toBe(false);
    expect(isOrders([action("5")])).toBe(false);
    expect(isOrders([])).toBe(false);
  });

  it("are listed by piece and joined again", () => {
    const listed = [action("00 1A -"), action("00 11111 2")];
    expect(plansFor(listed, 0)).toEqual(["00"]);
    expect(plansFor(listed, 1)).toEqual(["11111", "1A"]);
    expect(joined(["00", "", "A"])).toBe("00 - A");
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
