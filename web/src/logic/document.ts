// The Markdown of the documents: headings, paragraphs, lists, code, tables, and links between them.

export type Span = { kind: "text" | "bold" | "code"; text: string } | { kind: "link"; text: string; to: string };
export type DocumentBlock =
  | { kind: "heading"; level: number; text: Span[] }
  | { kind: "paragraph"; text: Span[] }
  | { kind: "list"; isOrdered: boolean; items: Span[][] }
  | { kind: "code"; text: string }
  | { kind: "table"; head: Span[][]; rows: Span[][][] };

const ITEM = /^(-|\d+\.) +(.*)$/;
const SPAN = /\*\*(.+?)\*\*|`([^`]+)`|!?\[([^\]]*)\]\(([^)\s]+)\)|\*([^*\s][^*]*)\*/;

export function documentBlocks(text: string): DocumentBlock[] {
  const lines = text.split("\n");
  const found: DocumentBlock[] = [];
  let at = 0;
  /** The lines from here on that fulfil a condition, with `at` behind them. */
  const take = (isPart: (line: string) => boolean): string[] => {
    const start = at;
    while (at < lines.length && isPart(lines[at]!)) at++;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#+) (.*)$/.exec(line);
    if (line.startsWith("```")) {
      at++;
      found.push({ kind: "code", text: take((each) => !each.startsWith("```")).join("\n") });
      at++;
    } else if (heading) {
      found.push({ kind: "heading", level: heading[1]!.length, text: spans(heading[2]!) });
      at++;
    } else if (line.startsWith("|")) {
      const [head, , ...rows] = take((each) => each.startsWith("|")).map((row) => cells(row).map(spans));
      found.push({ kind: "table", head: head ?? [], rows });
    } else if (ITEM.test(line)) {
      const items = take((each) => ITEM.test(each) || /^ {2,}\S/.test(each));
      found.push({ kind: "list", isOrdered: /^\d/.test(line), items: joined(items).map(spans) });
    } else if (line.trim() !== "") {
      const isText = (each: string) => each.trim() !== "" && !/^(#|```|\|)/.test(each) && !ITEM.test(each);
      found.push({ kind: "paragraph", text: spans(take(isText).join(" ")) });
    } else {
      at++;
    }
  }
  return found;
}

/** Lines that are indented go on with the item before them. */
function joined(lines: string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item) items.push(item[2]!);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return items;
}

/** The cells of a row; a bar in code is written with a backslash. */
function cells(row: string): string[] {
  const inside = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

export function spans(text: string): Span[] {
  const parts: Span[] = [];
  let rest = text;
  for (let found = SPAN.exec(rest); found; found = SPAN.exec(rest)) {
    if (found.index > 0) parts.push({ kind: "text", text: rest.slice(0, found.index) });
    const [whole, bold, code, label, to, slanted] = found;
    if (to !== undefined) parts.push({ kind: "link", text: label!.replaceAll("`", ""), to });
    else if (code !== undefined) parts.push({ kind: "code", text: code });
    else parts.push({ kind: "bold", text: (bold ?? slanted)! });
    rest = rest.slice(found.index + whole.length);
  }
  if (rest !== "") parts.push({ kind: "text", text: rest });
  return parts;
}

/** Where a link of a document leads within the page: `guide/duel.md` seen from `reference/api`. Null if it is elsewhere. */
export function linkedDocument(to: string, from: string): string | null {
  if (/^[a-z]+:/.test(to) || !/\.md(#.*)?$/.test(to)) return null;
  const path = from.split("/").slice(0, -1);
  for (const part of to.replace(/\.md(#.*)?$/, "").split("/")) {
    if (part === "..") path.pop();
    else if (part !== ".") path.push(part);
  }
  return path.join("/");
}
