// Tables as CSV, for spreadsheets and scripts.

import type { ResultTally } from "../api";

export type CsvCell = string | number | null;

export function csv(header: string[], rows: CsvCell[][]): string {
  return [header, ...rows].map((row) => `${row.map(field).join(",")}\n`).join("");
}

/** The columns of won, drawn and lost games with score and Elo, as [`tallyCells`] fills them. */
export const TALLY_COLUMNS = ["games", "wins", "draws", "losses", "score", "low", "high", "elo", "elo_low", "elo_high"];

export function tallyCells({ wins, draws, losses, score, elo }: ResultTally): CsvCell[] {
  const spans = [score, elo].flatMap((span) => [span?.value ?? null, span?.low ?? null, span?.high ?? null]);
  return [wins + draws + losses, wins, draws, losses, ...spans];
}

function field(value: CsvCell): string {
  const text = value === null ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
