// Questions about the past of a match.

import type { PlayedStep, Turn } from "../api";

/** `withinTurn` if nobody else has chosen since: an action of the same turn is undone, not a move taken back. */
export type Undo = { keep: number; withinTurn: boolean };

/** How many steps stay when the last choice of a person is undone; null if no person has chosen. */
export function undo(past: PlayedStep[], turn: Turn, isPerson: (player: number) => boolean): Undo | null {
  const last = past.findLastIndex((step) => step.by.some(isPerson));
  if (last < 0) return null;
  const by = past[last]!.by;
  const nobodySince = past.slice(last + 1).every(isChance);
  const withinTurn = nobodySince && by.length === 1 && turn.kind === "choose" && turn.players.length === 1 && turn.players[0] === by[0];
  return { keep: last, withinTurn };
}

export function isChance(step: PlayedStep): boolean {
  return step.by.length === 0;
}

/** How many of the steps somebody chose: what people count as moves. */
export function movesAmong(past: PlayedStep[]): number {
  return past.filter((step) => !isChance(step)).length;
}

/** A row of the list of moves: a turn, or what chance did, such as abilities that are dealt one by one. */
export type MoveRow = { from: number; to: number };
const LONG_CHANCE = 3;

/** The steps as rows; `from` and `to` are places in the past, `to` not included. Chance within a turn belongs to its row. */
export function moveRows(past: PlayedStep[], players: number): MoveRow[] {
  const rows: MoveRow[] = [];
  const ends = new Map(turnsOf(past, players).map(({ step, steps }) => [step, steps.at(-1)! + 1]));
  for (let from = 0; from < past.length; ) {
    let to = from;
    while (to < past.length && isChance(past[to]!)) to++;
    if (to - from < LONG_CHANCE) to = ends.get(from) ?? from + 1;
    rows.push({ from, to });
    from = to;
  }
  return rows;
}

/** The last step that somebody chose, for marking it on the board. */
export function lastChosen(past: PlayedStep[]): PlayedStep | null {
  return past.findLast((step) => !isChance(step)) ?? null;
}

/** Who got the most, if not everyone did. */
export function winners(payoffs: number[]): number[] {
  const best = Math.max(...payoffs);
  const first = payoffs.flatMap((payoff, player) => (payoff === best ? [player] : []));
  return first.length === payoffs.length && payoffs.length > 1 ? [] : first;
}

/** A turn: the steps that one player chooses until another one does, or a step in which several choose at once. */
export type TurnOf = { step: number; steps: number[] };

/** The turns of a match. Chance belongs to none; where a player is alone every step is a turn. */
export function turnsOf(past: PlayedStep[], players: number): TurnOf[] {
  const turns: TurnOf[] = [];
  for (const [step, { by }] of past.entries()) {
    if (by.length === 0) continue;
    const last = turns.at(-1);
    const before = last ? past[last.step]!.by : [];
    const goesOn = players > 1 && by.length === 1 && before.length === 1 && before[0] === by[0];
    if (last && goesOn) last.steps.push(step);
    else turns.push({ step, steps: [step] });
  }
  return turns;
}
