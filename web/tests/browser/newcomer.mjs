// A person who knows nothing, by clicks only.

import assert from "node:assert/strict";
import { isOver, openWindow, PHONE, picture, settled, status } from "./browser.mjs";

/** Clicks through a turn: strikes if something can be struck, else ends the turn. */
async function takeTurn(page) {
  const movable = page.locator(".open.grab[role=gridcell]");
  for (let i = 0; i < (await movable.count()); i++) {
    await movable.nth(i).click();
    const strike = page.locator(".choices .notes button").first();
    if ((await strike.count()) > 0) {
      await strike.click();
      await page.waitForTimeout(80);
      return;
    }
    await page.getByRole("button", { name: "Clear selection" }).click();
  }
  await page.getByRole("button", { name: "End turn" }).click();
  await page.waitForTimeout(80);
}

async function review(page) {
  await page.getByRole("tab", { name: "Review" }).click();
  await page.getByLabel("Reviewed by").selectOption({ index: 0 });
  await page.getByRole("button", { name: "Review this game" }).click();
  await page.getByText("Moves that lost most").waitFor();
  await page.getByRole("button", { name: "Review this game" }).waitFor({ timeout: 120_000 });
}

export const newcomer = {
  async "a newcomer reads the rules of sangoku, plays, reviews and finds the worst move"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByText("Sangoku", { exact: true }).click();
    await page.getByRole("heading", { name: "Sangoku" }).waitFor();
    await page.getByRole("button", { name: "How to play" }).click();
    await page.getByRole("dialog").getByText("wiping out the other side").waitFor();
    await page.getByRole("dialog").locator("svg .piece").first().waitFor();
    await picture(page, "sangoku-rules");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByText("Easy", { exact: true }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    for (let i = 0; i < 120 && !(await settled(page)); i++) await takeTurn(page);
    assert.match(await status(page).innerText(), /won|lost|Draw/);
    await review(page);
    await picture(page, "sangoku-review");
    assert.ok((await page.getByTestId("mistake").count()) > 0, "somebody made a mistake");
    await page.getByTestId("mistake").first().click();
    await page.getByText(/You are looking at step \d+/).waitFor();
    await page.getByText("better:").first().waitFor();
    // It is kept with the match.
    await page.reload();
    await page.getByRole("tab", { name: "Review" }).click();
    await page.getByTestId("mistake").first().waitFor();
    await close();
  },

  async "on a phone: hagetaka with three players, played and reviewed"({ browser, server }) {
    const { page, close } = await openWindow(browser, { size: PHONE, isTouch: true });
    await page.goto(server.url);
    await page.getByText("Hagetaka", { exact: true }).tap();
    await page.getByRole("button", { name: /3 players/ }).tap();
    await page.getByText("player 3").first().waitFor();
    await page.getByText("Easy", { exact: true }).tap();
    await page.getByRole("button", { name: "Play", exact: true }).tap();
    await settled(page);
    const [hand, table] = [await page.locator(".hand").boundingBox(), await page.locator(".panels").boundingBox()];
    assert.ok(hand.y + hand.height - table.y <= PHONE.height, "table and hand fit one screen");
    await picture(page, "phone-hagetaka");
    for (let i = 0; i < 10 && !(await settled(page)); i++) {
      await page.locator(".hand .card:not(:disabled)").first().tap();
      await page.waitForTimeout(150);
    }
    await isOver(page).waitFor();
    await review(page);
    await picture(page, "phone-hagetaka-review");
    await close();
  },
};
