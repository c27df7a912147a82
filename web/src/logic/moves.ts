// Moves as people write them, where a game writes them as terms of its rules.

import type { Board } from "../api";
import { cellName } from "./geometry";

const TERM = /^\(([^()\s]+)((?: [^()\s]+)*)\)$/;
/** Verbs that say no more than the cells do. */
const PLAIN = ["move", "mark", "put", "place", "drop", "play", "put_down"];

/**
 * `(move white pawn e 2 e 4)` with the cells e2 and e4 is `e2-e4`, and `(remove outer n)` is `remove d7`. Terms that no
 * cells belong to lose their parentheses; what is no term stays as it is.
 */
export function readable(text: string, cells: number[], board: Board | null): string {
  const term = TERM.exec(text);
  if (!term) return text;
  const verb = term[1]!;
  const names = board ? cells.map((cell) => cellName(board, cell)) : [];
  if (!board || cells.length === 0 || !cells.every((cell) => isNamed(board, cell))) return `${verb}${term[2]!}`;
  return PLAIN.includes(verb.toLowerCase()) ? names.join("-") : `${verb} ${names.join("-")}`;
}

/** Cells between others, such as lines between dots, have no name of their own. */
function isNamed(board: Board, cell: number): boolean {
  const columns = board.column_labels.length;
  return Boolean(board.column_labels[cell % columns]) && Boolean(board.row_labels[Math.floor(cell / columns)]);
}
