// A whole match of every game by clicks, on a desk and on a phone. What is clicked is any legal thing.

import assert from "node:assert/strict";
import { DESKTOP, isOver, match, openWindow, PHONE, settled, status, steps } from "./browser.mjs";

/** Small enough that a match ends soon. Every game of the catalog is one of them, which is checked. */
const GAMES = {
  "tic-tac-toe": ["human", "random"],
  "connect-four": ["human", "random"],
  "breakthrough:5x5": ["human", "random"],
  othello: ["human", "random"],
  "hex:5x5": ["human", "random"],
  "sangoku:scenario=a": ["human", "random"],
  "tubstap:map=ford": ["human", "random"],
  "hagetaka:n=5": ["human", "random"],
  "goofspiel:n=5": ["human", "random"],
  "mizugame:teams=2,sessions=3,maps=1": ["human", "random"],
  "gdl:sheet=tic-tac-toe": ["human", "random"],
  "pie:tic-tac-toe": ["human", "random"],
  "balanced-opening:tic-tac-toe": ["human", "random"],
};
const MOST_CHOICES = 400;

/** Something legal, by the parts of the page that a person would click. */
async function choose(page, number) {
  const open = page.locator(".open[role=gridcell]");
  const end = page.getByRole("button", { name: "End turn" });
  const orders = page.getByRole("button", { name: "Give these orders" });
  if ((await orders.count()) > 0) {
    await page.locator("form.orders select").first().selectOption({ index: 1 });
    return orders.click();
  }
  // Turns of several actions: one action, then the end of the turn.
  if ((await end.count()) > 0 && (number % 2 === 1 || (await open.count()) === 0)) return end.click();
  if ((await open.count()) === 0) return page.locator(".hand button:not(:disabled)").first().click();
  await open.last().click({ force: true });
  for (let click = 0; click < 3 && (await page.locator("[role=gridcell][aria-selected=true]").count()) > 0; click++) {
    const offered = page.locator(".choices [data-action]");
    if ((await offered.count()) > 0) return offered.first().click();
    await page.locator(".open[role=gridcell]").first().click({ force: true });
  }
}

async function play(page, url) {
  await page.goto(url);
  for (let number = 0; number < MOST_CHOICES; number++) {
    await page.waitForFunction(() =>
      document.querySelector("[data-testid=status].over, .open[role=gridcell], .hand button:not(:disabled), form.orders button.primary:not(:disabled)"),
    );
    if ((await isOver(page).count()) > 0) return;
    const before = await steps(page);
    await choose(page, number);
    await page
      .waitForFunction((n) => document.querySelector("[data-testid=status].over") || (/[?&]m=([^&]*)/.exec(location.hash)?.[1].split(".").length ?? 0) > n, before, {
        timeout: 5000,
      })
      .catch(() => page.keyboard.press("Escape"));
  }
  throw new Error(`not over after ${MOST_CHOICES} choices`);
}

const wholeMatch = ([game, seats]) => [
  `a whole match of ${game} by clicks, on a desk and on a phone`,
  async ({ browser, server }) => {
    for (const [size, isTouch] of [
      [DESKTOP, false],
      [PHONE, true],
    ]) {
      const { page, close } = await openWindow(browser, { size, isTouch });
      await play(page, match(server, { game, seats }));
      await settled(page);
      assert.match(await status(page).innerText(), /won|lost|Draw|wins/, game);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${game} is ${wide} pixels too wide`);
      await close();
    }
  },
];

export const whole = {
  ...Object.fromEntries(Object.entries(GAMES).map(wholeMatch)),

  async "every game of the catalog has its whole match"({ server }) {
    const { games } = await (await fetch(`${server.url}/api/catalog`)).json();
    const played = new Set(Object.keys(GAMES).map((game) => game.split(":")[0]));
    assert.deepEqual(
      games.map(({ entry }) => entry.name).filter((name) => !played.has(name)),
      [],
    );
  },
};
