// Experiments and runs by the paper that they repeat.

/** What belongs to one paper, or to a game about which there is none. */
export type PaperGroup<T> = { key: string; topic: string; authors: string; items: T[] };

/** The papers that are repeated, and what of them. An experiment names both in one text, `Kato and Miwa, table 1`. */
const PAPERS: Record<string, string[]> = {
  "Kato, Miwa, Tsuruoka and Chikayama": ["section 6.3", "sections 6.2 and 6.3", "table 1", "table 2", "table 3 and figures 5 to 7", "tables 1 and 2, both seats together"],
  "Shimura and Yamaguchi": ["figure 1", "table 1", "table 2", "table 3", "tables 1 and 2"],
  "Takeshita, Hashimoto, Akama": ["table 3", "sections 5.2 and 6.4: the final of 7 minutes"],
  "Uemiya and Yokoyama": ["table 1", "table 2", "table 3", "table 6"],
};
const KNOWN: ReadonlyMap<string, { authors: string; part: string }> = new Map(
  Object.entries(PAPERS).flatMap(([authors, parts]) => parts.map((part) => [`${authors}, ${part}`, { authors, part }] as const)),
);

/** The authors of the paper. What is not known is a paper of its own, as a whole. */
export function authorsOf(repeats: string): string {
  return KNOWN.get(repeats)?.authors ?? repeats;
}

/** The table or figure: `table 1`; empty if it is not known. */
export function partOf(repeats: string): string {
  return KNOWN.get(repeats)?.part ?? "";
}

/** The game that an experiment is about: what its id begins with. */
export function topicOf(id: string): string {
  return id.split("-", 1)[0]!;
}

/**
 * Groups by paper, in the order of the first item of each. What repeats no paper joins the paper of its topic if there is
 * just one; else it stands in a group of its own.
 */
export function byPaper<T>(items: T[], idOf: (item: T) => string, repeatsOf: (item: T) => string): PaperGroup<T>[] {
  const authors = new Map<string, Set<string>>();
  for (const item of items) {
    const known = authors.get(topicOf(idOf(item))) ?? new Set();
    if (repeatsOf(item) !== "") known.add(authorsOf(repeatsOf(item)));
    authors.set(topicOf(idOf(item)), known);
  }
  const groups = new Map<string, PaperGroup<T>>();
  for (const item of items) {
    const topic = topicOf(idOf(item));
    const only = authors.get(topic)!.size === 1 ? [...authors.get(topic)!][0]! : "";
    const by = repeatsOf(item) === "" ? only : authorsOf(repeatsOf(item));
    const key = by === "" || by === only ? topic : `${topic}-${slug(by)}`;
    const group = groups.get(key) ?? { key, topic, authors: by, items: [] };
    group.items.push(item);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
