// Where cells are drawn. One unit is the width of a cell.

import type { Board } from "../api";

export type Point = { x: number; y: number };
export type Layout = { width: number; height: number; columns: number; rows: number; centre: (cell: number) => Point; outline: (cell: number) => string };

const SMALL_PRINT = 14;

/** A board with more rows or columns than these has cells that are too small for small print. */
export const LARGE = 24;

/** The size of small print, in cells of so many pixels: as large on every board. */
export function smallPrint(cellPixels: number): number {
  return Math.max(0.12, Math.min(0.32, SMALL_PRINT / cellPixels));
}

const ROW_HEIGHT = Math.sqrt(3) / 2;

export function layout(board: Board): Layout {
  const columns = board.column_labels.length;
  const rows = board.row_labels.length;
  return board.grid === "hex" ? trimmed(hexLayout(columns, rows), board) : squareLayout(columns, rows);
}

/** Without the room at the sides where all cells are holes. */
function trimmed(place: Layout, board: Board): Layout {
  const there = board.cells.flatMap((cell, i) => (cell.is_hole ? [] : [place.centre(i).x]));
  if (there.length === 0) return place;
  const left = Math.min(...there) - 0.5;
  const width = Math.max(...there) + 0.5 - left;
  const points = (text: string) => text.split(" ").map((pair) => pair.split(",").map(Number) as [number, number]);
  return {
    ...place,
    width,
    centre: (cell) => ({ x: place.centre(cell).x - left, y: place.centre(cell).y }),
    outline: (cell) => polygon(points(place.outline(cell)).map(([x, y]) => [x - left, y])),
  };
}

function squareLayout(columns: number, rows: number): Layout {
  const centre = (cell: number) => ({ x: (cell % columns) + 0.5, y: Math.floor(cell / columns) + 0.5 });
  const outline = (cell: number) => {
    const { x, y } = centre(cell);
    return polygon([
      [x - 0.5, y - 0.5],
      [x + 0.5, y - 0.5],
      [x + 0.5, y + 0.5],
      [x - 0.5, y + 0.5],
    ]);
  };
  return { width: columns, height: rows, columns, rows, centre, outline };
}

/** Every row stands half a cell to the left of the one above, so (x, y) touches (x+1, y+1). */
function hexLayout(columns: number, rows: number): Layout {
  const radius = 1 / Math.sqrt(3);
  const shift = (rows - 1) / 2;
  const centre = (cell: number) => {
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    return { x: x - y / 2 + shift + 0.5, y: y * ROW_HEIGHT + radius };
  };
  const outline = (cell: number) => {
    const { x, y } = centre(cell);
    const corner = (i: number): [number, number] => {
      const angle = (Math.PI / 3) * i + Math.PI / 6;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    };
    return polygon([0, 1, 2, 3, 4, 5].map(corner));
  };
  return { width: columns + shift, height: (rows - 1) * ROW_HEIGHT + 2 * radius, columns, rows, centre, outline };
}

/** The corners of an outline that lie on the board's top, right, bottom and left edge. */
const EDGE_CORNERS = {
  hex: [
    [3, 4, 5],
    [5, 0, 1],
    [0, 1, 2],
    [2, 3, 4],
  ],
  square: [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
  ],
};

/** A line along one of the board's edges, cell by cell: 0 is the top one, 1 the right one, and so on. */
export function edgePath(board: Board, place: Layout, edge: number): string {
  const { columns, rows } = place;
  const isAcross = edge % 2 === 0;
  const cells = Array.from({ length: isAcross ? columns : rows }, (_, i) => {
    if (isAcross) return edge === 0 ? i : (rows - 1) * columns + i;
    return i * columns + (edge === 1 ? columns - 1 : 0);
  });
  const lines = cells.map((cell) => {
    const corners = place.outline(cell).split(" ");
    return EDGE_CORNERS[board.grid][edge]!.map((corner, i) => `${i === 0 ? "M" : "L"}${corners[corner]}`).join("");
  });
  return lines.join("");
}

/** The same cells seen from the other side. */
export function flipped(place: Layout): Layout {
  const turn = ({ x, y }: Point) => ({ x: place.width - x, y: place.height - y });
  const points = (text: string) => text.split(" ").map((pair) => pair.split(",").map(Number) as [number, number]);
  const outline = (cell: number) => polygon(points(place.outline(cell)).map(([x, y]) => [place.width - x, place.height - y]));
  return { ...place, centre: (cell) => turn(place.centre(cell)), outline };
}

function polygon(points: [number, number][]): string {
  return points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Where an arrow key leads; the same cell at the edge. */
export function step(cell: number, key: string, columns: number, rows: number): number {
  const [x, y] = [cell % columns, Math.floor(cell / columns)];
  switch (key) {
    case "ArrowLeft":
      return x > 0 ? cell - 1 : cell;
    case "ArrowRight":
      return x < columns - 1 ? cell + 1 : cell;
    case "ArrowUp":
      return y > 0 ? cell - columns : cell;
    case "ArrowDown":
      return y < rows - 1 ? cell + columns : cell;
    case "Home":
      return y * columns;
    case "End":
      return y * columns + columns - 1;
    default:
      return cell;
  }
}

/** `b3`, or `4 2` where both labels are numbers. */
export function cellName(board: Board, cell: number): string {
  const columns = board.column_labels.length;
  const [column, row] = [board.column_labels[cell % columns] ?? "", board.row_labels[Math.floor(cell / columns)] ?? ""];
  return /\d$/.test(column) ? `${column} ${row}` : column + row;
}
