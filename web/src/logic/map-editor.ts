// A map while it is drawn: what a brush does to it. Nothing is changed in place.

import type { DrawnMap, DrawnUnit, MapEditor } from "../api";

export type Brush = { tool: "terrain"; terrain: string } | { tool: "unit"; kind: string; side: number; hitPoints: number; isLate: boolean } | { tool: "erase" };

/** The map to begin with in another size: all of its cells are as its first. */
export function emptyMap(empty: DrawnMap, columns: number, rows: number): DrawnMap {
  return { ...empty, columns, rows, terrain: Array.from({ length: columns * rows }, () => empty.terrain[0]!) };
}

export function unitAt(map: DrawnMap, column: number, row: number): DrawnUnit | undefined {
  return map.units.find((unit) => unit.column === column && unit.row === row);
}

/** Paints a cell. With `isMirrored` the opposite cell gets the same, and a unit there the other side. */
export function paint(map: DrawnMap, column: number, row: number, brush: Brush, isMirrored = false): DrawnMap {
  const once = paintOne(map, column, row, brush);
  if (!isMirrored) return once;
  const [otherColumn, otherRow] = [map.columns - 1 - column, map.rows - 1 - row];
  if (otherColumn === column && otherRow === row) return once;
  return paintOne(once, otherColumn, otherRow, brush.tool === "unit" ? { ...brush, side: 1 - brush.side } : brush);
}

function paintOne(map: DrawnMap, column: number, row: number, brush: Brush): DrawnMap {
  if (column < 0 || row < 0 || column >= map.columns || row >= map.rows) return map;
  if (brush.tool === "terrain") {
    const at = row * map.columns + column;
    return { ...map, terrain: map.terrain.map((terrain, i) => (i === at ? brush.terrain : terrain)) };
  }
  const units = map.units.filter((unit) => unit.column !== column || unit.row !== row);
  if (brush.tool === "erase") return { ...map, units };
  const { kind, side, hitPoints, isLate } = brush;
  return { ...map, units: [...units, { column, row, kind, side, hit_points: hitPoints, is_late: isLate }] };
}

/** Another size: what is cut off is lost, new cells are of the usual ground. */
export function resize(map: DrawnMap, columns: number, rows: number, editor: Pick<MapEditor, "max_size" | "terrains">): DrawnMap {
  const [width, height] = [columns, rows].map((size) => Math.max(1, Math.min(editor.max_size, Math.round(size) || 1)));
  const terrain = Array.from({ length: width! * height! }, (_, i) => {
    const [column, row] = [i % width!, Math.floor(i / width!)];
    return column < map.columns && row < map.rows ? map.terrain[row * map.columns + column]! : editor.terrains[0]!;
  });
  const units = map.units.filter((unit) => unit.column < width! && unit.row < height!);
  return { ...map, columns: width!, rows: height!, terrain, units };
}

/** The text of a map file, which is UTF-8 or else Shift_JIS. */
export function decodeMap(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}
