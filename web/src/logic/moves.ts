// Moves as people write them, where a game writes them as terms of its rules.

import type { Board } from "../api";
import { cellName } from "./geometry";
import { sharedPictures } from "./pieces";

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

/** What the piece on a cell is called before an action: its kind, or its letter where several are of a kind. */
export function pieceName(board: Board | null, cell: number | undefined, word: (kind: string) => string): string {
  const piece = cell === undefined ? undefined : board?.cells[cell]?.pieces.at(-1);
  if (!piece?.picture) return "";
  return sharedPictures(board!).has(piece.picture) ? piece.symbol : word(piece.picture);
}

/** Cells between others, such as lines between dots, have no name of their own. */
function isNamed(board: Board, cell: number): boolean {
  const columns = board.column_labels.length;
  return Boolean(board.column_labels[cell % columns]) && Boolean(board.row_labels[Math.floor(cell / columns)]);
}
