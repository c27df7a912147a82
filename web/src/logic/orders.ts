// Orders for several pieces: a string of commands for each, put together as the server says.

import type { Board, OrderForm } from "../api";

/** What of a typed text are commands, up to the most that a piece may have. */
export function commandsIn(form: OrderForm, text: string): string[] {
  const letters = [...text].map((letter) => form.commands.find((command) => command.letter.toLowerCase() === letter.toLowerCase())?.letter);
  return letters.filter((letter) => letter !== undefined).slice(0, form.max_commands);
}

/** The action of these strings, one for each piece. */
export function joined(form: OrderForm, plans: string[]): string {
  return form.pieces.map((_, i) => plans[i] || form.no_commands).join(form.separator);
}

/** A string with its repetitions counted: `↗7 · Z`. */
export function shortPlan(form: OrderForm | null, plan: string): string {
  if (form && plan === form.no_commands) return "–";
  const runs: { letter: string; count: number }[] = [];
  for (const letter of plan) {
    const last = runs.at(-1);
    if (last?.letter === letter) last.count += 1;
    else runs.push({ letter, count: 1 });
  }
  const sign = (letter: string) => form?.commands.find((command) => command.letter === letter)?.sign ?? letter;
  return runs.map(({ letter, count }) => sign(letter) + (count > 1 ? count : "")).join(" ");
}

/** The strings of an action, each shortened. */
export function shortOrders(form: OrderForm | null, text: string): string[] {
  return text.split(form?.separator ?? " ").map((plan) => shortPlan(form, plan));
}

/** The piece that stands on a cell; null if it is none that is given orders. */
export function pieceOn(form: OrderForm, cell: number): number | null {
  const found = form.pieces.findIndex((piece) => piece.cell === cell);
  return found < 0 ? null : found;
}

/** The cells that a piece comes through by its string, its own first. What it cannot enter it stands before. */
export function planCells(form: OrderForm, board: Board, piece: number, plan: string): number[] {
  const cells = [form.pieces[piece]!.cell];
  for (const letter of plan) {
    const step = form.commands.find((command) => command.letter === letter)?.step;
    const next = step ? neighbour(board, cells.at(-1)!, step) : null;
    if (next !== null) cells.push(next);
  }
  return cells;
}

/** A shortest string of moves from one cell to another; null if there is none. */
export function routeTo(form: OrderForm, board: Board, from: number, to: number): string | null {
  const came = new Map<number, string>([[from, ""]]);
  const open = [from];
  for (let cell = open.shift(); cell !== undefined; cell = open.shift()) {
    if (cell === to) return came.get(cell)!;
    for (const { letter, step } of form.commands) {
      const next = step ? neighbour(board, cell, step) : null;
      if (next === null || came.has(next)) continue;
      came.set(next, came.get(cell)! + letter);
      open.push(next);
    }
  }
  return null;
}

/** Kinds of ground that nothing enters. */
const CLOSED = ["wall"];

function neighbour(board: Board, cell: number, [dx, dy]: [number, number]): number | null {
  const columns = board.column_labels.length;
  const [x, y] = [(cell % columns) + dx, Math.floor(cell / columns) + dy];
  if (x < 0 || y < 0 || x >= columns || y >= board.row_labels.length) return null;
  const next = board.cells[y * columns + x];
  return !next || next.is_hole || CLOSED.includes(next.ground ?? "") ? null : y * columns + x;
}
