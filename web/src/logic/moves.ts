// Moves as people write them, where a game writes them as terms of its rules.

import type { Board } from "../api";
import { cellName } from "./geometry";
import { sharedPictures } from "./pieces";

const TERM = /^\(([^()\s]+)((?: [^()\s]+)*)\)$/;
/** Verbs that say no more than the cells do. */
const PLAIN = ["move", "mark", "put", "place", "drop", "play", "put_down"];

/**
 * `(move white pawn e 2 e 4)` with the cells e2 and e4 is `e2-e4`, `(remove outer n)` is `remove d7`, and what stands
 * behind the last cell is kept: `(mark f 4 7)` is `f4 7`. Terms that no
 * cells belong to lose their parentheses; what is no term stays as it is.
 */
export function readable(text: string, cells: number[], board: Board | null): string {
  const term = TERM.exec(text);
  if (!term) return text;
  const verb = term[1]!;
  const names = board ? cells.map((cell) => cellName(board, cell)) : [];
  if (!board || cells.length === 0 || !cells.every((cell) => isNamed(board, cell))) return `${verb}${term[2]!}`;
  const where = [names.join("-"), ...wordsBehind(term[2]!.trim().split(" "), cells.at(-1)!, board)].join(" ");
  return PLAIN.includes(verb.toLowerCase()) ? where : `${verb} ${where}`;
}

/** The words behind those that name the last cell: one word, two, or four on a board of boards. */
function wordsBehind(words: string[], cell: number, board: Board): string[] {
  const columns = board.column_labels.length;
  const labels = [board.column_labels[cell % columns]!, board.row_labels[Math.floor(cell / columns)]!];
  const isPair = (i: number) => [labels, labels.toReversed()].some(([first, second]) => words[i] === first && words[i + 1] === second);
  const pair = words.findLastIndex((_, i) => isPair(i));
  if (pair >= 0) return words.slice(pair + 2);
  const name = words.lastIndexOf(labels.join(""));
  if (name >= 0) return words.slice(name + 1);
  return words.length === 5 ? words.slice(4) : [];
}

/** Terms that differ in some words only are told apart by these; other actions as they are written. */
export function apart(texts: string[], written: string[]): string[] {
  const words = texts.map((text) => TERM.exec(text)?.[0].slice(1, -1).split(" ") ?? []);
  const [first] = words;
  if (!first || words.length < 2 || first.length === 0 || words.some((each) => each.length !== first.length)) return written;
  return words.map((each) => each.filter((_, i) => words.some((other) => other[i] !== each[i])).join(" "));
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
