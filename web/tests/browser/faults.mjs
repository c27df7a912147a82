// What once went wrong, each as a person met it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { cell, match, moves, openWindow, PHONE, settled, status, steps } from "./browser.mjs";

/** Sangoku where an attack and a skill have the same ends. */
const TWO_STRIKES = "A_valour.B_charge.C_fire.a_confuse.b_fire.c_fire.a4-a6.a3-b2.a2-a5.g3-d2.d2_fire_b2.g5-f2.g4-g1.b2-a2.a6-b4.a5-a6.d2-a1.a1_fire_a2.g1-g2.f2-b2";

export const faults = {
  async "two strikes on one target are drawn without a fault"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "sangoku", seats: ["human", "human"], moves: TWO_STRIKES }));
    await settled(page);
    await page.getByRole("button", { name: /^Hint/ }).click();
    await page.locator("p.hint").waitFor();
    assert.ok((await page.locator(".arrow").count()) > 0);
    await close();
  },

  async "connect four takes a click and a key anywhere in the column"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "connect-four", seats: ["human", "human"] }));
    await settled(page);
    await cell(page, "d4").click();
    await page.waitForFunction(() => /m=d(&|$)/.test(location.hash));
    await page.locator("[role=gridcell][aria-label^='d1, x of yellow']").waitFor();
    await page.locator("[role=gridcell][tabindex='0']").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /m=d\.c(&|$)/.test(location.hash));
    await close();
  },

  async "the suggested opponent does not carry over to another game"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByText("Hagetaka", { exact: true }).click();
    await page.getByRole("heading", { name: "Hagetaka" }).waitFor();
    await page.locator(".start:not([disabled])").click();
    await settled(page);
    assert.match(await page.evaluate(() => location.hash), /p=rm/);
    await page.getByRole("link", { name: "Play" }).click();
    await page.getByText("Othello", { exact: true }).click();
    await page.getByRole("heading", { name: "Othello" }).waitFor();
    await page.locator(".start:not([disabled])").click();
    await settled(page);
    assert.match(await page.evaluate(() => location.hash), /p=human&p=uct/);
    await close();
  },

  async "own rules: only what was checked is started"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.locator(".start:not([disabled])").waitFor();
    await page.getByText("Your own rules", { exact: true }).first().click();
    await page.locator(".start[disabled]").waitFor();
    await page.getByRole("button", { name: "Put in an example" }).click();
    await page.getByRole("button", { name: "Check and use these rules" }).click();
    await page.locator(".start:not([disabled])").waitFor();
    await page.getByLabel("Rules", { exact: true }).fill("(role x)");
    await page.locator(".start[disabled]").waitFor();
    await close();
  },

  async "a link with an agent that does not exist says so at once"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    for (const agent of ["alphazero", "uct:time=banana"]) {
      await page.goto("about:blank");
      await page.goto(match(server, { game: "othello", seats: ["human", agent] }));
      await page.getByRole("alert").getByText(agent.split(":").at(-1)).first().waitFor();
      assert.equal(await page.locator("[role=grid]").count(), 0);
    }
    await page.getByRole("button", { name: /Play against uct.* instead/ }).click();
    await settled(page);
    await page.goto("about:blank");
    await page.goto(match(server, { game: "othello", seats: ["human", "uct:time=10000s"] }));
    await page.getByRole("alert").getByText("cut short").waitFor();
    await close();
  },

  async "an agent can be told to move now"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "othello", seats: ["uct:time=50s", "human"] }));
    const start = Date.now();
    await page.getByRole("button", { name: "Move now" }).click();
    await settled(page);
    assert.equal(await steps(page), 1);
    assert.ok(Date.now() - start < 20_000, "it did not think to the end");
    await close();
  },

  async "a finished match in a second window does not claim that agents play elsewhere"({ browser, server }) {
    const { context, page, close } = await openWindow(browser);
    const address = match(server, { game: "tic-tac-toe", seats: ["human", "random"], moves: "a1.a2.b1.b2.c1", id: "twice" });
    await page.goto(address);
    await status(page).getByText("You won").waitFor();
    const other = await context.newPage();
    await other.goto(address);
    await status(other).getByText("You won").waitFor();
    await other.waitForTimeout(300);
    assert.equal(await other.getByText("also open in another window").count(), 0);
    assert.equal(await page.locator(".decisive").count(), 3, "the winning line is marked");
    await close();
  },

  async "watching is watching in the header"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["random", "random"] }));
    await page.locator("nav [aria-current=page]", { hasText: "Watch" }).waitFor();
    await page.goto(`${server.url}/#/?watch=1`);
    await page.locator("nav [aria-current=page]", { hasText: "Watch" }).waitFor();
    await close();
  },

  async "points are the game's own, and chance is no move"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "hagetaka:n=2,deck=1/2", seats: ["human", "random"], moves: "+1.2~1.1~2" }));
    await status(page)
      .getByText(/won|lost|Draw/)
      .first()
      .waitFor();
    const seats = await page.locator("ul[aria-label=Players] li").allInnerTexts();
    const points = seats.map((seat) => Number(/(-?\d+) points/.exec(seat)[1]));
    assert.deepEqual([...points].sort(), [1, 2], "each took one of the two cards");
    assert.match(await status(page).innerText(), /with 2 points/);
    const numbers = await (await moves(page)).locator(".number").allInnerTexts();
    assert.deepEqual(
      numbers.filter((number) => number !== ""),
      ["1", "2"],
    );
    await close();
  },

  async "a hand fits the narrowest phone, and its cards are not cut"({ browser, server }) {
    const { page, close } = await openWindow(browser, { size: { width: 320, height: 700 }, isTouch: true });
    await page.goto(match(server, { game: "hagetaka", seats: ["human", "random"] }));
    await settled(page);
    const hand = page.locator(".hand");
    assert.ok(await hand.evaluate((element) => element.scrollHeight <= element.clientHeight + 1 && element.scrollWidth <= element.clientWidth + 1), "nothing scrolls inside");
    const [box, card] = [await hand.boundingBox(), await page.locator("[data-action='15']").boundingBox()];
    assert.ok(card.x + card.width <= box.x + box.width && card.y + card.height <= box.y + box.height, "the last card is whole");
    await close();
  },

  async "Play is above the fold on a desk and on a phone"({ browser, server }) {
    for (const size of [{ width: 1280, height: 800 }, PHONE]) {
      const { page, close } = await openWindow(browser, { size });
      await page.goto(server.url);
      const start = page.locator(".start:not([disabled])");
      await start.waitFor();
      const box = await start.boundingBox();
      assert.ok(box.y + box.height <= size.height, `Play ends at ${box.y + box.height} of ${size.height}`);
      await close();
    }
  },

  async "the match screen fits 1280 x 800, also at its end"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    const ended = { "connect-four": "d.d.c.c.b.a.e", "tic-tac-toe": "a1.a2.b2.b3.c3", sangoku: "" };
    for (const [game, moves] of [...["connect-four", "othello", "sangoku", "breakthrough", "hex", "tubstap"].map((game) => [game, ""]), ...Object.entries(ended)]) {
      await page.goto("about:blank");
      await page.goto(match(server, { game, seats: ["human", "random"], moves }));
      await settled(page);
      if (game === "sangoku" && moves === "") {
        await page.getByRole("button", { name: "Resign" }).click();
        await page.getByRole("button", { name: "Resign?" }).click();
      }
      const high = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(high <= 800, `${game} ${moves} is ${high} pixels high`);
      for (const part of ["[role=grid]", ".tools", ".transport", "[role=tablist]"]) {
        const box = await page.locator(part).first().boundingBox();
        assert.ok(box && box.y + box.height <= 800, `${part} of ${game} ends at ${box && box.y + box.height}`);
      }
    }
    await close();
  },

  async "a match can be given up, and sides are swapped for the next"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "connect-four", seats: ["human", "random"] }));
    await settled(page);
    await page.getByRole("button", { name: "Resign" }).click();
    await page.getByRole("button", { name: "Resign?" }).click();
    await status(page).getByText("You resigned").waitFor();
    await page.reload();
    await status(page).getByText("You resigned").waitFor();
    await page.getByRole("button", { name: "Play again" }).click();
    await page.waitForFunction(() => /p=random&p=human/.test(location.hash));
    await close();
  },

  async "sound is off until it is wanted, and then remembered"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["human", "random"] }));
    await settled(page);
    const button = page.getByRole("button", { name: "Sound" });
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await button.click();
    await page.reload();
    await settled(page);
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await cell(page, "b2").click();
    await settled(page);
    await close();
  },

  async "cards that were chosen at once are revealed with who takes what"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "hagetaka:n=2,deck=1/2", seats: ["human", "human"], moves: "+1.2~1" }));
    const reveal = page.getByTestId("reveal");
    await reveal.getByText(/takes \+1/).waitFor();
    await page.locator("[data-action]").first().waitFor();
    await close();
  },

  async "the record says who played, what was thought and how it was rated"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["uct:iterations=500", "human"] }));
    await settled(page);
    await page.getByRole("button", { name: "Share and keep" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Record (JSON)" }).click()]);
    const record = JSON.parse(readFileSync(await file.path(), "utf8"));
    assert.equal(record.players[0].agent, "uct:iterations=500");
    assert.equal(record.thoughts[0].thoughts[0].iterations, 500);
    assert.match(record.version, /^\d/);
    await close();
  },

  async "a game that can be solved is reviewed exactly"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["human", "human"], moves: "a1.a2.b2.b3.c3" }));
    await status(page).getByText("wins").first().waitFor();
    await page.getByRole("tab", { name: "Review" }).click();
    await page.getByLabel("Reviewed by").selectOption("exact");
    await page.getByRole("button", { name: "Review this game" }).click();
    await page.getByTestId("mistake").first().getByText("exact").waitFor();
    // Its report is made before the browser prints, which lets nothing new onto the page.
    await page.getByRole("button", { name: "Print the report" }).click();
    await page.emulateMedia({ media: "print" });
    await page.getByRole("heading", { name: /^Report/, includeHidden: true }).waitFor();
    assert.ok(await page.getByText("All moves").isVisible(), "the report is on the paper");
    assert.ok(!(await page.locator(".match").isVisible()), "the match is not");
    await close();
  },

  async "a tree is searched on where it ends"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "connect-four", seats: ["uct:iterations=300", "human"] }));
    await settled(page);
    await page.getByRole("tab", { name: "Tree" }).click();
    const deeper = page.locator(".deeper").first();
    await page.locator("[role=treeitem]").first().focus();
    for (let i = 0; i < 40 && (await deeper.count()) === 0; i++) await page.keyboard.press(i % 2 === 0 ? "ArrowDown" : "ArrowRight");
    const items = await page.locator("[role=treeitem]").count();
    await deeper.click();
    await page.waitForFunction((n) => document.querySelectorAll("[role=treeitem]").length > n, items);
    await close();
  },

  async "a fault in one part does not blank the page"({ browser, server }) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.route("**/api/position", async (route) => {
      const answer = await (await route.fetch()).json();
      answer.view.board.cells = null;
      await route.fulfill({ json: answer });
    });
    await page.goto(match(server, { game: "othello", seats: ["human", "human"] }));
    await page.getByRole("alert").first().waitFor();
    assert.ok(await page.getByRole("link", { name: "Play" }).isVisible(), "the header is still there");
    await context.close();
  },
};
