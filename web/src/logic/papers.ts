// Experiments and runs by the paper that they belong to. The papers themselves come from the server.

import type { PaperEntry, PartEntry, ResultEntry } from "../api";

/** What belongs to one paper, or to a game about which there is none. */
export type PaperGroup<T> = { key: string; topic: string; paper: PaperEntry | null; items: T[] };

/** The paper that an experiment repeats or adds something to. */
export function paperOf(papers: PaperEntry[], id: string): PaperEntry | null {
  const isOf = (paper: PaperEntry) => paper.added.includes(id) || paper.parts.some((part) => part.experiments.includes(id));
  return papers.find(isOf) ?? null;
}

/** The table, figure or section that an experiment repeats. */
export function partOf(papers: PaperEntry[], id: string): PartEntry | null {
  return papers.flatMap((paper) => paper.parts).find((part) => part.experiments.includes(id)) ?? null;
}

/** What an experiment is about: what its id begins with. */
export function topicOf(id: string): string {
  return id.split("-", 1)[0]!;
}

/** Groups in the order of the papers; then what belongs to none, by topic. */
export function byPaper<T>(items: T[], idOf: (item: T) => string, papers: PaperEntry[]): PaperGroup<T>[] {
  const groups = new Map(papers.map((paper): [string, PaperGroup<T>] => [paper.key, { key: paper.key, topic: paper.key, paper, items: [] }]));
  for (const item of items) {
    const key = paperOf(papers, idOf(item))?.key ?? topicOf(idOf(item));
    const group = groups.get(key) ?? { key, topic: key, paper: null, items: [] };
    group.items.push(item);
    groups.set(key, group);
  }
  return [...groups.values()].filter((group) => group.items.length > 0);
}

/** How many tables and figures that can be measured have a result. */
export function partsDone(paper: PaperEntry, hasResult: (id: string) => boolean): { done: number; all: number } {
  const parts = paper.parts.filter((part) => part.is_measured);
  return { done: parts.filter((part) => part.experiments.some(hasResult)).length, all: parts.length };
}

/** Whether an experiment of this kind consists of measurements, not of games. */
export function isMeasured(kind: string): boolean {
  return ["exploitability", "probe", "features", "evolution"].includes(kind);
}

/** Of every experiment the scale with the most games. */
export function largestScales(entries: ResultEntry[]): ResultEntry[] {
  const largest = new Map<string, ResultEntry>();
  for (const entry of entries) if (entry.games_done > (largest.get(entry.id)?.games_done ?? -1)) largest.set(entry.id, entry);
  return [...largest.values()];
}
