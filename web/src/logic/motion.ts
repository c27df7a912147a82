// How pieces came from one position to the next, for showing it: robots that were ordered to go several cells.

import type { Board, PlayedStep } from "../api";

/** Where a piece is, at which part of the time. */
export type Way = { at: number; cell: number }[];

/** The directions that orders are written with. */
const DIRECTIONS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
] as const;
/** About how many frames commands take. What counts is the part of a session that each of them fills. */
const FRAMES = { move: 40, act: 24, wait: 10, session: 180 };

/** Names a piece, if there is one of its kind. */
export function pieceKey(piece: { symbol: string; owner: number | null }): string {
  return `${piece.owner}:${piece.symbol}`;
}

/**
 * The ways of all pieces that have moved between two positions. Orders say through which cells a piece went, if they
 * lead to where it is now; if not, it goes straight. Pieces that cannot be told from each other have no way.
 */
export function ways(before: Board, after: Board, orders: PlayedStep[]): Map<string, Way> {
  const [old, now] = [places(before), places(after)];
  const found = new Map<string, Way>();
  for (const [key, to] of now) {
    const from = old.get(key);
    if (from === undefined || from === to) continue;
    const written = orders.flatMap((step) => commandsFor(step, key, now));
    const ordered = written.map((commands) => walk(after, from, to, commands)).find((way) => way !== null);
    found.set(
      key,
      ordered ?? [
        { at: 0, cell: from },
        { at: 1, cell: to },
      ],
    );
  }
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

/** `00AA 1AA -` has a string for each piece of a player, in the order of their symbols. */
function commandsFor(step: PlayedStep, key: string, all: Map<string, number>): string[] {
  const owner = key.slice(0, key.indexOf(":") + 1);
  const own = [...all.keys()].filter((other) => other.startsWith(owner)).sort();
  const texts = step.by.flatMap((player, i) => (`${player}:` === owner ? [step.texts[i] ?? ""] : []));
  const strings = (texts[0] ?? "").split(" ");
  const commands = strings.length === own.length ? strings[own.indexOf(key)] : undefined;
  return commands !== undefined && /^[0-5A.]+$/.test(commands) ? [commands] : [];
}

/** The way that commands lead, if it ends where the piece is. A move that was under way before may come first. */
function walk(board: Board, from: number, to: number, commands: string): Way | null {
  const starts = [from, ...DIRECTIONS.map((_, direction) => beside(board, from, direction)).filter((cell) => cell !== null)];
  for (const start of starts) {
    const way: Way = [{ at: 0, cell: from }];
    let frame = start === from ? 0 : FRAMES.move / 2;
    let cell = start;
    if (start !== from) way.push({ at: frame, cell });
    let best = cell === to ? way.length : 0;
    for (const command of commands) {
      const isMove = command >= "0" && command <= "5";
      frame += isMove ? FRAMES.move : command === "A" ? FRAMES.act : FRAMES.wait;
      if (frame > FRAMES.session + FRAMES.move) break;
      if (!isMove) {
        way.push({ at: frame, cell });
        continue;
      }
      const next = beside(board, cell, Number(command));
      if (next === null) continue;
      cell = next;
      way.push({ at: frame, cell });
      if (cell === to) best = way.length;
    }
    if (best > 0) {
      const end = Math.max(FRAMES.session, way[best - 1]!.at);
      return [...way.slice(0, best).map((place) => ({ ...place, at: place.at / end })), { at: 1, cell: to }];
    }
  }
  return null;
}

function beside(board: Board, cell: number, direction: number): number | null {
  const columns = board.column_labels.length;
  const [dx, dy] = DIRECTIONS[direction]!;
  const [x, y] = [(cell % columns) + dx, Math.floor(cell / columns) + dy];
  const isInside = x >= 0 && x < columns && y >= 0 && y < board.row_labels.length;
  const next = y * columns + x;
  return isInside && !board.cells[next]!.is_hole && board.cells[next]!.ground !== "wall" ? next : null;
}
