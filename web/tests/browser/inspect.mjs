// Looking inside.

import assert from "node:assert/strict";
import { match, moves, openWindow, picture, settled } from "./browser.mjs";

const thought = (page) => page.getByTestId("thought").first();

export const inspect = {
  async "the inspector follows a search while it goes on"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "connect-four", seats: ["uct:time=60s,c=1", "human"] }));
    const live = page.locator("[data-testid=thought][data-live=true]");
    await live.waitFor();
    const first = Number(await live.getAttribute("data-iterations"));
    await page.waitForFunction((n) => Number(document.querySelector("[data-testid=thought][data-live=true]")?.dataset.iterations) > n, first);
    assert.ok((await page.locator(".heat").count()) > 3, "the heat map is on the board");
    assert.ok((await live.locator("tbody tr").count()) > 3);
    await picture(page, "inspector-live");
    await close();
  },

  async "a search that is done shows its tree"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "connect-four", seats: ["uct:iterations=20000", "human"] }));
    await settled(page);
    assert.equal(await thought(page).getAttribute("data-live"), "false");
    await page.getByRole("tab", { name: "Tree" }).click();
    await page.locator("[role=treeitem]").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    assert.ok((await page.locator("[role=treeitem] [role=treeitem] [role=treeitem]").count()) > 0, "the tree unfolds by keys");
    await picture(page, "inspector-tree");
    await close();
  },

  async "simultaneous games show the strategies of all players"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "hagetaka:n=5,players=3", seats: ["human", "rm:iterations=3000", "rm:iterations=3000"] }));
    await settled(page);
    await page.getByRole("tab", { name: "Ask" }).click();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText(/would play \d/).waitFor();
    assert.ok((await thought(page).locator("table").count()) >= 2, "one table for each player");
    await picture(page, "inspector-strategies");
    await close();
  },

  async "what would another agent have played, at an earlier step"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["-", "-"], moves: "b2.a1.c3.b1.b3" }));
    await moves(page).then((list) => list.getByRole("button", { name: /^4/ }).click());
    await page.getByText("You are looking at step 4.").waitFor();
    await page.getByRole("tab", { name: "Ask" }).click();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("maxn");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText(/maxn.* would play c1/).waitFor();
    await picture(page, "inspector-ask");
    await page.getByRole("button", { name: "Play on from here" }).click();
    await page.waitForFunction(() => /m=b2\.a1\.c3\.b1(&|$)/.test(location.hash) && /p=human/.test(location.hash));
    await close();
  },
};
