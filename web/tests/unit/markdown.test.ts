import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { blocks, inLanguage, inline, terms } from "../../src/logic/markdown";

const FOLDER = new URL("../../../docs/reference/rules/", import.meta.url);

describe("rules", () => {
  it("are read as blocks", () => {
    const text = "# Title\n\nOne **bold**\nline.\n\n- a\n- `b`\n\n```position\ngame: x:n=2\nmoves: +1, 2~1\ncaption: c\n```\n";
    expect(blocks(text)).toEqual([
      { kind: "heading", level: 1, text: "Title" },
      {
        kind: "paragraph",
        parts: [
          { kind: "text", text: "One " },
          { kind: "bold", text: "bold" },
          { kind: "text", text: " " },
          { kind: "text", text: "line." },
        ],
      },
      { kind: "list", items: [[{ kind: "text", text: "a" }], [{ kind: "code", text: "b" }]] },
      { kind: "position", game: "x:n=2", moves: [["+1"], ["2", "1"]], caption: "c" },
    ]);
    expect(inline("plain")).toEqual([{ kind: "text", text: "plain" }]);
    expect(terms("- **no**: term\n\n## 用語\n\n- **fire** 火計: far away.\n- no term")).toEqual(new Map([["fire", "far away."]]));
  });

  it("are there in both languages, with the same parts, pictures and terms", () => {
    for (const name of readdirSync(FOLDER)) {
      const file = readFileSync(new URL(name, FOLDER), "utf8");
      const [english, japanese] = [blocks(inLanguage(file, "en")), blocks(inLanguage(file, "ja"))];
      expect(japanese, name).not.toEqual(english);
      expect(
        japanese.map((block) => block.kind),
        name,
      ).toEqual(english.map((block) => block.kind));
      const drawn = (all: typeof english) => all.flatMap((block) => (block.kind === "position" ? [[block.game, block.moves]] : []));
      expect(drawn(japanese), name).toEqual(drawn(english));
      expect(drawn(english).length, name).toBeGreaterThan(0);
      expect([...terms(inLanguage(file, "ja")).keys()], name).toEqual([...terms(inLanguage(file, "en")).keys()]);
    }
  });
});
