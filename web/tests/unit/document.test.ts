import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentBlocks, linkedDocument, spans } from "../../src/logic/document";

describe("a document", () => {
  it("is made of headings, paragraphs, lists, code and tables", () => {
    const text = "# A *title*\n\nOne line\nand more.\n\n1. first\n   goes on\n2. second\n\n```sh\nls | wc\n```\n\n| a | b |\n|---|---|\n| `x \\| y` | 2 |\n";
    const [heading, paragraph, list, code, table] = documentBlocks(text);
    expect(heading).toMatchObject({ kind: "heading", level: 1 });
    expect(paragraph).toEqual({ kind: "paragraph", text: [{ kind: "text", text: "One line and more." }] });
    expect(list).toMatchObject({ kind: "list", isOrdered: true, items: [[{ text: "first goes on" }], [{ text: "second" }]] });
    expect(code).toEqual({ kind: "code", text: "ls | wc" });
    expect(table).toMatchObject({ kind: "table", rows: [[[{ kind: "code", text: "x | y" }], [{ text: "2" }]]] });
  });

  it("has links", () => {
    expect(spans("see [the `API`](../reference/api.md#x) now")[1]).toEqual({ kind: "link", text: "the API", to: "../reference/api.md#x" });
    expect(linkedDocument("../reference/api.md#x", "guide/duel")).toBe("reference/api");
    expect(linkedDocument("guide/duel.md", "README")).toBe("guide/duel");
    expect(linkedDocument("https://example.org/a.md", "README")).toBeNull();
    expect(linkedDocument("../../web/src/api.ts", "reference/api")).toBeNull();
  });

  it("never loses a line of those that come with the program", () => {
    const folder = join(import.meta.dirname, "../../../docs/guide");
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".md"))) {
      const found = documentBlocks(readFileSync(join(folder, name), "utf8"));
      expect(found.length, name).toBeGreaterThan(5);
      expect(JSON.stringify(found), name).not.toContain("```");
    }
  });
});
