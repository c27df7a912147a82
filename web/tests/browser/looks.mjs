// Accessibility, languages, themes, sizes, weight.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, match, openWindow, PHONE, picture, settled } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const MOST_SCRIPT_BYTES = 400_000;

/** Fails if axe finds a serious or critical fault. */
async function checkAxe(page, where) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const faults = found.violations.filter((fault) => ["serious", "critical"].includes(fault.impact));
  const told = faults.map((fault) => `${fault.id}: ${fault.help}\n${fault.nodes.slice(0, 4).map((node) => `  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`).join("\n")}`);
  assert.deepEqual(told, [], `axe on ${where}`);
}

const PAGES = {
  setup: (server) => `${server.url}/#/`,
  match: (server) => match(server, { game: "breakthrough:6x6", seats: ["human", "uct:iterations=500"], moves: "b2-b3.c5-c4" }),
  cards: (server) => match(server, { game: "hagetaka:n=7,players=3", seats: ["human", "random", "random"] }),
  tactics: (server) => match(server, { game: "sangoku:scenario=random", seats: ["human", "rule-based"] }),
  watch: (server) => `${server.url}/#/watch`,
  compare: (server) => `${server.url}/#/compare`,
  about: (server) => `${server.url}/#/about`,
};

/** What has to be there before a page is looked at. */
const READY = {
  setup: (page) => page.locator(".start:not([disabled])").waitFor(),
  match: settled,
  cards: settled,
  tactics: settled,
  watch: (page) => page.locator("#store-title + :not(.loading)").waitFor(),
  compare: (page) => page.locator("form select").last().waitFor(),
  about: (page) => page.locator("dl").last().waitFor(),
};

async function visit(browser, server, options, name) {
  const { page, close } = await openWindow(browser, options);
  for (const [key, address] of Object.entries(PAGES)) {
    await page.goto("about:blank");
    await page.goto(address(server));
    await page.locator("h1").waitFor();
    await READY[key](page);
    if (key === "match") await page.locator(".open[role=gridcell]").first().click();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth + 1), `${key} does not scroll sideways`);
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

  async "language and theme are switched and remembered"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByRole("button", { name: "日本語" }).click();
    await page.getByRole("heading", { name: "ゲームを選ぶ" }).waitFor();
    await page.getByRole("button", { name: /配色/ }).click();
    await page.getByRole("button", { name: /配色/ }).click();
    await page.reload();
    await page.getByRole("heading", { name: "ゲームを選ぶ" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    assert.equal(await page.evaluate(() => document.documentElement.lang), "ja");
    await close();
  },

  async "a bundle small enough to load at once"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    let bytes = 0;
    page.on("response", async (response) => {
      if (/\.js$/.test(new URL(response.url()).pathname)) bytes += (await response.body()).length;
    });
    await page.goto(server.url);
    await page.locator(".start:not([disabled])").waitFor();
    assert.ok(bytes > 0 && bytes < MOST_SCRIPT_BYTES, `${bytes} bytes of script`);
    await close();
  },
};
