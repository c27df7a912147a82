// Where the values of a figure are drawn, and what they are in numbers.

import type { Figure } from "../api";
import { csv, type CsvCell } from "./csv";

/** A value on an axis becomes a place; `ticks` are round values. */
export type Scale = { at: (value: number) => number; ticks: number[] };

export function linear([low, high]: [number, number], [from, to]: [number, number], count = 5): Scale {
  const span = high - low || 1;
  const step = roundStep(span / count);
  const first = Math.ceil(low / step - 1e-9);
  const ticks = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  return { at: (value) => from + ((value - low) / span) * (to - from), ticks };
}

/** Powers of ten, and the values themselves where there are few. */
export function logarithmic([low, high]: [number, number], [from, to]: [number, number]): Scale {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const span = b - a || 1;
  const ticks: number[] = [];
  for (let power = Math.floor(a); power <= Math.ceil(b); power++) {
    for (const digit of span < 1.5 ? [1, 2, 5] : [1]) {
      const tick = Number((digit * 10 ** power).toPrecision(12));
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return { at: (value) => from + ((Math.log10(value) - a) / span) * (to - from), ticks };
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999)!;
}

/** The least and the greatest, with a little room on both sides. */
export function range(values: number[], room = 0.05): [number, number] {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const extra = (high - low || Math.abs(high) || 1) * room;
  return [low - extra, high + extra];
}

/** Colours that stay apart for the colour-blind (Okabe and Ito), with a dash for each. */
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#6b6b6b", "#7a5195"];
export const DASHES = ["", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3", "8 3 2 3"];

/** What the figure shows, as a table. */
export function figureCsv(figure: Figure): string {
  switch (figure.kind) {
    case "bars":
      return csv(
        ["name", figure.value_label, "low", "high", "paper"],
        figure.bars.map((bar) => [bar.label, bar.value, bar.low, bar.high, bar.reference]),
      );
    case "curves":
      return csv(["series", figure.x_label, figure.y_label, "low", "high", "paper"], curveRows(figure));
    case "histogram":
      return csv(
        ["series", figure.x_label, "games"],
        figure.series.flatMap(({ name, counts }) => counts.map(([value, count]): CsvCell[] => [name, value, count])),
      );
    case "heat-map": {
      const width = figure.columns.length;
      const row = (name: string, i: number): CsvCell[] => [name, ...figure.values.slice(i * width, (i + 1) * width)];
      return csv([`${figure.y_label} \\ ${figure.x_label}`, ...figure.columns], figure.rows.map(row));
    }
  }
}

function curveRows(figure: Extract<Figure, { kind: "curves" }>): CsvCell[][] {
  return figure.curves.flatMap(({ name, points, references }) => {
    const paper = new Map(references);
    const measured = points.map((point): CsvCell[] => [name, point.x, point.y, point.low, point.high, paper.get(point.x) ?? null]);
    const alone = references.filter(([x]) => !points.some((point) => point.x === x));
    return [...measured, ...alone.map(([x, y]): CsvCell[] => [name, x, null, null, null, y])];
  });
}
