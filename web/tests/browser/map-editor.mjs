// The workshop for maps: draw, save, open, play, judge and evolve.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { cell, openWindow, picture } from "./browser.mjs";

const place = (page, column, row) => page.getByTestId("map").locator(`#map-${column - 1}-${row - 1}`);

export const mapEditor = {
  async "a map is drawn, saved, opened and played"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/editor/tubstap`);
    // It begins with a map that comes with the game.
    await page.getByTestId("map").locator(".piece").first().waitFor();
    await page.getByRole("button", { name: "Empty map" }).click();
    await page.getByRole("button", { name: "Play on it" }).click();
    await page.getByRole("alert").getByText("there is no unit").waitFor();

    await page.getByText("The whole map").click();
    await page.getByLabel("Columns").fill("6");
    await page.getByText("The whole map").click();
    await page.getByLabel("Columns").press("Enter");
    await page.getByLabel("Rows").fill("8");
    await page.getByLabel("Rows").press("Enter");
    await page.getByLabel("Do the same on the opposite side").check();
    await page.getByRole("button", { name: "mountain" }).click();
    await place(page, 2, 4).click();
    await page.getByRole("button", { name: "P panzer" }).click();
    await page.getByLabel("Hit points").fill("7");
    await place(page, 1, 1).click();
    await page.getByRole("button", { name: "I infantry" }).click();
    await place(page, 3, 1).click();
    assert.match(await place(page, 6, 8).getAttribute("aria-label"), /BLUE panzer 7/);
    assert.match(await place(page, 5, 5).getAttribute("aria-label"), /mountain/);
    await place(page, 4, 4).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await picture(page, "map-editor");

    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save" }).click()]);
    const file = await download.path();
    const text = readFileSync(file, "utf8");
    assert.match(text, /SIZEX\[8\];SIZEY\[10\];/);
    assert.match(text, /UNIT\[1,1,panzer,0,7,0\];/);
    assert.equal(text.match(/UNIT\[/g).length, 4);

    await page.getByRole("button", { name: "Empty map" }).click();
    await page
      .locator("label.button input[type=file]")
      .first()
      .setInputFiles({ name: "mine.tbsmap", mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=map] .piece").length === 4);
    await page
      .locator("label.button input[type=file]")
      .first()
      .setInputFiles({ name: "bad.tbsmap", mimeType: "text/plain", buffer: Buffer.from("SIZEX[8];\nSIZEY[1000000000];") });
    await page.getByRole("alert").getByText("SIZEY").waitFor();

    await page.getByRole("button", { name: "Play on it" }).click();
    await cell(page, "a1").waitFor();
    assert.match(await page.evaluate(() => location.hash), /tubstap:code=8x10-/);
    await close();
  },

  async "a map is judged by players of several kinds, in both languages"({ browser, server }) {
    for (const [language, theme] of [
      ["en", "light"],
      ["ja", "dark"],
    ]) {
      const { page, close } = await openWindow(browser, { language, theme });
      await page.goto(`${server.url}/#/fair`);
      const judge = page.locator(".judge");
      await page.locator(".ready select").selectOption({ index: 1 });
      await page.locator(".tools summary").click();
      // Short games, so that 600 of them do not take long.
      await page.locator(".whole input[type=number]").nth(2).fill("6");
      await page.locator(".whole input[type=number]").nth(2).press("Enter");
      await judge.getByRole("button").click();
      const verdict = judge.getByTestId("verdict");
      await verdict.waitFor({ timeout: 120_000 });
      assert.ok((await verdict.locator(".bar").count()) >= 3);
      assert.match(await verdict.locator("p").first().innerText(), language === "ja" ? /公平/ : /^(Fair|Not (fair|shown to be fair))/);
      await picture(page, `fair-${language}`);
      await close();
    }
  },

  async "evolution is started, paused, looked at by generations, and its maps are played"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/fair`);
    await page.getByLabel("Seed").fill("7");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByTestId("found").first().waitFor({ timeout: 120_000 });
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Go on" }).waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "The best of generation 1", exact: true }).click();
    await page.locator("strong", { hasText: "The best of generation 1" }).waitFor();
    const first = page.getByTestId("found").first();
    assert.ok((await first.locator(".piece").count()) >= 2, "the map has its units");
    const [file] = await Promise.all([page.waitForEvent("download"), first.getByRole("button", { name: "Download" }).click()]);
    assert.match(readFileSync(await file.path(), "utf8"), /SIZEX\[8\];SIZEY\[8\];/);
    await first.getByRole("button", { name: "Edit" }).click();
    assert.equal(await page.getByTestId("map").locator(".piece").count(), await first.locator(".piece").count());
    await picture(page, "evolution");
    await first.getByRole("button", { name: "Play", exact: true }).click();
    await cell(page, "a1").waitFor();
    await close();
  },
};
