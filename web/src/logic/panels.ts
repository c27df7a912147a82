// What stands beside the board: lists of numbers become cards, facts about a piece belong to its cell.

import type { Board, Panel, Position } from "../api";
import { cellName } from "./geometry";

/** A panel's text with the numbers at its end taken out: `0 points, holds 1 2 3` or `+2`. */
export type Cards = { text: string; cards: string[] };

export function cardsOf(text: string): Cards {
  const found = /^(.*?)\s*((?:[+-]?\d+(?:\s+|$))+)$/.exec(text.trim());
  if (!found) return { text, cards: [] };
  const cards = found[2]!.trim().split(/\s+/);
  const before = found[1]!;
  if (before === "") return { text: "", cards };
  return cards.length >= 2 || /holds$/.test(before) ? { text: before, cards } : { text, cards: [] };
}

export type PiecePanel = { cell: number; owner: number | null; symbol: string; text: string; hitPoints: number | null };

/** Panels such as `A a2: 1000 hp, attack 50` by cell, and those that are left. */
export function piecePanels(board: Board | null, panels: Panel[]): { pieces: PiecePanel[]; others: Panel[] } {
  if (!board) return { pieces: [], others: panels };
  const cellOf = new Map<string, number>(board.cells.flatMap((cell, i) => (cell.symbol ? [[`${cell.symbol} ${cellName(board, i)}`, i] as const] : [])));
  const pieces: PiecePanel[] = [];
  const others: Panel[] = [];
  for (const panel of panels) {
    const cell = cellOf.get(panel.title);
    if (cell === undefined) {
      others.push(panel);
      continue;
    }
    const points = /^(\d+) hp\b/.exec(panel.text);
    const { symbol, owner } = board.cells[cell]!;
    pieces.push({ cell, owner, symbol, text: panel.text, hitPoints: points ? Number(points[1]) : null });
  }
  return { pieces, others };
}

/** True if everyone chooses among numbers at the start. */
export function isCardGame(start: Pick<Position, "legal">): boolean {
  return start.legal.length > 0 && start.legal.every((choosing) => areCards(choosing.actions.map((action) => action.text)));
}

/** True if every choice is a number: such actions are drawn as cards in hand. */
export function areCards(texts: string[]): boolean {
  return texts.length > 0 && texts.every((text) => /^[+-]?\d+$/.test(text));
}
