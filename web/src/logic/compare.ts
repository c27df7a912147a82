// Runs side by side: what tells them apart, how their scores went, and how far they lie from one of them.

import type { Span, StoreEntry } from "../api";

/** More lines than these cannot be told apart in one chart. */
export const MOST_COMPARED = 6;

export type CoursePoint = { games: number; score: number; low: number; high: number };

/** A run of exploitability has no score. */
export const isComparable = (run: StoreEntry): boolean => run.nash_conv === null && run.all.score !== null;

/** The score as the games were played, from the values of the server's figure: the last five columns of each row. */
export function coursePoints(csv: string): CoursePoint[] {
  return csv
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => {
      const [games, score, low, high] = row.split(",").slice(-5).map(Number);
      return { games: games!, score: score!, low: low!, high: high! };
    })
    .filter(({ games, score, low, high }) => [games, score, low, high].every(Number.isFinite));
}

export type RunParts = { game: string | null; first: string | null; second: string | null; seed: number | null };

/** Of each run what others do not share; at least its agents. */
export function distinctParts(runs: StoreEntry[]): RunParts[] {
  const differs = (value: (run: StoreEntry) => unknown) => new Set(runs.map(value)).size > 1;
  const [game, first, second] = [differs((run) => run.game), differs((run) => run.agents[0]), differs((run) => run.agents[1])];
  const isFull = !game && !first && !second;
  const name = (run: StoreEntry) => `${run.game} ${run.agents.join(" ")}`;
  return runs.map((run) => ({
    game: game ? run.game : null,
    first: first || isFull ? run.agents[0] : null,
    second: second || isFull ? run.agents[1] : null,
    seed: runs.some((other) => other !== run && name(other) === name(run)) ? run.seed : null,
  }));
}

/** The difference of two scores with its 95 % interval, from the intervals of both (Newcombe's method). */
export function difference(of: Span, to: Span): { value: number; low: number; high: number } {
  const value = of.value - to.value;
  return { value, low: value - Math.hypot(of.value - of.low, to.high - to.value), high: value + Math.hypot(of.high - of.value, to.value - to.low) };
}
