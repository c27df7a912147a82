// A board of hexagons with holes, grounds and holders, such as no single game has: the server's answers are made up here.

import assert from "node:assert/strict";
import { cell, match, openWindow, picture } from "./browser.mjs";

const [COLUMNS, ROWS] = [7, 6];
const PLAYERS = ["north", "south"].map((name) => ({ name, colour: null }));

function position(moves) {
  const taken = new Map(moves.map(([text], i) => [text, i % 2]));
  const name = (i) => `${String.fromCharCode(97 + (i % COLUMNS))}${Math.floor(i / COLUMNS) + 1}`;
  const ground = (i) => (i % 11 === 3 ? "forest" : i % 13 === 5 ? "water" : null);
  const isHole = (i) => i === 0 || i === COLUMNS * ROWS - 1;
  const all = Array.from({ length: COLUMNS * ROWS }, (_, i) => i);
  const stone = (i) => ({ symbol: "●", owner: taken.get(name(i)), shape: "stone", gauge: null, badge: null, has_acted: false, facts: [] });
  const cells = all.map((i) => ({
    pieces: taken.has(name(i)) ? [stone(i)] : [],
    ground: ground(i),
    owners: i % 5 === 0 ? [1] : [],
    amount: i % 10 === 0 ? 3 : null,
    is_hole: isHole(i),
  }));
  const player = moves.length % 2;
  const free = all.filter((i) => !taken.has(name(i)) && !isHole(i));
  return {
    record: { game: "hexes", seed: 1, moves },
    players: PLAYERS,
    turn: moves.length < 4 ? { kind: "choose", players: [player] } : { kind: "over", payoffs: [1, 0] },
    view: {
      board: { grid: "hex", cells, column_labels: [..."abcdefg"], row_labels: all.slice(0, ROWS).map((i) => String(i + 1)), marked: [], edges: [null, null, null, null] },
      piles: [],
      players: [],
      facts: [],
      caption: "",
      note: null,
    },
    legal: [{ player, actions: free.map((i) => ({ text: name(i), cells: [i], area: [], card: null, kind: null, effects: [], ends_turn: false })) }],
    past: moves.map((texts, i) => ({ by: [i % 2], texts, cells: [all.filter((cell) => name(cell) === texts[0])] })),
  };
}

export const hex = {
  async "a board of hexagons is drawn and played"({ browser, server }) {
    const { page, close } = await openWindow(browser);
    await page.route("**/api/position", (route) => route.fulfill({ json: position(route.request().postDataJSON().record.moves) }));
    await page.route("**/api/game", (route) =>
      route.fulfill({ json: { game: "hexes", players: PLAYERS, agents: [], opponents: [], suggested: "", checked: [], start: position([]) } }),
    );
    await page.goto(match(server, { game: "hexes", seats: ["human", "human"] }));
    for (const name of ["d3", "e4", "d4", "c3"]) await cell(page, name).click();
    await page.getByText("north wins").first().waitFor();
    assert.match(await page.evaluate(() => location.hash), /m=d3\.e4\.d4\.c3/);
    assert.equal((await cell(page, "d3").locator("polygon").first().getAttribute("points")).split(" ").length, 6);
    await picture(page, "hex");
    await close();
  },
};
