// Tables as CSV, for spreadsheets and scripts.

export type CsvCell = string | number | null;

export function csv(header: string[], rows: CsvCell[][]): string {
  return [header, ...rows].map((row) => `${row.map(field).join(",")}\n`).join("");
}

function field(value: CsvCell): string {
  const text = value === null ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
