// What goes wrong, and that nothing is lost by it.

import assert from "node:assert/strict";
import { cell, match, openWindow, picture, settled, steps } from "./browser.mjs";
import { Server } from "./server.mjs";

const alert = (page) => page.getByRole("alert").first();

export const trouble = {
  async "a broken upload shows line and column"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(server.url);
    await page.getByText("Your own rules", { exact: true }).first().click();
    const broken = "(role x)\n(role y)\n(init (cell 1 1 b)\n";
    await page.locator("input[type=file]").setInputFiles({ name: "broken.kif", mimeType: "text/plain", buffer: Buffer.from(broken) });
    await alert(page).getByText("The rules have a fault").waitFor();
    assert.match(await alert(page).innerText(), /line \d+, column \d+/);
    assert.ok((await page.locator("[data-testid=excerpt] .wrong").count()) === 1, "the line is marked");
    await picture(page, "broken-rules");
    assert.equal(await page.getByLabel("Rules", { exact: true }).inputValue(), broken, "what was uploaded is still there");
    await close();
  },

  async "a reload in the middle of a match goes on"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["human", "random"] }));
    await settled(page);
    await cell(page, "b2").click();
    await page.waitForFunction(() => /[?&]m=b2\.\w\d/.test(location.hash));
    const hash = await page.evaluate(() => location.hash);
    await page.reload();
    await settled(page);
    assert.equal(await page.evaluate(() => location.hash), hash);
    assert.match(await cell(page, "b2").getAttribute("aria-label"), /x of x/);
    // The first page knows it too.
    await page.goto(`${server.url}/#/`);
    await page.getByRole("heading", { name: "Go on with a match" }).waitFor();
    await page
      .getByRole("link", { name: /Tic tac toe.*you/ })
      .first()
      .click();
    await settled(page);
    assert.equal(await steps(page), 2);
    await close();
  },

  async "a sealed choice outlives a reload"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "goofspiel:n=4", seats: ["human", "rm:time=3s"], id: "sealed-reload" }));
    await settled(page);
    await page.locator("[data-action='3']").click();
    await page.locator("[aria-label='Choice of player 1, face down']").waitFor();
    await page.reload();
    await page.waitForFunction(() => /\.3~\d/.test(location.hash));
    await close();
  },

  async "two tabs: different matches do not disturb each other, the same match stays the same"({ browser, server }) {
    const { context, page, close } = await openWindow(browser);
    const other = await context.newPage();
    const same = await context.newPage();
    const address = match(server, { game: "tic-tac-toe", seats: ["human", "random"], id: "shared" });
    await page.goto(address);
    await settled(page);
    await other.goto(match(server, { game: "connect-four", seats: ["human", "random"], id: "other" }));
    await settled(other);
    await same.goto(address);
    await same.getByText("also open in another window").waitFor();
    await cell(same, "c3").click();
    await page.waitForFunction(() => /[?&]m=c3\.\w\d/.test(location.hash));
    await same.waitForFunction(() => /[?&]m=c3\.\w\d/.test(location.hash));
    const [a, b] = await Promise.all([page, same].map((tab) => tab.evaluate(() => location.hash)));
    assert.equal(a, b);
    assert.equal(await steps(other), 0);
    await page.close();
    // Now the second tab lets the agents play.
    await settled(same);
    await same.locator(".open[role=gridcell]").first().click();
    await same.waitForFunction(() => /[?&]m=([^&]*)/.exec(location.hash)[1].split(".").length === 4);
    await close();
  },

  async "a server that is killed and started again"({ browser }) {
    const server = await Server.start();
    const { page, close } = await openWindow(browser);
    try {
      await page.goto(server.url);
      await page.getByText("Your own rules", { exact: true }).first().click();
      await page.getByRole("button", { name: "Put in an example" }).click();
      await page.getByRole("button", { name: "Check and use these rules" }).click();
      await page.getByText("These rules work").waitFor();
      await page.getByText("Advanced: who sits where").click();
      await page.getByRole("combobox", { name: "Agent" }).selectOption("random");
      await page.getByRole("button", { name: "Play", exact: true }).click();
      await settled(page);
      await server.kill();
      await page.locator(".hand button").first().click();
      await page.getByText("The server does not answer").first().waitFor();
      await picture(page, "server-gone");
      await server.run();
      // The rules are sent again, the move is made, the agent answers.
      await page.waitForFunction(() => /[?&]m=\(take_1\)\./.test(location.hash), undefined, { timeout: 30_000 });
      await page.locator(".banner").waitFor({ state: "detached" });
      await settled(page);
      assert.equal(await page.getByRole("alert").count(), 0);
    } finally {
      await server.close();
    }
    await close();
  },

  async "a server that is killed while an agent thinks"({ browser }) {
    const server = await Server.start();
    const { page, close } = await openWindow(browser);
    try {
      const live = page.locator("[data-testid=thought][data-live=true]");
      await page.goto(match(server, { game: "connect-four", seats: ["uct:time=30s", "human"] }));
      await live.waitFor();
      await server.kill();
      await page.getByText("The server does not answer").first().waitFor();
      await server.run();
      await page.locator(".banner").waitFor({ state: "detached" });
      const before = Number(await live.getAttribute("data-iterations"));
      await page.waitForFunction((n) => Number(document.querySelector("[data-testid=thought][data-live=true]").dataset.iterations) !== n, before);
    } finally {
      await server.close();
    }
    await close();
  },

  async "bad links say what is wrong"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "chess", seats: ["human", "uct"] }));
    await alert(page).getByText("There is no such game").waitFor();
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["human", "random"], moves: "b2.z9.a1" }));
    await alert(page).getByText("This move is not legal here").waitFor();
    await picture(page, "bad-link");
    await page.getByRole("button", { name: "Go on from step 1, the last that works" }).click();
    await page.waitForFunction(() => /[?&]m=b2\.[a-c][1-3]/.test(location.hash));
    await page.goto(`${server.url}/#/match?g=othello&s=soon`);
    await alert(page).getByText("This link is damaged").waitFor();
    await page.goto(match(server, { game: "gdl:rules=0123456789abcdef", seats: ["human", "random"] }));
    await alert(page).getByText("The server does not know these rules").waitFor();
    await page.goto(`${server.url}/#/nowhere`);
    await page.getByText("There is no such page.").waitFor();
    await close();
  },

  async "a move that is not legal, and an agent that does not exist"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["human", "human"] }));
    await settled(page);
    await page.getByText("Type a move").click();
    await page.getByLabel("Type a move").fill("z9");
    await page.keyboard.press("Enter");
    await alert(page).getByText("This move is not legal here").waitFor();
    await cell(page, "b2").click();
    await page.waitForFunction(() => /[?&]m=b2(&|$)/.test(location.hash));
    assert.equal(await page.getByRole("alert").count(), 0, "a good move clears the message");
    await page.goto(match(server, { game: "tic-tac-toe", seats: ["human", "alphazero"], moves: "b2" }));
    await alert(page).getByText("There is no such agent").waitFor();
    assert.equal(await page.locator("[role=grid]").count(), 0);
    await close();
  },
};
