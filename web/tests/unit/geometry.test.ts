import { describe, expect, it } from "vitest";
import type { Board, Grid } from "../../src/api";
import { cellName, layout, step } from "../../src/logic/geometry";
import { emptyCell } from "./samples";

function board(grid: Grid, columns: number, rows: number): Board {
  const cells = Array.from({ length: columns * rows }, emptyCell);
  const letters = Array.from({ length: columns }, (_, i) => String.fromCharCode(97 + i));
  return { grid, cells, column_labels: letters, row_labels: Array.from({ length: rows }, (_, i) => String(rows - i)), marked: [], edges: [null, null, null, null] };
}

describe("hexagons", () => {
  const columns = 5;
  const place = layout(board("hex", columns, 4));
  const distance = (a: [number, number], b: [number, number]) => {
    const [p, q] = [place.centre(a[1] * columns + a[0]), place.centre(b[1] * columns + b[0])];
    return Math.hypot(p.x - q.x, p.y - q.y);
  };

  it.each([
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1],
    [-1, -1],
  ])("touch at (%i, %i)", (dx, dy) => {
    expect(distance([2, 2], [2 + dx!, 2 + dy!])).toBeCloseTo(1, 9);
  });

  it("do not touch at the other two corners", () => {
    expect(distance([2, 2], [3, 1])).toBeGreaterThan(1.5);
    expect(distance([2, 2], [1, 3])).toBeGreaterThan(1.5);
  });

  it("stay inside the picture", () => {
    for (let cell = 0; cell < columns * 4; cell++) {
      for (const corner of place.outline(cell).split(" ")) {
        const [x, y] = corner.split(",").map(Number) as [number, number];
        expect(x).toBeGreaterThanOrEqual(-0.001);
        expect(x).toBeLessThanOrEqual(place.width + 0.001);
        expect(y).toBeGreaterThanOrEqual(-0.001);
        expect(y).toBeLessThanOrEqual(place.height + 0.001);
      }
    }
  });
});

describe("squares", () => {
  it("are named by column and row", () => {
    expect(cellName(board("square", 3, 2), 0)).toBe("a2");
    expect(cellName(board("square", 3, 2), 5)).toBe("c1");
    expect(cellName({ ...board("square", 2, 1), column_labels: ["c1", "c2"], row_labels: ["c8"] }, 1)).toBe("c2 c8");
  });

  it("are left by arrow keys, but not over the edge", () => {
    expect(step(4, "ArrowUp", 3, 3)).toBe(1);
    expect(step(4, "ArrowRight", 3, 3)).toBe(5);
    expect(step(5, "ArrowRight", 3, 3)).toBe(5);
    expect(step(8, "ArrowDown", 3, 3)).toBe(8);
    expect(step(5, "Home", 3, 3)).toBe(3);
    expect(step(4, "x", 3, 3)).toBe(4);
  });
});
