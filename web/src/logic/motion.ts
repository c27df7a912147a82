// How pieces came from one position to the next, for showing it where several move at once.

import type { Board, Way, WayPoint } from "../api";

/** Names a piece, if there is one of its kind. */
export function pieceKey(piece: { symbol: string; owner: number | null }): string {
  return `${piece.owner}:${piece.symbol}`;
}

/**
 * The ways of all pieces that have moved between two positions: those that the server tells, and
 * straight ones for the others. Pieces that cannot be told from each other have no way.
 */
export function ways(before: Board, after: Board, told: Way[]): Map<string, WayPoint[]> {
  const [old, now] = [places(before), places(after)];
  const found = new Map<string, WayPoint[]>();
  for (const [key, to] of now) {
    const from = old.get(key);
    if (from === undefined || from === to) continue;
    found.set(key, [
      { at: 0, cell: from },
      { at: 1, cell: to },
    ]);
  }
  for (const way of told) found.set(pieceKey(way), way.points);
  return found;
}

/** The cell of every piece of which there is only one. */
function places(board: Board): Map<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  board.cells.forEach((cell, i) => {
    for (const piece of cell.pieces) {
      const key = pieceKey(piece);
      if (found.has(key)) twice.add(key);
      found.set(key, i);
    }
  });
  for (const key of twice) found.delete(key);
  return found;
}
