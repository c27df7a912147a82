// What an agent thinks, laid over the board.

import type { Arm } from "../api";

export type Heat = { cell: number; share: number; value: number | null };
export type Arrow = { from: number; to: number; share: number };

/** The share of every cell on which an arm ends, and the value of the best arm there. */
export function heat(arms: Arm[]): Heat[] {
  const cells = new Map<number, Heat & { best: number }>();
  for (const arm of arms) {
    const cell = arm.cells.at(-1);
    if (cell === undefined) continue;
    const here = cells.get(cell) ?? { cell, share: 0, value: null, best: -1 };
    here.share += arm.share;
    if (arm.share > here.best) [here.best, here.value] = [arm.share, arm.value];
    cells.set(cell, here);
  }
  return [...cells.values()].map(({ cell, share, value }) => ({ cell, share, value }));
}

/** The largest moves from one cell to another. Actions with the same ends, such as two kinds of strike, are one arrow. */
export function arrows(arms: Arm[], count = 3): Arrow[] {
  const byEnds = new Map<string, Arrow>();
  for (const { cells, share } of arms) {
    const [from, to] = [cells[0], cells.at(-1)];
    if (cells.length < 2 || from === undefined || to === undefined || from === to) continue;
    const arrow = byEnds.get(`${from}-${to}`) ?? { from, to, share: 0 };
    arrow.share += share;
    byEnds.set(`${from}-${to}`, arrow);
  }
  const largest = [...byEnds.values()].filter((arrow) => arrow.share >= 0.03).sort((a, b) => b.share - a.share);
  return largest.slice(0, count);
}
