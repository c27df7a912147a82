// What papers found beside what we found.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DESKTOP, openWindow, PHONE, picture } from "./browser.mjs";

export const results = {
  async "a fresh install shows results by paper, with verdicts, figures and numbers"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByRole("link", { name: "Results" }).click();
    await page.getByText("I. Shimura, F. Yamaguchi").waitFor();
    await picture(page, "results");
    await page.getByRole("link", { name: "Evaluation of agents for Hagetaka" }).click();
    const section = page.locator("[data-experiment=hagetaka-reference]");
    await section.getByText("SM-UCT is best against random play").waitFor();
    assert.ok((await section.locator(".verdict").count()) > 3, "claims and numbers have verdicts");
    // Values are told where one points.
    await section.locator("figure .value").first().hover();
    const told = section.getByTestId("told");
    assert.match(await told.innerText(), /: 0\.\d+ \[0\.\d+, [01]/);
    // And by keys: from one value to the next.
    const [before, drawing] = [await told.innerText(), section.locator("figure").getByRole("group")];
    await drawing.focus();
    await drawing.press("ArrowRight");
    assert.notEqual(await told.innerText(), before);
    const [csv] = await Promise.all([page.waitForEvent("download"), section.locator("figure").getByRole("button", { name: "CSV" }).click()]);
    assert.match(readFileSync(await csv.path(), "utf8"), /^name,series,.*,low,high,paper\n/);
    const [svg] = await Promise.all([page.waitForEvent("download"), section.locator("figure").getByRole("button", { name: "SVG" }).click()]);
    assert.match(readFileSync(await svg.path(), "utf8"), /^<svg xmlns[\s\S]*class="value"[\s\S]*<\/svg>/);
    await close();
  },

  async "the results of one paper at both sizes"({ browser, server }) {
    for (const [name, size] of [
      ["desktop", DESKTOP],
      ["phone", PHONE],
    ]) {
      const { page, close } = await openWindow(browser, { size });
      await page.goto(`${server.url}/#/results?e=hagetaka-reference`);
      await page.locator("[data-experiment=hagetaka-reference] figure").waitFor();
      await page.waitForFunction(() => [...document.querySelectorAll("[data-experiment]")].every((section) => section.querySelector("details")));
      const top = await page.locator("[data-experiment=hagetaka-reference]").evaluate((section) => section.getBoundingClientRect().top);
      assert.ok(top > -5 && top < 60, `what was asked for is at the top, not at ${top}`);
      await picture(page, `paper-${name}`);
      await close();
    }
  },

  async "each paper is told as it is printed, and says what was not run"({ browser, server }) {
    const papers = await (await fetch(`${server.url}/api/papers`)).json();
    assert.equal(papers.length, 5);
    for (const [language, size] of [
      ["en", DESKTOP],
      ["ja", PHONE],
    ]) {
      const { page, close } = await openWindow(browser, { size, language });
      for (const paper of papers) {
        await page.goto(`${server.url}/#/results?of=${paper.key}`);
        await page.getByRole("heading", { level: 1, name: paper.title[language] }).waitFor();
        await page.getByText(paper.authors[language], { exact: true }).waitFor();
        await page.getByText(paper.found[language]).waitFor();
        const labels = await page.locator("[data-part]").evaluateAll((parts) => parts.map((part) => part.dataset.part));
        assert.deepEqual(
          labels,
          paper.parts.map((part) => part.label.en),
          "the parts stand in the paper's order",
        );
        await page.waitForFunction(() => [...document.querySelectorAll("[data-experiment]")].every((section) => section.querySelector("details")));
        for (const part of paper.parts.filter((each) => each.is_measured && each.experiments.length === 0)) {
          await page.locator(`[data-part="${part.label.en}"] .missing`).waitFor();
        }
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${paper.key} is ${wider} pixels wider than the screen (${language})`);
        await picture(page, `paper-${paper.key}-${language}`);
      }
      await close();
    }
  },

  async "a row of a paper's table opens its games, command and fingerprint"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/results?e=hagetaka-reference`);
    const section = page.locator("[data-experiment=hagetaka-reference]");
    await section.getByRole("button", { name: "SM-UCT" }).click();
    await section
      .getByText(/^sakiyomi duel hagetaka smuct:\S+ random --games \d+ --seed \d+$/)
      .first()
      .waitFor();
    await section.getByText("Fingerprint of what played:").first().waitFor();
    // The paper's number, ours and the interval, and the verdict as a word.
    const cell = section.locator("tbody tr").first().locator("td").first();
    assert.match(await cell.innerText(), /^0\.915 → 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]\s+\S (agrees|differs|not enough games)/);
    await close();
  },

  async "a shown game is stepped through and opened as a replay"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/results?e=sangoku-setting-c`);
    const section = page.locator("[data-experiment=sangoku-setting-c]");
    await section.locator("svg .piece").first().waitFor();
    await section.getByLabel("Step").fill("3");
    await section.getByText(/^3 of \d+/).waitFor();
    await picture(page, "shown-game");
    await section.getByRole("link", { name: "Open as a replay" }).click();
    await page.getByText("You are looking at step 0.").waitFor();
    await close();
  },

  async "too few games never read as a difference"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    const tally = {
      wins: 2,
      draws: 0,
      losses: 0,
      score: { value: 1, low: 0.34, high: 1 },
      elo: { value: null, low: -115, high: null },
      paper: { score: 0.6, games: 100, wins: null, draws: null, losses: null },
      verdict: "not-enough-games",
    };
    const cell = {
      name: "a",
      game: "hex",
      first: "uct",
      second: "random",
      seed: 1,
      games: 2,
      games_wanted: 1800,
      all: tally,
      seats: [],
      p: 0.5,
      mean_turns: 9,
      measured: null,
      remark: "",
      fingerprint: null,
    };
    const result = {
      id: "classics-x",
      title: "X",
      kind: "duels",
      repeats: "",
      notes: "",
      scale: "quick",
      games_done: 2,
      games: 1800,
      seconds: 1,
      engines: [],
      repeatable: true,
      command: "",
      claims: [{ text: "a wins", verdict: "not-enough-games" }],
      cells: [cell],
      shown: null,
    };
    const table = {
      columns: ["score"],
      rows: [{ name: "one", cells: [{ of: 0, paper: 0.6, paper_counts: null, ours: tally.score, counts: [2, 0, 0], verdict: "not-enough-games" }] }],
    };
    await page.route(/\/api\/results$/, (route) => route.fulfill({ json: [{ ...result, claims: ["not-enough-games"], numbers: ["not-enough-games"], is_shipped: false }] }));
    await page.route(/\/api\/results\/quick/, (route) => route.fulfill({ json: { result, table, figure: null } }));
    await page.goto(`${server.url}/#/results?of=classics`);
    await page.locator("[data-experiment] .verdict").nth(1).waitFor();
    assert.deepEqual([...new Set(await page.locator("[data-experiment] .verdict").allInnerTexts())], ["… not enough games"]);
    await page.getByRole("button", { name: "one" }).click();
    await page.getByText("+∞ [−115, +∞]").waitFor();
    await page.getByText("2 of 1,800 games").first().waitFor();
    await close();
  },

  async "a paper that is not there is said so"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/results?of=nothing`);
    await page.getByRole("alert").getByText("nothing").waitFor();
    await close();
  },
};
