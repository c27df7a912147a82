// Orders that are written as a string of commands for each piece of a player: `00AA 1AA -`.

import type { Board, LegalAction } from "../api";

/** Most commands of a string. */
export const MAX_COMMANDS = 9;

/** Whether these are orders: every action has the same number of strings, and there are two or more. */
export function isOrders(actions: LegalAction[]): boolean {
  const counts = new Set(actions.map((action) => action.text.split(" ").length));
  const isWritten = actions.every((action) => action.text.split(" ").every((part) => /^(-|[0-5A.]+)$/.test(part)));
  return actions.length > 0 && isWritten && counts.size === 1 && !counts.has(1);
}

/** The strings that are listed for one piece, each once, the longest first. */
export function plansFor(actions: LegalAction[], piece: number): string[] {
  const plans = actions.map((action) => action.text.split(" ")[piece] ?? "-").filter((plan) => plan !== "-");
  return [...new Set(plans)].sort((a, b) => b.length - a.length || a.localeCompare(b, "en"));
}

export function joined(plans: string[]): string {
  return plans.map((plan) => plan || "-").join(" ");
}

/** Where the pieces of a player stand, in the order of their symbols. */
export function piecesOf(board: Board, player: number): { symbol: string; cell: number }[] {
  const all = board.cells.flatMap((cell, i) => cell.pieces.filter((piece) => piece.owner === player).map((piece) => ({ symbol: piece.symbol, cell: i })));
  return all.sort((a, b) => a.symbol.localeCompare(b.symbol, "en"));
}
