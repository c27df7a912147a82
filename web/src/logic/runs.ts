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
