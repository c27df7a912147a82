import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Names of boards, of a language for rules and parts of words, which are also names in the list of games. */
const ALSO_OTHERWISE = ["hex", "gdl", "pie"];
/** Every game has a page of rules. */
const GAMES = readdirSync("../docs/reference/rules")
  .map((file) => file.replace(/\.md$/, ""))
  .filter((name) => !ALSO_OTHERWISE.includes(name));

const sources = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/-ja\.ts$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

describe("the page", () => {
  it("knows no game by name, but for translations", () => {
    expect(GAMES.length).toBeGreaterThan(5);
    expect(sources.length).toBeGreaterThan(50);
    // `connect-four` is found as `connect four` and `connectFour`, too.
    const names = GAMES.map((name) => new RegExp(name.replaceAll("-", "[- _]?"), "i"));
    const found = sources.flatMap((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.flatMap((line, i) => (names.some((name) => name.test(line)) ? [`${file}:${i + 1}: ${line.trim().slice(0, 80)}`] : []));
    });
    expect(found).toEqual([]);
  });

  it("compares nothing with the name of a game", () => {
    const named = new RegExp(`(===|case|includes\\()\\s*["'\`](${ALSO_OTHERWISE.join("|")})["'\`]`);
    const isOfBoards = /grid === "hex"/;
    const found = sources.filter((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.some((line) => named.test(line) && !isOfBoards.test(line));
    });
    expect(found).toEqual([]);
  });
});
