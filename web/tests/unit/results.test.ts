import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ExperimentResult, StoreEntry } from "../../src/api";
import { csv } from "../../src/logic/csv";
import { authorsOf, byPaper, partOf } from "../../src/logic/papers";
import { matches, runsCsv, sorted, stateOf } from "../../src/logic/runs";
import { settings } from "../../src/state/settings.svelte";
import { claimText, eloText, experimentTitle, partText } from "../../src/words";
import { CLAIMS, PARTS, TITLES } from "../../src/words/experiments-ja";
import { NOTES } from "../../src/words/notes-ja";

const EXPERIMENTS = "../experiments";
const RESULTS = "../results";

describe("experiments by paper", () => {
  const group = (...items: [string, string][]) =>
    byPaper(
      items,
      ([id]) => id,
      ([, repeats]) => repeats,
    ).map(({ key, authors, items: all }) => [key, authors, all.length]);

  it("are told by their authors", () => {
    const kato = "Kato, Miwa, Tsuruoka and Chikayama";
    expect(authorsOf(`${kato}, tables 1 and 2, both seats together`)).toBe(kato);
    expect(partOf(`${kato}, section 6.3`)).toBe("section 6.3");
    expect([authorsOf("My own paper, table 9"), partOf("My own paper, table 9")]).toEqual(["My own paper, table 9", ""]);
  });

  it("join the one paper of their game", () => {
    expect(group(["a-one", "X"], ["a-two", ""], ["b-one", ""])).toEqual([
      ["a", "X", 2],
      ["b", "", 1],
    ]);
  });

  it("stay apart where there are several papers", () => {
    expect(group(["a-one", "X"], ["a-two", "Y"], ["a-three", ""])).toEqual([
      ["a-x", "X", 1],
      ["a-y", "Y", 1],
      ["a", "", 1],
    ]);
  });
});

describe("experiments in Japanese", () => {
  const files = [EXPERIMENTS, `${EXPERIMENTS}/public`].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".toml"))
      .map((name) => readFileSync(`${folder}/${name}`, "utf8")),
  );

  it("all have a title and their claims", () => {
    for (const text of files) {
      const id = /^id = "(.+)"$/m.exec(text)![1]!;
      expect(TITLES[id], `src/words/experiments-ja.ts has no title for ${id}`).toBeDefined();
      for (const [, claim] of text.matchAll(/^text = "(.+)"$/gm)) expect(CLAIMS[claim!], `src/words/experiments-ja.ts lacks: ${claim}`).toBeDefined();
    }
  });

  it("have notes where their files have some, and a known paper", () => {
    for (const text of files) {
      const id = /^id = "(.+)"$/m.exec(text)![1]!;
      expect(NOTES[id] !== undefined, `src/words/notes-ja.ts: ${id}`).toBe(/^notes = /m.test(text));
      const repeats = /^repeats = "(.+)"$/m.exec(text)?.[1];
      if (repeats === undefined) continue;
      expect(partOf(repeats), `src/logic/papers.ts does not know: ${repeats}`).not.toBe("");
      expect(PARTS[partOf(repeats)], `src/words/experiments-ja.ts lacks: ${partOf(repeats)}`).toBeDefined();
    }
  });

  it("are shown by key", () => {
    settings.language = "ja";
    expect(experimentTitle("sangoku-table-1", "x")).toContain("5,000");
    expect(experimentTitle("somebody-own", "My own")).toBe("My own");
    expect(claimText("OOS falls furthest")).toBe("OOS が最も低くなる");
    expect(partText("tables 1 and 2")).toBe("表 1 と表 2");
    settings.language = "en";
  });
});

describe("tables", () => {
  it("quote what CSV needs quoted", () => {
    expect(csv(["a"], [['say "hi", you']])).toBe('a\n"say ""hi"", you"\n');
  });
});

describe("shipped results", () => {
  const results = readdirSync(RESULTS).map((name) => JSON.parse(readFileSync(`${RESULTS}/${name}`, "utf8")) as ExperimentResult);

  it("are there, small, and have verdicts only where there are games", () => {
    expect(results.length).toBeGreaterThan(5);
    for (const result of results) {
      expect(JSON.stringify(result).length, result.id).toBeLessThan(100_000);
      for (const cell of result.cells) if (cell.games === 0) expect(cell.all.verdict).toBeNull();
    }
  });

  it("never read as differing from few games", () => {
    for (const { cells } of results) {
      for (const { all } of cells) {
        if (all.verdict !== "differs" || !all.paper?.games) continue;
        const distance = Math.abs(all.score!.value - all.paper.score);
        expect(distance).toBeGreaterThan((all.score!.high - all.score!.low) / 4);
      }
    }
  });
});

describe("runs", () => {
  const tally = (wins: number, losses: number) => ({
    wins,
    draws: 0,
    losses,
    score: { value: wins / (wins + losses), low: 0, high: 1 },
    elo: { value: losses === 0 ? null : 10 * (wins - losses), low: null, high: null },
    paper: null,
    verdict: null,
  });
  const run = (cell: number, wins: number, losses: number, more: Partial<StoreEntry> = {}): StoreEntry => ({
    cell,
    game: "hex",
    agents: ["uct", "random"],
    seed: 1,
    openings: "",
    games: wins + losses,
    games_wanted: null,
    all: tally(wins, losses),
    seats: [],
    p: 1,
    nash_conv: null,
    mean_turns: null,
    seconds: 1,
    is_stale: false,
    used_by: [],
    n_kept: 0,
    ...more,
  });

  it("are sorted by what is known of them", () => {
    const runs = [run(1, 3, 1), run(2, 4, 0), run(3, 1, 3)];
    expect(sorted(runs, { key: "elo", isDown: true }).map(({ cell }) => cell)).toEqual([2, 1, 3]);
    expect(sorted(runs, { key: "score", isDown: false }).map(({ cell }) => cell)).toEqual([3, 1, 2]);
  });

  it("say how far they are", () => {
    expect([run(1, 1, 1), run(1, 1, 1, { games_wanted: 4 }), run(1, 1, 1, { games_wanted: 2 }), run(1, 1, 1, { is_stale: true })].map(stateOf)).toEqual([
      "free",
      "partial",
      "done",
      "stale",
    ]);
  });

  it("are found by every word", () => {
    const used = run(1, 1, 1, { used_by: [{ experiment: "sangoku-table-1", scale: "quick", repeats: "Kato, table 1", name: "a" }] });
    expect(matches(used, "kato uct")).toBe(true);
    expect(matches(used, "kato exp3")).toBe(false);
    expect(runsCsv([used])).toContain("1,sangoku-table-1,hex,uct,random,1,,free,all,2,1,0,1,0.5");
  });

  it("have an Elo difference that may be infinite", () => {
    expect(eloText({ value: 12.4, low: -3, high: 28 })).toBe("+12 [−3, +28]");
    expect(eloText({ value: null, low: 120, high: null })).toBe("+∞ [+120, +∞]");
    expect(eloText({ value: null, low: null, high: -120 })).toBe("−∞ [−∞, −120]");
  });
});
