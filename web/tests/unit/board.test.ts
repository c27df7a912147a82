// @vitest-environment happy-dom

import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Board as BoardData, LegalAction } from "../../src/api";
import Board from "../../src/parts/Board.svelte";
import Tree from "../../src/parts/Tree.svelte";
import { action, emptyCell, faces, pieceCell } from "./samples";

afterEach(cleanup);

const square = (...symbols: string[]): BoardData => ({
  grid: "square",
  column_labels: ["a", "b", "c"],
  row_labels: ["2", "1"],
  cells: symbols.map((symbol) => (symbol === "" ? emptyCell() : pieceCell(symbol, symbol === "w" ? 0 : 1))),
  marked: [],
  edges: [null, null, null, null],
});

function show(actions: LegalAction[], selection: number[] = []) {
  const [onPick, onClear] = [vi.fn(), vi.fn()];
  render(Board, {
    board: square("b", "", "", "w", "", ""),
    players: faces("white", "black"),
    colours: ["white", "black"],
    label: "Board",
    actions,
    selection,
    last: [1],
    onPick,
    onClear,
  });
  return { onPick, onClear };
}

describe("the board", () => {
  const moves: LegalAction[] = [{ ...action("a1-a2", 3, 0), effects: [{ kind: "damage", cell: 0, amount: 3, left: 7 }] }, action("a1-b2", 3, 1)];

  it("says what stands where and what can be done", () => {
    show(moves);
    expect(screen.getAllByRole("gridcell").map((cell) => cell.getAttribute("aria-label"))).toEqual([
      "a2, b of black",
      "b2, empty, last move",
      "c2, empty",
      "a1, w of white, can be chosen",
      "b1, empty",
      "c1, empty",
    ]);
  });

  it("marks targets and tells what a click would do", () => {
    show(moves, [3]);
    expect(screen.getByLabelText("a2, b of black, is a target, deals 3 (7 left)")).toBeTruthy();
    expect(screen.getByLabelText(/^a1/).getAttribute("aria-selected")).toBe("true");
  });

  it("is played by clicks and keys", async () => {
    const { onPick, onClear } = show(moves);
    await fireEvent.click(screen.getByLabelText(/^a1/));
    expect(onPick).toHaveBeenLastCalledWith(3);
    const grid = screen.getByRole("grid");
    for (const key of ["ArrowUp", "ArrowRight", "Enter"]) await fireEvent.keyDown(grid, { key });
    expect(onPick).toHaveBeenLastCalledWith(1);
    await fireEvent.keyDown(grid, { key: "Escape" });
    expect(onClear).toHaveBeenCalledOnce();
  });
});

describe("the tree", () => {
  const leaf = (text: string, visits: number) => ({ step: { by: [0], texts: [text], cells: [[]] }, visits, values: [0.5], children: [] });

  it("unfolds", async () => {
    const inner = { ...leaf("d", 9), children: [leaf("c", 3), leaf("e", 5)] };
    render(Tree, { root: { step: { by: [], texts: [], cells: [] }, visits: 10, values: [], children: [inner] }, playerName: (player: number) => `p${player}`, colours: [] });
    expect(screen.getAllByRole("treeitem")).toHaveLength(2);
    screen.getAllByRole("treeitem")[1]!.focus();
    await fireEvent.keyDown(screen.getAllByRole("treeitem")[1]!, { key: "ArrowRight" });
    const texts = screen.getAllByRole("treeitem").map((item) => item.querySelector(".text")!.textContent);
    expect(texts).toEqual(["this position", "d", "e", "c"]);
  });
});
