// A real browser, and the few things that the tests do in it.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Where pictures go, if anywhere. */
export const SHOTS = process.env.SAKIYOMI_SHOTS;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export async function openBrowser() {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`there is no browser at ${CHROMIUM}; install it with "apt-get install -y chromium", or set CHROMIUM to the path of another one`);
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A window of its own. What goes wrong inside it fails the test, unless the test says that it may. */
export async function openWindow(browser, { size = DESKTOP, theme = "light", language = "en", isTouch = false } = {}) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    locale: language === "ja" ? "ja-JP" : "en-GB",
    hasTouch: isTouch,
    isMobile: isTouch,
    acceptDownloads: true,
  });
  context.setDefaultTimeout(30_000);
  const faults = [];
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  return {
    context,
    page: await context.newPage(),
    async close() {
      await context.close();
      assert.deepEqual(faults, [], "the page has reported errors");
    },
  };
}

export const match = (server, { game, seats, moves = "", seed = 1, id }) =>
  `${server.url}/#/match?g=${game}&s=${seed}${seats.map((seat) => `&p=${seat}`).join("")}${moves ? `&m=${moves}` : ""}${id ? `&id=${id}` : ""}`;

export const cell = (page, label) => page.locator(`[role=gridcell][aria-label^="${label},"]`);
export const status = (page) => page.getByTestId("status");
export const isOver = (page) => page.locator("[data-testid=status].over");

/** Steps of the match so far, as the address has them. */
/** The list of moves, opened in its tab. */
export async function moves(page) {
  await page.getByRole("tab", { name: "Moves" }).click();
  return page.getByRole("tabpanel");
}

export async function steps(page) {
  const moves = /[?&]m=([^&]*)/.exec(await page.evaluate(() => location.hash));
  return moves ? moves[1].split(".").length : 0;
}

/** Waits until it is the person's turn or the match is over; true if it is over. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const over = document.querySelector("[data-testid=status].over");
    return over || document.querySelector(".open[role=gridcell], .hand button:not(:disabled)");
  });
  return (await isOver(page).count()) > 0;
}

export async function picture(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}
