// Questions about the past of a match.

import type { Past, Turn } from "../api";

/** `withinTurn` if nobody else has chosen since: an action of the same turn is undone, not a move taken back. */
export type Undo = { keep: number; withinTurn: boolean };

/** How many steps stay when the last choice of a person is undone; null if no person has chosen. */
export function undo(past: Past[], turn: Turn, isPerson: (player: number) => boolean): Undo | null {
  const last = past.findLastIndex((step) => step.by.some(isPerson));
  if (last < 0) return null;
  const by = past[last]!.by;
  const nobodySince = past.slice(last + 1).every((step) => step.by.length === 0);
  const withinTurn = nobodySince && by.length === 1 && turn.kind === "choose" && turn.players.length === 1 && turn.players[0] === by[0];
  return { keep: last, withinTurn };
}

/** The last step that somebody chose, for marking it on the board. */
export function lastChosen(past: Past[]): Past | null {
  return past.findLast((step) => step.by.length > 0) ?? null;
}

/** Who got the most, if not everyone did. */
export function winners(payoffs: number[]): number[] {
  const best = Math.max(...payoffs);
  const first = payoffs.flatMap((payoff, player) => (payoff === best ? [player] : []));
  return first.length === payoffs.length && payoffs.length > 1 ? [] : first;
}

export function isEndOfTurn(text: string): boolean {
  return /^\(?(end|end turn|end-turn|endturn)\)?$/i.test(text.trim());
}

/** Which step of a record the server found wrong, from its message, counted from 1. */
export function wrongStep(message: string): number | null {
  const found = /step (\d+) of the record/.exec(message);
  return found ? Number(found[1]) : null;
}
