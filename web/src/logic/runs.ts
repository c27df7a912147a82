// The runs of the store as rows of a table: which are shown, in which order, and as CSV.

import type { StoreEntry } from "../api";
import { csv, type CsvCell, TALLY_COLUMNS, tallyCells } from "./csv";

export type SortKey = "game" | "first" | "second" | "games" | "score" | "elo";
export type Sort = { key: SortKey; isDown: boolean };
export type RunState = "done" | "partial" | "stale" | "free";

/** `free` belongs to no experiment, such as a duel. */
export function stateOf(run: StoreEntry): RunState {
  if (run.is_stale) return "stale";
  if (run.games_wanted === null) return "free";
  return run.games >= run.games_wanted ? "done" : "partial";
}

/** Every word of the filter has to occur in what is played, in the experiment or in the paper. */
export function matches(run: StoreEntry, filter: string): boolean {
  const uses = run.used_by.map((use) => `${use.experiment} ${use.name} ${use.repeats}`).join(" ");
  const text = `${run.game} ${run.agents.join(" ")} ${uses} ${stateOf(run)}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function sorted(runs: StoreEntry[], { key, isDown }: Sort): StoreEntry[] {
  const value = (run: StoreEntry): string | number => {
    switch (key) {
      case "game":
        return run.game;
      case "first":
        return run.agents[0];
      case "second":
        return run.agents[1];
      case "games":
        return run.games;
      case "score":
        return run.all.score?.value ?? -1;
      case "elo":
        return run.all.elo?.value ?? Math.sign((run.all.score?.value ?? 0) - 0.5) * Infinity;
    }
  };
  const order = (a: StoreEntry, b: StoreEntry) => {
    const [x, y] = [value(a), value(b)];
    const less = typeof x === "string" && typeof y === "string" ? x.localeCompare(y, "en", { numeric: true }) : Number(x) - Number(y) || 0;
    return isDown ? -less : less;
  };
  return [...runs].sort(order);
}

/** The experiment by which a run is grouped; runs of none, such as duels, have the name `duel`. */
export const experimentOf = (run: StoreEntry): string => run.used_by[0]?.experiment ?? "duel";
export const repeatsOf = (run: StoreEntry): string => run.used_by.find((use) => use.repeats !== "")?.repeats ?? "";

export function runsCsv(runs: StoreEntry[]): string {
  const header = ["cell", "experiments", "game", "first", "second", "seed", "openings", "state", "seat", ...TALLY_COLUMNS, "p", "nash_conv", "seconds"];
  const rows = runs.flatMap((run) =>
    [run.all, ...run.seats].map((tally, i): CsvCell[] => [
      run.cell,
      [...new Set(run.used_by.map((use) => use.experiment))].join(" "),
      run.game,
      ...run.agents,
      run.seed,
      run.openings,
      stateOf(run),
      i === 0 ? "all" : i,
      ...tallyCells(tally),
      i === 0 ? run.p : null,
      run.nash_conv?.value ?? null,
      i === 0 ? run.seconds : null,
    ]),
  );
  return csv(header, rows);
}

const POINTS: Record<string, number> = { W: 1, D: 0.5, L: 0 };

/** The score after some of the games, with the half width of its 95 % interval; at most `count` places. */
export function scoreOverGames(outcomes: string, count = 60): { games: number; score: number; low: number; high: number }[] {
  const found = [];
  const step = Math.max(1, Math.ceil(outcomes.length / count));
  let [sum, squares] = [0, 0];
  for (let i = 0; i < outcomes.length; i++) {
    const points = POINTS[outcomes[i]!] ?? 0;
    sum += points;
    squares += points * points;
    const n = i + 1;
    if (n % step !== 0 && n !== outcomes.length) continue;
    const score = sum / n;
    // Two games of each kind more keep the interval from closing when all games end alike (Agresti and Coull).
    const [m, mean] = [n + 4, (sum + 2) / (n + 4)];
    const spread = 1.96 * Math.sqrt(Math.max(0, (squares + 2) / m - mean * mean) / m);
    found.push({ games: n, score, low: Math.max(0, Math.min(score, mean - spread)), high: Math.min(1, Math.max(score, mean + spread)) });
  }
  return found;
}
