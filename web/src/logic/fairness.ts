// What the games of several judges say about a map, in one reason.

import type { JudgeVerdict, UnfairName } from "../api";

/** `judge` is the one that says so most clearly; `share` what the side scores, or the share of draws. */
export type Verdict = { reason: "fair" | "unknown" | UnfairName; judge: string | null; share: number };

const games = ({ wins, draws }: JudgeVerdict) => Math.max(1, wins[0] + draws + wins[1]);

/** The clearest reasons first: a side that wins too much says more than too few games. */
const ORDER: UnfairName[] = ["first-side", "second-side", "draws", "one-course", "undecided"];

export function verdictOf(judges: JudgeVerdict[], isFair: boolean | null): Verdict {
  if (isFair) return { reason: "fair", judge: null, share: 0.5 };
  const reasons = judges.flatMap((one) => one.unfair.map((reason) => ({ reason, one })));
  const distance = ({ one }: { one: JudgeVerdict }) => Math.abs(one.score.value - 0.5);
  const [first] = reasons.sort((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason) || distance(b) - distance(a));
  if (!first) return { reason: "unknown", judge: null, share: 0.5 };
  const { reason, one } = first;
  const share = reason === "draws" ? one.draws / games(one) : reason === "second-side" ? 1 - one.score.value : one.score.value;
  return { reason, judge: one.judge, share };
}

/** What evolution is asked for to find maps like a drawn one. */
export function likeMap(map: { columns: number; rows: number; turn_limit: number; units: { side: number }[] }) {
  const count = (side: number) => map.units.filter((unit) => unit.side === side).length;
  return { columns: map.columns, rows: map.rows, units_a_side: Math.max(1, count(0), count(1)), turn_limit: map.turn_limit };
}
