// Who sits where: a person on one seat, or on none, and an opponent on the others.

import type { Level, Opponent } from "../api";
import { PERSON } from "./link";

export function opponentSeats(players: number, person: number | null, agent: string): string[] {
  return Array.from({ length: players }, (_, i) => (i === person ? PERSON : agent));
}

/** The first seat of a person; the first of all if there is none. */
export function personSeat(seats: string[]): number {
  return Math.max(0, seats.indexOf(PERSON));
}

/** The level that plays on all seats without a person; null if they were chosen otherwise. */
export function levelOf(seats: string[], opponents: Opponent[]): Level | null {
  const agents = new Set(seats.filter((seat) => seat !== PERSON));
  const found = opponents.find((opponent) => agents.has(opponent.agent));
  return agents.size === 1 && found ? found.level : null;
}
