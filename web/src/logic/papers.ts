// Experiments and runs by the paper that they repeat.

/** What belongs to one paper, or to a game about which there is none. */
export type PaperGroup<T> = { key: string; topic: string; authors: string; items: T[] };

const PART = /,? (?:tables?|figures?|sections?|appendix|chapters?) .*$/;

/** The authors in front of the table or figure: `Kato and Miwa, table 1` is of `Kato and Miwa`. */
export function authorsOf(repeats: string): string {
  return repeats.replace(PART, "").trim();
}

/** The table or figure: `table 1`. */
export function partOf(repeats: string): string {
  return PART.exec(repeats)?.[0].replace(/^,? /, "") ?? "";
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
