// How sure a search is of the value that it gives.

import type { Thought } from "../api";

const Z95 = 1.96;

/**
 * The value with its 95 % interval. Payoffs lie between 0 and 1, so a mean of n of them with value v has a standard error
 * of at most the root of v (1 - v) / n; n are the visits of the move that is played. What is proven has no interval.
 */
export function valueInterval(thought: Thought): { value: number; low: number; high: number } | null {
  const { value } = thought;
  if (value === null) return null;
  const arm = thought.rows.find((row) => row.player === thought.player)?.arms.find((each) => each.text === thought.action);
  const visits = arm?.visits ?? thought.iterations;
  if (arm?.proven || visits <= 0) return { value, low: value, high: value };
  // Four visits more, half of them won, keep the interval open where all playouts end alike (Agresti and Coull).
  const [n, mean] = [visits + 4, (visits * value + 2) / (visits + 4)];
  const error = Z95 * Math.sqrt((mean * (1 - mean)) / n);
  return { value, low: Math.max(0, Math.min(value, mean - error)), high: Math.min(1, Math.max(value, mean + error)) };
}
