// Accessibility, languages, themes, sizes, weight.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, match, openWindow, PHONE, picture, settled } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Compressed, as it is sent. */
const MOST_SCRIPT_BYTES = 150_000;
const FIRST_BOARD_MILLISECONDS = 1000;

/** Fails if axe finds a serious or critical fault. */
async function checkAxe(page, where) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const faults = found.violations.filter((fault) => ["serious", "critical"].includes(fault.impact));
  const told = faults.map(
    (fault) =>
      `${fault.id}: ${fault.help}\n${fault.nodes
        .slice(0, 4)
        .map((node) => `  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`)
        .join("\n")}`,
  );
  assert.deepEqual(told, [], `axe on ${where}`);
}

const PAGES = {
  setup: (server) => `${server.url}/#/`,
  match: (server) => match(server, { game: "breakthrough:6x6", seats: ["human", "uct:iterations=500"], moves: "b2-b3.c5-c4" }),
  cards: (server) => match(server, { game: "hagetaka:n=7,players=3", seats: ["human", "random", "random"] }),
  tactics: (server) => match(server, { game: "sangoku:scenario=random", seats: ["human", "rule-based"] }),
  terrain: (server) => match(server, { game: "tubstap:map=ford", seats: ["human", "random"] }),
  orders: (server) => match(server, { game: "mizugame:teams=2,sessions=4,maps=1", seats: ["human", "random"] }),
  watch: (server) => `${server.url}/#/watch`,
  compare: (server) => `${server.url}/#/compare`,
  results: (server) => `${server.url}/#/results`,
  paper: (server) => `${server.url}/#/results?of=hagetaka`,
  review: (server) => match(server, { game: "connect-four", seats: ["human", "uct:iterations=300"], moves: "d.d.c.c.b.a.e" }),
  about: (server) => `${server.url}/#/about`,
  fair: (server) => `${server.url}/#/fair`,
  document: (server) => `${server.url}/#/docs/guide/duel`,
  sheets: (server) => `${server.url}/#/?g=gdl:sheet=tic-tac-toe`,
  rules: (server) => `${server.url}/#/?g=sangoku`,
  nothing: (server) => `${server.url}/#/no-such-page`,
};

/** What has to be there before a page is looked at. */
const READY = {
  setup: (page) => page.locator(".start:not([disabled])").waitFor(),
  match: settled,
  cards: settled,
  tactics: settled,
  terrain: async (page) => {
    await settled(page);
    await page.getByTestId("legend").locator("summary").click();
  },
  orders: (page) => page.locator("form.orders").waitFor(),
  watch: (page) => page.locator("#store-title + :not(.loading)").waitFor(),
  compare: (page) => page.locator("form select").last().waitFor(),
  results: (page) => page.locator("ul .verdict").first().waitFor(),
  paper: async (page) => {
    await page.locator("figure svg").first().waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll("[data-experiment]")].every((section) => section.querySelector("details")));
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("[data-experiment] details")) details.open = true;
    });
  },
  review: async (page) => {
    await page.getByRole("tab").nth(3).click();
    await page.locator("[role=tabpanel] button.primary").click();
    await page.locator("[role=tabpanel] ol li").first().waitFor();
  },
  about: (page) => page.locator("dl").last().waitFor(),
  fair: (page) => page.getByTestId("map").locator(".piece").first().waitFor(),
  document: (page) => page.locator("pre").first().waitFor(),
  sheets: (page) => page.locator(".sheets svg").first().waitFor(),
  rules: async (page) => {
    await page.locator(".start:not([disabled])").waitFor();
    await page.locator("button.how").click();
    await page.getByRole("dialog").locator("svg .piece").first().waitFor();
  },
  nothing: async () => undefined,
};

async function visit(browser, server, options, name) {
  const { page, close } = await openWindow(browser, options);
  for (const [key, address] of Object.entries(PAGES)) {
    await page.goto("about:blank");
    await page.goto(address(server));
    await page.locator("h1").waitFor();
    await READY[key](page);
    if (key === "match") await page.locator(".open[role=gridcell]").first().click();
    // A phone makes its window as wide as the page, so the page is compared with the screen.
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= options.size.width + 1, `${name} ${key} is ${wide} pixels wide`);
    await picture(page, `${name}-${key}`);
    await checkAxe(page, `${name} ${key}`);
  }
  await close();
}

export const looks = {
  "English, light, desktop: no serious fault": ({ browser, server }) => visit(browser, server, { size: DESKTOP, theme: "light", language: "en" }, "desktop-light-en"),
  "Japanese, dark, desktop: no serious fault": ({ browser, server }) => visit(browser, server, { size: DESKTOP, theme: "dark", language: "ja" }, "desktop-dark-ja"),
  "English, dark, phone: no serious fault": ({ browser, server }) => visit(browser, server, { size: PHONE, theme: "dark", language: "en", isTouch: true }, "phone-dark-en"),
  "Japanese, light, phone: no serious fault": ({ browser, server }) => visit(browser, server, { size: PHONE, theme: "light", language: "ja", isTouch: true }, "phone-light-ja"),

  async "nothing scrolls sideways on a screen of 320 pixels"({ browser, server }) {
    const { page, close } = await openWindow(browser, { size: { width: 320, height: 640 }, isTouch: true });
    for (const [key, address] of Object.entries(PAGES)) {
      await page.goto("about:blank");
      await page.goto(address(server));
      await page.locator("h1").waitFor();
      await READY[key](page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 320, `${key} is ${wide} pixels wide`);
    }
    await close();
  },

  async "language and theme are switched and remembered"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByRole("button", { name: "日本語" }).click();
    await page.getByRole("heading", { name: "考えを見せる探索と対戦する" }).waitFor();
    await page.getByRole("button", { name: /配色/ }).click();
    await page.getByRole("button", { name: /配色/ }).click();
    await page.reload();
    await page.getByRole("heading", { name: "考えを見せる探索と対戦する" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    assert.equal(await page.evaluate(() => document.documentElement.lang), "ja");
    await close();
  },

  async "there is an icon, also for those who ask without looking"({ server }) {
    for (const name of ["favicon.svg", "favicon.ico"]) {
      const answer = await fetch(`${server.url}/${name}`);
      assert.equal(answer.status, 200, name);
      assert.ok((await answer.arrayBuffer()).byteLength > 100, name);
    }
  },

  async "a script small enough to load at once, and a board within a second"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.locator(".start:not([disabled])").waitFor();
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => /\.js$/.test(name))
        .map(({ name, encodedBodySize }) => [name, encodedBodySize]),
    );
    const bytes = scripts.reduce((sum, [, size]) => sum + size, 0);
    // A page that is served from a folder is not compressed.
    if (!process.env.SAKIYOMI_PAGE) assert.ok(bytes > 0 && bytes < MOST_SCRIPT_BYTES, `${bytes} bytes of script`);
    // The time of the browser itself, on a machine that does nothing else: the best of some.
    const times = [];
    for (let i = 0; i < 5; i++) {
      await page.goto("about:blank");
      const start = performance.now();
      await page.goto(match(server, { game: "othello", seats: ["human", "random"] }));
      await page.locator(".open[role=gridcell]").first().waitFor();
      times.push(performance.now() - start);
    }
    console.log(`        ${bytes} bytes of script, first board after ${Math.min(...times).toFixed(0)} ms`);
    assert.ok(Math.min(...times) < FIRST_BOARD_MILLISECONDS, `the first board took ${times.map(Math.round)} ms`);
    await close();
  },
};
