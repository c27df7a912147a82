// The editor of maps: draw, save, open and play.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { cell, openWindow, picture } from "./browser.mjs";

const place = (page, column, row) => page.getByTestId("map").locator(`#map-${column - 1}-${row - 1}`);

export const mapEditor = {
  async "a map is drawn, saved, opened and played"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/editor/tubstap`);
    await page.getByRole("button", { name: "Play on it" }).click();
    await page.getByRole("alert").getByText("there is no unit").waitFor();

    await page.getByLabel("Columns").fill("6");
    await page.getByLabel("Columns").press("Enter");
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
    await page.locator("input[type=file]").setInputFiles({ name: "mine.tbsmap", mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=map] .piece").length === 4);
    await page.locator("input[type=file]").setInputFiles({ name: "bad.tbsmap", mimeType: "text/plain", buffer: Buffer.from("SIZEX[8];\nSIZEY[1000000000];") });
    await page.getByRole("alert").getByText("SIZEY").waitFor();

    await page.getByRole("button", { name: "Play on it" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await cell(page, "a1").waitFor();
    assert.match(await page.evaluate(() => location.hash), /tubstap:code=8x10-/);
    await close();
  },
};
