// Rating the moves of a match by what they lose.
//
// The accuracy of a move is that of lichess, 103.1668 exp(-0.04354 d) - 3.1669 with d the loss of win probability in
// percent; the classes are those of chess.com, by loss of expected points.

import type { PlayedStep, Thought } from "../api";
import { valueInterval } from "./interval";
import { isChance } from "./turns";

export type MoveClass = "best" | "excellent" | "good" | "inaccuracy" | "mistake" | "blunder";

/** What was lost at one step by one player. `better` is what the agent would have played; `isExact` if both are solved. */
export type Rating = {
  step: number;
  player: number;
  text: string;
  better: string;
  loss: number;
  kind: MoveClass;
  isExact: boolean;
  /** Whether the move is proven to lose the match, and nothing was proven lost before it. */
  isForcedLoss?: boolean;
  /** How many moves of the other player that takes at most, if it was counted. */
  forcedLossIn?: number;
  /** Of a turn of several actions, whose first are `text` and `better`: all steps, and what the agent expected instead. */
  turn?: { steps: number[]; better: PlayedStep[] };
};

/** A move that was played and one that is better, as cells, with the sign of its class. */
export type Comparison = { played: number[]; better: number[]; sign: string };

/** The signs of chess books for moves that lose something. */
const SIGNS: Partial<Record<MoveClass, string>> = { inaccuracy: "?!", mistake: "?", blunder: "??" };

export function signOf(kind: MoveClass): string {
  return SIGNS[kind] ?? "";
}

/** What a move that lost something has to be compared with; null if it lost nothing, or the board does not show it. */
export function comparisonOf(rating: Rating, played: PlayedStep, before: Thought): Comparison | null {
  const sign = signOf(rating.kind);
  if (sign === "") return null;
  const arms = before.rows.find((row) => row.player === rating.player)?.arms ?? [];
  const better = arms.find((arm) => arm.text === rating.better)?.cells ?? [];
  return { played: played.cells[played.by.indexOf(rating.player)] ?? [], better, sign };
}

export const MOVE_CLASSES: MoveClass[] = ["best", "excellent", "good", "inaccuracy", "mistake", "blunder"];

const CLASSES: [number, MoveClass][] = [
  [0.005, "best"],
  [0.02, "excellent"],
  [0.05, "good"],
  [0.1, "inaccuracy"],
  [0.2, "mistake"],
];

export function classOf(loss: number): MoveClass {
  return CLASSES.find(([most]) => loss <= most)?.[1] ?? "blunder";
}

/** From 0 to 100. */
export function accuracy(loss: number): number {
  return Math.max(0, Math.min(100, 103.1668 * Math.exp(-0.04354 * 100 * loss) - 3.1669));
}

/** What a player can expect in a position of two players, by the thought of the one who is to move there. */
function valueFor(player: number, thought: Thought | undefined): number | null {
  if (thought?.value == null) return null;
  return thought.player === player ? thought.value : 1 - thought.value;
}

/** Whether a thought has proven that this player gets nothing, or that the one who is to move gets all. */
function isProvenLoss(player: number, thought: Thought | undefined): boolean {
  const arms = thought?.rows.find((row) => row.player === thought.player)?.arms ?? [];
  if (!thought || arms.length === 0) return false;
  if (thought.player === player) return arms.every((arm) => arm.proven && arm.value === 0);
  return arms.some((arm) => arm.proven && arm.value === 1);
}

/**
 * Rates the step that follows the position of `before`. Among two players who move in turn the loss is the difference to
 * what the next position is worth (`after`, or the payoffs if the match is over then); where several choose at once it
 * is the difference between the arms. `isSolved` if the values of positions are exact.
 */
export function rate(step: number, played: PlayedStep, before: Thought, after: Thought | undefined, payoffs: number[] | null, isSolved = false): Rating[] {
  if (isChance(played)) return [];
  return played.by.flatMap((player, i) => {
    const text = played.texts[i] ?? "";
    const arms = before.rows.find((row) => row.player === player)?.arms ?? [];
    const better = arms[0]?.text ?? before.action;
    const [best, chosen] = [arms.find((arm) => arm.text === better), arms.find((arm) => arm.text === text)];
    const isExact = (best?.proven ?? false) && (chosen?.proven ?? false);
    // Where both moves are solved, their values are exact and need no look at the next position.
    const exact = isExact ? Math.max(0, best!.value! - chosen!.value!) : null;
    const loss = exact ?? (played.by.length === 1 ? lossInTurn(player, text, before, after, payoffs) : lossAtOnce(text, arms));
    const isForcedLoss = played.by.length === 1 && isProvenLoss(player, after) && !isProvenLoss(player, before);
    return loss === null ? [] : [{ step, player, text, better, loss, kind: classOf(loss), isExact: isExact || isSolved, isForcedLoss }];
  });
}

/**
 * Rates a turn of several actions by what its player could expect before it and can after it; `after` is the thought of
 * whoever is next, or the payoffs if the match is over then.
 */
export function rateTurn(steps: number[], past: PlayedStep[], before: Thought, after: Thought | undefined, payoffs: number[] | null): Rating[] {
  const step = steps[0]!;
  const { by, texts } = past[step]!;
  const player = by[0]!;
  const end = before.line.findIndex((each) => each.by.length > 0 && !each.by.includes(player));
  const better = (end < 0 ? before.line : before.line.slice(0, end)).filter((each) => !isChance(each));
  const played = steps.map((each) => past[each]!.texts[0]);
  const isSame = played.every((text, i) => text === better[i]?.texts[0]);
  const [best, got] = [valueFor(player, before), payoffs ? (payoffs[player] ?? null) : valueFor(player, after)];
  if (best === null || got === null) return [];
  const loss = isSame ? 0 : Math.max(0, best - got);
  return [{ step, player, text: texts[0] ?? "", better: before.action, loss, kind: classOf(loss), isExact: false, turn: { steps, better } }];
}

/** What another move than the one that was played would lose, as far as the search has looked at it. */
export function lossOf(text: string, rating: Rating, before: Thought): number | null {
  if (text === rating.better) return 0;
  if (text === rating.text) return rating.loss;
  const arms = before.rows.find((row) => row.player === rating.player)?.arms ?? [];
  const [best, own] = [arms.find((arm) => arm.text === rating.better)?.value, arms.find((arm) => arm.text === text)?.value];
  return best == null || own == null ? null : Math.max(0, best - own);
}

function lossInTurn(player: number, text: string, before: Thought, after: Thought | undefined, payoffs: number[] | null): number | null {
  if (text === before.action) return 0;
  const best = valueFor(player, before);
  const got = payoffs ? (payoffs[player] ?? null) : valueFor(player, after);
  return best === null || got === null ? null : Math.max(0, best - got);
}

function lossAtOnce(text: string, arms: { text: string; value: number | null }[]): number | null {
  const values = arms.flatMap((arm) => (arm.value === null ? [] : [arm.value]));
  const got = arms.find((arm) => arm.text === text)?.value ?? null;
  return got === null || values.length === 0 ? null : Math.max(0, Math.max(...values) - got);
}

/** The mean accuracy of a player; null if nothing of it was rated. */
export function meanAccuracy(ratings: Rating[], player: number): number | null {
  const own = ratings.filter((rating) => rating.player === player);
  return own.length === 0 ? null : own.reduce((sum, rating) => sum + accuracy(rating.loss), 0) / own.length;
}

/** How many moves of a player are of a class. */
export function countOf(ratings: Rating[], player: number, kind: MoveClass): number {
  return ratings.filter((rating) => rating.player === player && rating.kind === kind).length;
}

/** The moves that lost most, the worst first. */
export function worst(ratings: Rating[], player: number | null, count: number): Rating[] {
  const own = ratings.filter((rating) => (player === null || rating.player === player) && rating.loss > 0.05);
  return [...own].sort((a, b) => b.loss - a.loss).slice(0, count);
}

/** The first player's expectation at a position with the interval of the search, for the graph; null if nothing is known. */
export function firstInterval(thought: Thought | undefined, players: number): { value: number; low: number; high: number } | null {
  const own = thought ? valueInterval(thought) : null;
  if (!own || thought!.player === 0) return own;
  return players === 2 ? { value: 1 - own.value, low: 1 - own.high, high: 1 - own.low } : null;
}
