// Rule sheets that nobody has written a piece file for are drawn and played by clicks.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cell, moves, openWindow, picture, settled, SHOTS } from "./browser.mjs";

/** Public sheets of other people, if they are there: to look at. */
const SHARED = process.env.SAKIYOMI_SHARED;
const PUBLIC = ["chess_200", "merrills", "kalaha6x2x4", "chineseCheckers3", "dotsAndBoxes", "laikLee_hex"];

const TURNS = `(role white) (role black) (init (control white))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))`;

const ROOK = `${TURNS}
(init (cell a 1 white king)) (init (cell d 1 white rook)) (init (cell a 4 black king)) (init (moves 0))
(up 1 2) (up 2 3) (up 3 4) (count 0 1) (count 1 2)
(<= (legal white (move rook d 1 d ?y)) (true (control white)) (true (cell d 1 white rook)) (up ?x ?y))
(<= (legal ?p pass) (true (control ?p)))
(<= (next (cell d ?y white rook)) (does white (move rook d 1 d ?y)))
(<= moved (does white (move rook d 1 d ?y)))
(<= (next (cell d ?y white rook)) (true (cell d ?y white rook)) (not moved))
(<= (next (cell ?x ?y ?p king)) (true (cell ?x ?y ?p king)))
(<= (next (moves ?n)) (true (moves ?m)) (count ?m ?n))
(<= terminal (true (moves 2))) (goal white 100) (goal black 0)`;

const DOTS = `${TURNS}
(index 1) (index 2)
(<= (legal ?p (draw ?x 1 ?x 2)) (true (control ?p)) (index ?x) (not (true (line ?x 1 ?x 2))))
(<= (legal ?p (draw 1 ?y 2 ?y)) (true (control ?p)) (index ?y) (not (true (line 1 ?y 2 ?y))))
(<= (next (line ?a ?b ?c ?d)) (does ?p (draw ?a ?b ?c ?d)))
(<= (next (line ?a ?b ?c ?d)) (true (line ?a ?b ?c ?d)))
(<= terminal (true (line 1 1 1 2)) (true (line 2 1 2 2))) (goal white 50) (goal black 50)`;

/** Uploads a sheet as a file and starts a match of two persons on it. */
async function play(page, server, name, text) {
  await page.goto("about:blank");
  await page.goto(server.url);
  await page.getByText("Your own rules", { exact: true }).first().click();
  await page.locator("input[type=file]").setInputFiles({ name: `${name}.kif`, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.getByText("These rules work").waitFor({ timeout: 60_000 });
  await page.getByText("Advanced: who sits where").click();
  const persons = page.getByRole("radio", { name: "A person" });
  for (let i = 0; i < (await persons.count()); i++) await persons.nth(i).check();
  await page.locator(".start:not([disabled])").click();
  await settled(page);
}

export const sheets = {
  async "a foreign sheet is named after its file, drawn with chessmen, and moved by clicks"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await play(page, server, "rook-and-king", ROOK);
    await page.getByRole("heading", { name: "rook-and-king" }).waitFor();
    await cell(page, "d1").locator("text=♖").waitFor();
    await cell(page, "d1").click();
    await cell(page, "d3").click();
    const list = await moves(page);
    await list.getByText("d1-d3").waitFor();
    assert.equal(await list.locator("[title='(move rook d 1 d 3)']").count(), 1, "the term is beside it");
    await picture(page, "sheet-chessmen");
    await close();
  },

  async "lines between dots are drawn by clicks"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await play(page, server, "dots", DOTS);
    const lines = page.locator("[role=gridcell][aria-label*='line']");
    assert.equal(await lines.count(), 0);
    await page.locator(".open[role=gridcell]").first().click();
    await lines.first().waitFor();
    await picture(page, "sheet-dots");
    await close();
  },

  async "public sheets, to look at"({ browser, server }) {
    if (!SHARED || !SHOTS) return console.log("skipped without SAKIYOMI_SHARED, a folder with public sheets, and a folder for pictures");
    const { page, close } = await openWindow(browser);
    for (const name of PUBLIC) {
      const file = join(SHARED, "data/kif", `${name}.kif`);
      assert.ok(existsSync(file), `there is no ${file}`);
      await play(page, server, name, readFileSync(file, "utf8"));
      await page.locator("[role=grid]").waitFor();
      await picture(page, `sheet-${name}`);
    }
    await close();
  },
};
