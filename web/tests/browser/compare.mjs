// Duels and experiments.

import assert from "node:assert/strict";
import { openWindow, picture } from "./browser.mjs";

export const compare = {
  async "a duel is started, stopped, resumed and shown with its interval"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/compare`);
    const form = page.getByRole("form", { name: "A duel" });
    await form.getByLabel("Kind of game").selectOption("connect-four");
    await form.getByLabel("Games", { exact: true }).fill("400");
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
    // It is a run in the table, with all its games.
    const run = page.locator("[data-run]").first();
    await run.getByRole("button", { name: /Connect four/ }).click();
    await page.getByText(/\d+ kept games/).waitFor();
    assert.ok((await page.getByRole("button", { name: /^Game \d+ (won|drawn|lost) \d+ turns/ }).count()) > 0, "games say how they ended and how long they were");
    await picture(page, "compare-runs");
    await page.getByRole("button", { name: /^Game 0 / }).click();
    await page.getByText("You are looking at step 0.").waitFor();
    await page.getByRole("button", { name: "To the end" }).click();
    await page.locator("[data-testid=status].over").waitFor();
    // And it can be watched.
    await page.goto(`${server.url}/#/watch`);
    await page.locator("details summary", { hasText: "Connect four" }).first().click();
    await page
      .getByRole("button", { name: /^Game 0 / })
      .first()
      .waitFor();
    await close();
  },

  async "runs are laid side by side in one chart, and the address keeps which"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/compare`);
    const form = page.getByRole("form", { name: "A duel" });
    await form.getByLabel("Kind of game").selectOption("tic-tac-toe");
    await form.getByLabel("Games", { exact: true }).fill("20");
    for (const seed of ["71", "72"]) {
      await form.getByLabel("Seed").fill(seed);
      await page.getByRole("button", { name: "Start the duel" }).click();
      await page
        .locator("[data-job][data-state=done]", { hasText: "20 of 20 games" })
        .nth(Number(seed) - 71)
        .waitFor();
    }
    const boxes = page.getByRole("checkbox", { name: /^Compare: .*Tic tac toe/ });
    await boxes.nth(1).waitFor();
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    const compared = page.getByTestId("compared");
    assert.equal(await compared.locator("tbody tr").count(), 2);
    await compared.locator("figure .line").nth(1).waitFor();
    await compared.locator("figure svg").focus();
    await page.keyboard.press("End");
    await compared.getByTestId("told").getByText("after 20 games:").waitFor();
    assert.match(page.url(), /runs=\d+\.\d+$/);
    await picture(page, "compare-side-by-side");
    await page.reload();
    await compared.locator("tbody tr").nth(1).waitFor();
    await compared.getByRole("button", { name: "Clear" }).click();
    await compared.waitFor({ state: "detached" });
    assert.doesNotMatch(page.url(), /runs=/);
    await close();
  },

  async "experiments stand by paper, in Japanese too"({ browser, server }) {
    const { page, close } = await openWindow(browser, { language: "ja" });
    await page.goto(`${server.url}/#/compare`);
    await page.locator("summary", { hasText: "志村 伊生六、山口 文彦" }).click();
    await page.getByText("ハゲタカのえじき: 同時手番の探索どうしの総当たり").waitFor();
    // How long it takes is known from the games that came with the program.
    await page.locator("[data-experiment=hagetaka-reference]", { hasText: /約 [\d.]+ (s|min|h)/ }).waitFor();
    await close();
  },

  async "a duel that cannot be is refused with a reason"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(`${server.url}/#/compare`);
    const form = page.getByRole("form", { name: "A duel" });
    await form.getByText("Game as text").click();
    await form.getByLabel("Game", { exact: true }).fill("connect-for");
    await page.keyboard.press("Tab");
    await page.getByRole("alert").getByText("There is no such game").waitFor();
    assert.ok(await page.getByRole("button", { name: "Start the duel" }).isDisabled());
    await close();
  },
};
