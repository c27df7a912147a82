// Duels and experiments.

import assert from "node:assert/strict";
import { openWindow, picture } from "./browser.mjs";

export const compare = {
  async "a duel is started, stopped, resumed and shown with its interval"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/compare`);
    await page.getByLabel("Game", { exact: true }).fill("connect-four");
    await page.getByLabel("Games", { exact: true }).fill("400");
    await page.getByRole("button", { name: "Start the duel" }).click();
    const job = page.locator("[data-job]").first();
    await job.getByRole("button", { name: "Stop" }).click();
    await page.locator("[data-job][data-state=stopped]").waitFor();
    await job.getByRole("button", { name: "Resume" }).click();
    await page.locator("[data-job][data-state=running], [data-job][data-state=done]").first().waitFor();
    await job.getByText(/95 % interval/).waitFor();
    assert.match(await job.locator("svg").first().getAttribute("aria-label"), /won.*drawn.*lost.*Score/);
    await picture(page, "compare");
    await page.reload();
    await page.locator("[data-job]").first().waitFor();
    const running = page.locator("[data-job][data-state=running]").getByRole("button", { name: "Stop" });
    if ((await running.count()) > 0) await running.first().click();
    // Its games can be watched.
    await page.goto(`${server.url}/#/watch`);
    await page.getByRole("button", { name: "Game 0", exact: true }).first().click();
    await page.getByText("You are looking at step 0.").waitFor();
    await page.getByRole("button", { name: "To the end" }).click();
    await page.locator("[data-testid=status].over").waitFor();
    await close();
  },

  async "the report of an experiment is a page"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/compare?report=classics-lengths&scale=quick`);
    await page.frameLocator("iframe").getByRole("heading", { name: /How long random matches/ }).waitFor();
    await picture(page, "report");
    await page.getByRole("link", { name: "Close the report" }).click();
    await page.locator("iframe").waitFor({ state: "detached" });
    await page.goto(`${server.url}/#/compare?report=no-such-one`);
    await page.getByRole("alert").getByText("there is no report").waitFor();
    await close();
  },

  async "a duel that cannot be is refused with a reason"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/compare`);
    await page.getByLabel("Game", { exact: true }).fill("connect-for");
    await page.keyboard.press("Tab");
    await page.getByRole("alert").getByText("There is no such game").waitFor();
    assert.ok(await page.getByRole("button", { name: "Start the duel" }).isDisabled());
    await close();
  },
};
