// What a step in which several chose at once has brought each of them.

import type { PlayedStep, View } from "../api";

export type Revealed = { player: number; text: string; gain: number | null };

/** Gains are differences of the game's own points; null where it has none. */
export function reveal(step: PlayedStep, before: View | null, after: View | null): Revealed[] {
  const points = (view: View | null, player: number) => view?.players[player]?.score?.value ?? null;
  return step.by.map((player, i) => {
    const [was, is] = [points(before, player), points(after, player)];
    return { player, text: step.texts[i] ?? "", gain: was === null || is === null ? null : is - was };
  });
}
