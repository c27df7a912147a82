import { describe, expect, it } from "vitest";
import type { Arm, Board, Cell } from "../../src/api";
import { arrows, heat } from "../../src/logic/heat";
import { areCards, cardsOf, piecePanels } from "../../src/logic/panels";
import { groundColour, seatColours, shapeOf, shownSymbol } from "../../src/logic/pieces";
import { en } from "../../src/words/en";
import { ja } from "../../src/words/ja";

const piece = (symbol: string, owner: number | null): Cell => ({ symbol, owner, ground: null });
const row = (...cells: Cell[]): Board => ({ grid: "square", cells, column_labels: cells.map((_, i) => String.fromCharCode(97 + i)), row_labels: ["1"] });

describe("pieces", () => {
  it("are stones or marks where the symbol only says whose they are", () => {
    const small = row(piece("x", 0), piece("o", 1), piece("", null));
    expect(shapeOf(small.cells[0]!, small, ["x", "o"])).toBe("mark");
    const large = row(...Array.from({ length: 42 }, () => piece("x", 0)));
    expect(shapeOf(large.cells[0]!, large, ["x", "o"])).toBe("stone");
    expect(shapeOf(piece("●", 1), row(piece("●", 1)), ["north", "south"])).toBe("stone");
    const discs = row(piece("x", 0), ...Array.from({ length: 63 }, () => piece("o", 1)));
    expect(shapeOf(discs.cells[1]!, discs, ["black (x)", "white (o)"])).toBe("stone");
  });

  it("carry their symbol where it says more", () => {
    const tactics = row(piece("A", 0), piece("b", 1));
    expect(shapeOf(tactics.cells[1]!, tactics, ["blue", "red"])).toBe("token");
    const chess = row(piece("wp", 0), piece("b", 1));
    expect(shapeOf(chess.cells[1]!, chess, ["white", "black"])).toBe("token");
  });

  it("do not write their colour", () => {
    expect(shownSymbol(piece("bp", 1), ["white", "black"])).toBe("p");
    expect(shownSymbol(piece("AA", 0), ["blue", "red"])).toBe("AA");
    expect(shownSymbol(piece("12", null), ["robot"])).toBe("12");
  });

  it("of nobody are tiles", () => {
    expect(shapeOf(piece("7", null), row(piece("7", null)), ["robot"])).toBe("tile");
  });

  it("have the colour of their player's name", () => {
    expect(seatColours(["white", "black"])).toEqual(["white", "black"]);
    expect(seatColours(["black (x)", "white (o)"])).toEqual(["black", "white"]);
    expect(seatColours(["x", "o"])).toEqual(["blue", "red"]);
    expect(seatColours(["red", "wolf"])).toEqual(["blue", "red"]);
    expect(new Set(seatColours(Array.from({ length: 6 }, (_, i) => `player ${i}`))).size).toBe(6);
  });

  it("stand on ground that always looks the same", () => {
    expect(groundColour("marsh of doom")).toBe(groundColour("marsh of doom"));
    expect(groundColour("forest")).not.toBe(groundColour("sea"));
  });
});

describe("panels", () => {
  it("show numbers as cards", () => {
    expect(cardsOf("+2")).toEqual({ text: "", cards: ["+2"] });
    expect(cardsOf("0 points, holds 1 2 3")).toEqual({ text: "0 points, holds", cards: ["1", "2", "3"] });
    expect(cardsOf("-3 points, holds 5")).toEqual({ text: "-3 points, holds", cards: ["5"] });
    expect(cardsOf("1000 hp, attack 50")).toEqual({ text: "1000 hp, attack 50", cards: [] });
    expect(cardsOf("+2 and +3 carried over").cards).toEqual([]);
    expect(areCards(["1", "12"])).toBe(true);
    expect(areCards(["1", "end"])).toBe(false);
  });

  it("about a piece belong to its cell", () => {
    const board = row(piece("A", 0), piece("", null), piece("b", 1));
    const panels = [{ title: "A a1", text: "900 hp, attack 50" }, { title: "b c1", text: "confused" }, { title: "round", text: "2" }];
    const { pieces, others } = piecePanels(board, panels);
    expect(pieces.map(({ cell, hitPoints }) => [cell, hitPoints])).toEqual([[0, 900], [2, null]]);
    expect(others.map((panel) => panel.title)).toEqual(["round"]);
  });
});

describe("what an agent thinks", () => {
  const arm = (share: number, value: number | null, ...cells: number[]): Arm => ({ text: "", cells, share, visits: null, value, proven: false });

  it("is added up where moves end", () => {
    const cells = heat([arm(0.5, 0.6, 1, 5), arm(0.25, 0.4, 2, 5), arm(0.25, null)]);
    expect(cells).toEqual([{ cell: 5, share: 0.75, value: 0.6 }]);
  });

  it("is drawn as arrows for moves from cell to cell", () => {
    expect(arrows([arm(0.5, null, 1, 5), arm(0.3, null, 4), arm(0.2, null, 2, 2, 6), arm(0.01, null, 1, 2)])).toEqual([
      { from: 1, to: 5, share: 0.5 },
      { from: 2, to: 6, share: 0.2 },
    ]);
  });
});

describe("words", () => {
  it("are the same in both languages, with the same blanks", () => {
    const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
    for (const [key, text] of Object.entries(en)) expect(blanks(ja[key as keyof typeof ja]), key).toEqual(blanks(text));
  });
});
