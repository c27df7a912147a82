import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ExperimentResult, PaperEntry, ResultEntry, StoreEntry } from "../../src/api";
import { csv } from "../../src/logic/csv";
import { byPaper, largestScales, paperOf, partOf, partsDone } from "../../src/logic/papers";
import { matches, runsCsv, sorted, stateOf } from "../../src/logic/runs";
import { settings } from "../../src/state/settings.svelte";
import { claimText, eloText, experimentTitle, headText, inLanguage } from "../../src/words";
import { CLAIMS, TITLES } from "../../src/words/experiments-ja";
import { NOTES } from "../../src/words/notes-ja";

const EXPERIMENTS = "../experiments";
const RESULTS = "../results";

const same = (text: string) => ({ en: text, ja: text });
const part = (label: string, experiments: string[], is_measured = true) => ({ label: same(label), title: same(""), remark: same(""), is_measured, printed: null, experiments });
const paper = (key: string, parts: PaperEntry["parts"], added: string[] = []): PaperEntry => ({
  key,
  title: same(key),
  authors: same(key),
  year: same(""),
  venue: null,
  found: same(""),
  parts,
  added,
});

describe("experiments by paper", () => {
  const papers = [paper("a", [part("Table 1", ["a-one"]), part("Table 2", []), part("Table 3", [], false)], ["a-two", "other-name"]), paper("b", [part("Table 1", ["b-one"])])];
  const group = (...ids: string[]) => byPaper(ids, (id) => id, papers).map(({ key, paper: of, items }) => [key, of?.key ?? null, items.length]);

  it("join their paper, in the papers' order; what has none stands by its topic", () => {
    expect(group("classics-x", "b-one", "other-name", "a-one", "classics-y")).toEqual([
      ["a", "a", 2],
      ["b", "b", 1],
      ["classics", null, 2],
    ]);
  });

  it("know their part", () => {
    expect(partOf(papers, "a-one")?.label.en).toBe("Table 1");
    expect([partOf(papers, "a-two"), paperOf(papers, "a-two")?.key, paperOf(papers, "c")]).toEqual([null, "a", null]);
  });

  it("are counted by parts that can be measured", () => {
    expect(partsDone(papers[0]!, (id) => id === "a-one")).toEqual({ done: 1, all: 2 });
    expect(partsDone(papers[0]!, () => false)).toEqual({ done: 0, all: 2 });
  });

  it("count their larger scale only", () => {
    const entry = (id: string, scale: string, games_done: number) => ({ id, scale, games_done }) as ResultEntry;
    const entries = [entry("a", "quick", 40), entry("a", "paper", 10), entry("b", "quick", 0)];
    expect(largestScales(entries).map(({ id, scale }) => [id, scale])).toEqual([
      ["a", "quick"],
      ["b", "quick"],
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

  it("have notes where their files have some", () => {
    for (const text of files) {
      const id = /^id = "(.+)"$/m.exec(text)![1]!;
      expect(NOTES[id] !== undefined, `src/words/notes-ja.ts: ${id}`).toBe(/^notes = /m.test(text));
    }
  });

  it("are shown by key", () => {
    settings.language = "ja";
    expect(experimentTitle("sangoku-table-1", "x")).toContain("5,000");
    expect(experimentTitle("somebody-own", "My own")).toBe("My own");
    expect(claimText("OOS falls furthest")).toBe("OOS が最も低くなる");
    expect(inLanguage({ en: "Table 1", ja: "表 1" })).toBe("表 1");
    expect(["seat 2", "mean", "all", "UCT", "connect-four"].map(headText)).toEqual(["2 番手", "平均", "全体", "UCT", "コネクトフォー"]);
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
      expect(JSON.stringify(result).length, result.id).toBeLessThan(250_000);
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
