// Tables as CSV, for spreadsheets and scripts.

import type { ExperimentResult, ResultTally } from "../api";

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

/** Every pairing of a result, together and by seat. */
export function resultCsv(result: ExperimentResult): string {
  const header = ["name", "seat", "game", "first", "second", "seed", ...TALLY_COLUMNS, "measured", "paper", "verdict"];
  const rows = result.cells.flatMap((cell) =>
    [cell.all, ...cell.seats].map((tally, i): CsvCell[] => [
      cell.name,
      i === 0 ? "all" : i,
      cell.game,
      cell.first,
      cell.second,
      cell.seed,
      ...tallyCells(tally),
      i === 0 ? (cell.measured?.value ?? null) : null,
      tally.paper?.score ?? null,
      tally.verdict,
    ]),
  );
  return csv(header, rows);
}

function field(value: CsvCell): string {
  const text = value === null ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
