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

/** The largest moves from one cell to another. */
export function arrows(arms: Arm[], count = 3): Arrow[] {
  const moving = arms.filter((arm) => arm.cells.length >= 2 && arm.cells[0] !== arm.cells.at(-1) && arm.share >= 0.03);
  return moving.slice(0, count).map((arm) => ({ from: arm.cells[0]!, to: arm.cells.at(-1)!, share: arm.share }));
}
