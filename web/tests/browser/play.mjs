// Whole games by click, key and touch.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cell, DESKTOP, isOver, match, openWindow, PHONE, picture, settled, status, steps } from "./browser.mjs";

const MOST_MOVES = 200;

/** Clicks a legal move until the match is over: the last of the cells that can be chosen, again and again. */
async function clickThrough(page, choose = clickSomething) {
  for (let i = 0; i < MOST_MOVES; i++) {
    if (await settled(page)) return;
    const before = await steps(page);
    await choose(page);
    await page.waitForFunction((n) => {
      const moves = /[?&]m=([^&]*)/.exec(location.hash);
      return (moves ? moves[1].split(".").length : 0) > n || document.querySelector("[data-testid=status].over");
    }, before);
  }
  throw new Error(`not over after ${MOST_MOVES} moves`);
}

async function chooseAgent(page, name) {
  await page.getByText("Advanced: who sits where").click();
  await page.getByRole("combobox", { name: "Agent" }).selectOption(name);
}

async function clickSomething(page) {
  const open = page.locator(".open[role=gridcell]");
  if ((await open.count()) === 0) return page.locator(".hand button").first().click();
  await open.last().click();
  // A move from cell to cell has a second click.
  if ((await page.locator("[role=gridcell][aria-selected=true]").count()) > 0) await page.locator(".open[role=gridcell]").first().click();
}

export const play = {
  async "tic-tac-toe from the first page to the end, by clicks"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByText("Tic tac toe", { exact: true }).click();
    await chooseAgent(page, "random");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await status(page).getByText("x to move").first().waitFor();
    await cell(page, "b2").click();
    await page.locator("[role=gridcell][aria-label^='b2, x of x']").waitFor();
    await clickThrough(page);
    assert.match(await status(page).innerText(), /won|lost|Draw/);
    await picture(page, "tic-tac-toe-over");
    await close();
  },

  async "a network that the server offers is chosen in the list and plays"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    const card = (name) => page.locator("strong", { hasText: name }).first();
    await card("Connect four").click();
    await page.getByText("Advanced: who sits where").click();
    const agents = page.getByRole("combobox", { name: "Agent" });
    assert.ok(!(await agents.innerText()).includes("tic-tac-toe.onnx"), "it does not fit connect four");
    await card("Tic tac toe").click();
    await agents.selectOption({ label: "net: tic-tac-toe.onnx" });
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await status(page).getByText("x to move").first().waitFor();
    assert.match(decodeURIComponent(page.url()), /net:file=tic-tac-toe\.onnx/);
    await cell(page, "a1").click();
    // Its logits prefer the middle.
    await page.locator("[role=gridcell][aria-label^='b2, o of o']").waitFor();
    await clickThrough(page);
    assert.match(await status(page).innerText(), /won|lost|Draw/);
    await close();
  },

  async "a network that is handed over is checked and plays, with its priors beside the visits"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.locator("strong", { hasText: "Connect four" }).first().click();
    await page.getByText("Advanced: who sits where").click();
    const file = page.locator(".network input[type=file]");
    await file.setInputFiles({ name: "broken.onnx", mimeType: "application/octet-stream", buffer: Buffer.from("no network") });
    await page.getByRole("alert").getByText("no network").waitFor();
    const buffer = readFileSync(join(import.meta.dirname, "../../../tests/networks/tic-tac-toe.onnx"));
    await file.setInputFiles({ name: "my own.onnx", mimeType: "application/octet-stream", buffer });
    const unfit = page.getByRole("alert").getByText("takes observations");
    await unfit.waitFor();
    assert.doesNotMatch(await unfit.innerText(), /tmp|networks\//, "no path of the server");
    await page.locator("strong", { hasText: "Tic tac toe" }).first().click();
    await file.setInputFiles({ name: "my own.onnx", mimeType: "application/octet-stream", buffer });
    await page.getByText("my own.onnx fits this game").waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await cell(page, "a1").click();
    await page.getByRole("columnheader", { name: "Prior" }).waitFor();
    assert.match(decodeURIComponent(page.url()), /p=net:file=my-own\.onnx&/);
    await close();
  },

  async "connect four against a search, by keyboard alone"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "connect-four", seats: ["human", "uct:iterations=200"] }));
    await settled(page);
    await page.locator("[role=gridcell][tabindex='0']").focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^d1,.*can be chosen/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /m=d\./.test(location.hash));
    await settled(page);
    assert.match(await page.getByTestId("spoken").innerText(), /red \(o\) plays [a-g]/);
    await page.getByText("Type a move").click();
    await page.getByLabel("Type a move").fill("a");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /m=d\.[a-g]\.a\./.test(location.hash));
    // Backwards: the person's last move and the answer to it.
    await settled(page);
    await page.getByTestId("undo").click();
    await page.waitForFunction(() => /m=d\.[a-g](&|$)/.test(location.hash));
    await close();
  },

  async "breakthrough 5x5 by clicks and by dragging"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "breakthrough:5x5", seats: ["human", "random"] }));
    await settled(page);
    await cell(page, "b2").click();
    await picture(page, "breakthrough-selected");
    assert.equal(await page.locator(".target, .target-ring").count(), 3);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("[aria-selected=true][role=gridcell]").count(), 0);
    await cell(page, "b2").dragTo(cell(page, "b3"));
    await page.waitForFunction(() => /m=b2-b3\./.test(location.hash));
    await clickThrough(page);
    await close();
  },

  async "mizugame: orders for several pieces are put together by clicks, and the pieces go their ways"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "mizugame:teams=2,sessions=4,maps=1", seats: ["human", "random"] }));
    const orders = page.getByRole("form", { name: "Orders" });
    for (let session = 0; session < 10; session++) {
      await page.waitForFunction(() => document.querySelector("[data-testid=status].over, form.orders button.primary:not(:disabled)"));
      if ((await isOver(page).count()) > 0) break;
      const before = await steps(page);
      const first = orders.getByRole("group", { name: "Piece a" });
      await first.getByRole("button", { name: "move →" }).click();
      await first.getByRole("button", { name: "pour, suck or refill" }).click();
      assert.equal(await first.getByRole("textbox").inputValue(), "0A");
      await orders.getByLabel("Suggested commands of piece b").selectOption({ index: 1 });
      await orders.getByRole("button", { name: "Give these orders" }).click();
      await page.waitForFunction((n) => document.querySelector("[data-testid=status].over") || (/[?&]m=([^&]*)/.exec(location.hash)?.[1].split(".").length ?? 0) > n, before);
    }
    await isOver(page).waitFor();
    assert.match(await page.evaluate(() => location.hash), /m=.*0A/);
    await picture(page, "mizugame-over");
    await close();
  },

  async "sangoku: several actions a turn, undo, end turn, damage told"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "sangoku:scenario=a", seats: ["human", "rule-based"] }));
    await settled(page);
    await cell(page, "a3").click();
    await cell(page, "c3").click();
    await page.waitForFunction(() => /\.a3-c3(&|$)/.test(location.hash));
    assert.equal(await page.getByTestId("undo").getAttribute("title"), "Undo");
    await page.getByTestId("undo").click();
    await page.waitForFunction(() => !/a3-c3/.test(location.hash));
    await settled(page);
    await page.getByRole("button", { name: "End turn" }).click();
    await picture(page, "sangoku");
    // Whoever stands still is reached: then a strike says what it deals and takes.
    for (let turn = 0; turn < 15 && !(await settled(page)); turn++) {
      const strikes = page.locator(".open.grab[role=gridcell]");
      let told = false;
      for (let i = 0; i < (await strikes.count()) && !told; i++) {
        await strikes.nth(i).click();
        const notes = page.locator(".choices .notes button", { hasText: /deals \d+/ });
        told = await notes
          .first()
          .waitFor({ timeout: 400 })
          .then(
            () => true,
            () => false,
          );
        if (!told) await page.keyboard.press("Escape");
      }
      if (told) {
        await picture(page, "sangoku-strike");
        const before = await steps(page);
        await page.locator(".choices .notes button").first().click();
        await page.waitForFunction((n) => /[?&]m=([^&]*)/.exec(location.hash)?.[1].split(".").length > n, before);
        await close();
        return;
      }
      await page.getByRole("button", { name: "End turn" }).click();
      await page.waitForTimeout(50);
    }
    throw new Error("nobody came near enough to be struck");
  },

  async "sangoku to the end by ending turns"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "sangoku:scenario=b", seats: ["human", "rule-based"] }));
    await clickThrough(page, (page) => page.locator("[data-action=end]").click());
    assert.match(await status(page).innerText(), /won|lost|Draw/);
    await close();
  },

  async "hagetaka n=5: cards, choosing at once, hidden until all are in"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "hagetaka:n=5", seats: ["human", "rm:iterations=2000"], id: "h5" }));
    await settled(page);
    assert.equal(await page.locator(".hand .card").count(), 5);
    await picture(page, "hagetaka");
    // A choice that is taken back is not the one that counts in the end.
    await page.locator("[data-action='5']").click();
    await page.waitForFunction(() => /\.5~\d/.test(location.hash));
    await settled(page);
    await page.getByTestId("undo").click();
    await page.waitForFunction(() => !/~/.test(location.hash));
    await settled(page);
    await page.locator("[data-action='2']").click();
    await page.waitForFunction(() => /\.2~\d/.test(location.hash));
    await clickThrough(page, (page) => page.locator(".hand .card").last().click());
    assert.match(await status(page).innerText(), /won|lost|Draw/);
    await picture(page, "hagetaka-over");
    await close();
  },

  async "two persons in two windows choose at once"({ browser, server }) {
    const windows = [await openWindow(browser), await openWindow(browser)];
    const [first, second] = windows.map(({ page }) => page);
    const address = match(server, { game: "goofspiel:n=4", seats: ["human", "human"], id: "two-windows" });
    await Promise.all([first.goto(address), second.goto(address)]);
    await Promise.all([settled(first), settled(second)]);
    await second.getByRole("button", { name: "Choose for player 2" }).click();
    await first.locator(".hand .card").nth(2).click();
    await second.locator("[aria-label='Choice of player 1, face down']").waitFor();
    assert.doesNotMatch(await second.evaluate(() => location.hash), /~/);
    await second.locator(".hand .card").nth(1).click();
    for (const page of [first, second]) await page.waitForFunction(() => /3~2/.test(location.hash));
    for (const { close } of windows) await close();
  },

  async "a rule sheet: GDL tic-tac-toe by clicks"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "gdl:sheet=tic-tac-toe", seats: ["human", "random"] }));
    await clickThrough(page);
    await picture(page, "gdl-tic-tac-toe");
    await close();
  },

  async "uploaded rules are played at once, and shared in a link"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByText("Your own rules", { exact: true }).first().click();
    await page.getByRole("button", { name: "Put in an example" }).click();
    await page.getByRole("button", { name: "Check and use these rules" }).click();
    await page.getByText("These rules work").waitFor();
    await chooseAgent(page, "random");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await clickThrough(page, (page) => page.locator(".hand button").first().click());
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Share and keep" }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied.").first().waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    // The rules are kept: the first page offers them again.
    await page.goto(`${server.url}/#/`);
    await page.getByText("your rules, kept in this browser").click();
    await page.locator(".start:not([disabled])").click();
    await page.locator(".hand button").first().waitFor();
    await close();
    const other = await openWindow(browser);
    await other.page.goto(link);
    await isOver(other.page).waitFor();
    await other.close();
  },

  async "on a phone: othello by touch"({ browser, server }) {
    const { page, close } = await openWindow(browser, { size: PHONE, isTouch: true });
    await page.goto(match(server, { game: "othello", seats: ["human", "random"], moves: "d3.c5.d6.e3" }));
    await settled(page);
    const board = await page.locator("[role=grid]").boundingBox();
    assert.ok(board.width > 330, `the board is ${board.width} wide`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "the page does not scroll sideways");
    for (let i = 0; i < 3 && !(await settled(page)); i++) {
      const before = await steps(page);
      const open = page.locator(".open[role=gridcell]");
      if ((await open.count()) > 0) await open.first().tap();
      else await page.locator(".hand button").first().tap();
      await page.waitForFunction((n) => /[?&]m=([^&]*)/.exec(location.hash)[1].split(".").length > n + 1, before);
    }
    await picture(page, "phone-othello");
    await close();
  },

  async "agents play each other, with pause, step and pace; then the course is replayed"({ browser, server }) {
    const { page, close } = await openWindow(browser, { size: DESKTOP });
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["random", "random"] }));
    await page.getByRole("button", { name: "Pause" }).click();
    const paused = await steps(page);
    await page.getByRole("button", { name: "One move" }).click();
    await page.waitForFunction((n) => /[?&]m=([^&]*)/.exec(location.hash)?.[1].split(".").length === n + 1, paused);
    await page.getByLabel("Pause between moves").selectOption("0");
    await page.getByRole("button", { name: "Play", exact: true }).first().click();
    await isOver(page).waitFor();
    await page.getByRole("button", { name: "To the start" }).click();
    await page.getByText("You are looking at step 0.").waitFor();
    assert.equal(await page.locator("[role=gridcell][aria-label*=' of ']").count(), 0);
    await page.getByRole("button", { name: "One step on" }).click();
    await page.getByText("You are looking at step 1.").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Share and keep" }).click();
    await page.getByRole("button", { name: "Record (JSON)" }).click();
    const file = await (await download).path();
    await page.goto(`${server.url}/#/watch`);
    await page.locator("input[type=file]").setInputFiles({ name: "match.json", mimeType: "application/json", buffer: (await import("node:fs")).readFileSync(file) });
    await page.getByText("You are looking at step 0.").waitFor();
    const drawing = page.waitForEvent("download");
    await page.getByRole("button", { name: "Share and keep" }).click();
    await page.getByRole("button", { name: "Picture (SVG)" }).click();
    const svg = (await import("node:fs")).readFileSync(await (await drawing).path(), "utf8");
    assert.match(svg, /^<svg xmlns/);
    assert.doesNotMatch(svg, /var\(--|class=/);
    await close();
  },
};
