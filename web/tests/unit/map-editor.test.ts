import { describe, expect, it } from "vitest";
import { type Brush, decodeMap, emptyMap, paint, resize, unitAt } from "../../src/logic/map-editor";

const empty = { columns: 1, rows: 1, turn_limit: 29, hp_threshold: 10, author: "", comment: "", terrain: ["plain"], units: [] };
const plainMap = (columns: number, rows: number) => emptyMap(empty, columns, rows);
const editor = { max_size: 32, terrains: ["plain", "wood"] };
const wood: Brush = { tool: "terrain", terrain: "wood" };
const tank: Brush = { tool: "unit", kind: "panzer", side: 0, hitPoints: 7, isLate: true };

describe("drawing a map", () => {
  it("paints terrain below a unit and leaves the unit", () => {
    const map = paint(paint(plainMap(4, 3), 1, 2, tank), 1, 2, wood);
    expect(map.terrain[2 * 4 + 1]).toBe("wood");
    expect(map.terrain.filter((terrain) => terrain !== "plain")).toHaveLength(1);
    expect(unitAt(map, 1, 2)).toEqual({ column: 1, row: 2, kind: "panzer", side: 0, hit_points: 7, is_late: true });
  });

  it("replaces the unit of a cell and takes it away", () => {
    const once = paint(plainMap(4, 3), 1, 2, tank);
    const twice = paint(once, 1, 2, { ...tank, kind: "infantry" });
    expect(twice.units.map((unit) => unit.kind)).toEqual(["infantry"]);
    expect(paint(twice, 1, 2, { tool: "erase" }).units).toEqual([]);
    expect(once.units.map((unit) => unit.kind)).toEqual(["panzer"]);
  });

  it("gives the opposite cell the same, and its unit the other side", () => {
    const map = paint(paint(plainMap(4, 3), 0, 0, tank, true), 1, 0, wood, true);
    expect(unitAt(map, 3, 2)).toMatchObject({ kind: "panzer", side: 1, hit_points: 7 });
    expect([map.terrain[1], map.terrain[2 * 4 + 2]]).toEqual(["wood", "wood"]);
    // The cell in the middle is its own opposite.
    expect(paint(plainMap(3, 3), 1, 1, tank, true).units).toHaveLength(1);
  });

  it("does nothing beyond the edge", () => {
    const map = plainMap(4, 3);
    expect(paint(map, 4, 0, tank)).toBe(map);
    expect(paint(map, 0, -1, wood)).toBe(map);
  });

  it("keeps what stays inside another size", () => {
    const map = paint(paint(paint(plainMap(4, 3), 3, 0, tank), 1, 1, wood), 0, 2, tank);
    const smaller = resize(map, 3, 2, editor);
    expect([smaller.columns, smaller.rows, smaller.terrain.length, smaller.units.length]).toEqual([3, 2, 6, 0]);
    expect(smaller.terrain[1 * 3 + 1]).toBe("wood");
    expect(resize(map, 1000, Number.NaN, editor)).toMatchObject({ columns: 32, rows: 1 });
  });

  it("reads files in both encodings", () => {
    const bytes = (...codes: number[]) => new Uint8Array(codes).buffer;
    expect(decodeMap(bytes(0xe6, 0xa3, 0xae))).toBe("森");
    expect(decodeMap(bytes(0x90, 0x58))).toBe("森");
  });
});
