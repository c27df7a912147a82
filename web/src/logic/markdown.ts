// The little Markdown that rules are written in: headings, paragraphs, lists, bold, code, and positions to draw.

export type Inline = { kind: "text" | "bold" | "code"; text: string };
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; parts: Inline[] }
  | { kind: "list"; items: Inline[][] }
  | { kind: "position"; game: string; moves: string[][]; caption: string };

/** The part of a file in one language: English first, Japanese after a line of dashes. */
export function inLanguage(file: string, language: "en" | "ja"): string {
  const parts = file.split(/^---$/m);
  return (language === "ja" ? (parts[1] ?? parts[0]!) : parts[0]!).trim();
}

export function blocks(text: string): Block[] {
  const found: Block[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const heading = /^(#+) (.*)$/.exec(line);
    if (line.startsWith("```")) {
      const end = lines.findIndex((other, i) => i > at && other.startsWith("```"));
      found.push(position(lines.slice(at + 1, end < 0 ? lines.length : end)));
      at = end < 0 ? lines.length : end;
    } else if (heading) {
      found.push({ kind: "heading", level: heading[1]!.length, text: heading[2]! });
    } else if (line.startsWith("- ")) {
      const last = found.at(-1);
      const item = inline(line.slice(2));
      if (last?.kind === "list" && lines[at - 1]?.trim() !== "") last.items.push(item);
      else found.push({ kind: "list", items: [item] });
    } else if (line.trim() !== "") {
      const last = found.at(-1);
      const isSame = at > 0 && lines[at - 1]!.trim() !== "" && last?.kind === "paragraph";
      if (isSame) last.parts.push({ kind: "text", text: " " }, ...inline(line));
      else found.push({ kind: "paragraph", parts: inline(line) });
    }
  }
  return found;
}

export function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  let rest = text;
  for (let found = /\*\*(.+?)\*\*|`(.+?)`/.exec(rest); found; found = /\*\*(.+?)\*\*|`(.+?)`/.exec(rest)) {
    if (found.index > 0) parts.push({ kind: "text", text: rest.slice(0, found.index) });
    parts.push(found[1] !== undefined ? { kind: "bold", text: found[1] } : { kind: "code", text: found[2]! });
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest !== "") parts.push({ kind: "text", text: rest });
  return parts;
}

/** Lines `game: ..`, `moves: ..` and `caption: ..`. Steps are parted by commas if there is one, else by spaces. */
function position(lines: string[]): Block {
  const field = (key: string) =>
    lines
      .find((line) => line.startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim() ?? "";
  const text = field("moves");
  const steps = text.split(text.includes(",") ? /\s*,\s*/ : /\s+/).filter((step) => step !== "");
  return { kind: "position", game: field("game"), moves: steps.map((step) => step.split("~")), caption: field("caption") };
}

const TERMS = ["Terms", "用語"];

/** What the words of a game mean: the items of the lists under the heading of terms, by their bold word. */
export function terms(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let isTerms = false;
  for (const block of blocks(text)) {
    if (block.kind === "heading") isTerms = TERMS.includes(block.text);
    if (block.kind !== "list" || !isTerms) continue;
    for (const [first, ...rest] of block.items) {
      if (first?.kind !== "bold") continue;
      found.set(
        first.text,
        rest
          .map((part) => part.text)
          .join("")
          .replace(/^[^:]*:\s*/, ""),
      );
    }
  }
  return found;
}
