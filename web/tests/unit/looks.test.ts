import { afterEach, describe, expect, it } from "vitest";
import type { Arm, Board, Cell, Phrase } from "../../src/api";
import { arrows, heat } from "../../src/logic/heat";
import { colourLetters, groundColour, seatColours, shapeOf, writtenSymbol } from "../../src/logic/pieces";
import { settings } from "../../src/state/settings.svelte";
import { gameName, phrase } from "../../src/words";
import { en } from "../../src/words/en";
import { effectText, pieceText } from "../../src/words/facts";
import { ja } from "../../src/words/ja";
import { PHRASES } from "../../src/words/phrases-ja";
import { faces, piece, pieceCell } from "./samples";

afterEach(() => (settings.language = "en"));

const row = (...cells: Cell[]): Board => ({
  grid: "square",
  cells,
  column_labels: cells.map((_, i) => String.fromCharCode(97 + i)),
  row_labels: ["1"],
  marked: [],
  edges: [null, null, null, null],
});

describe("pieces", () => {
  it("are drawn as the game says, and as tiles if they belong to nobody", () => {
    expect(shapeOf({ ...piece("x", 0), shape: "mark" })).toBe("mark");
    expect(shapeOf(piece("7", null))).toBe("tile");
  });

  it("do not write their colour", () => {
    const chess = row(pieceCell("wp", 0), pieceCell("wk", 0), pieceCell("bp", 1));
    const letters = colourLetters(chess);
    expect(chess.cells.map((cell) => writtenSymbol(cell.pieces[0]!, letters))).toEqual(["p", "k", "p"]);
    const tactics = row(pieceCell("AA", 0), pieceCell("A", 0), pieceCell("b", 1), pieceCell("12", null));
    expect(colourLetters(tactics).size).toBe(0);
    expect(colourLetters(row(pieceCell("wp", 0), pieceCell("wk", 1))).size).toBe(0);
  });

  it("have the colours of the game if it has one for everyone", () => {
    const named = (...colours: ("white" | "red" | null)[]) => colours.map((colour) => ({ name: "", colour }));
    expect(seatColours(named("white", "red"))).toEqual(["white", "red"]);
    expect(seatColours(named("red", null))).toEqual(["blue", "red"]);
    expect(seatColours(named("red", "red"))).toEqual(["blue", "red"]);
    expect(new Set(seatColours(faces("a", "b", "c", "d", "e", "f"))).size).toBe(6);
  });

  it("stand on ground that always looks the same", () => {
    expect(groundColour("marsh of doom")).toBe(groundColour("marsh of doom"));
    expect(groundColour("forest")).not.toBe(groundColour("sea"));
  });

  it("tell their numbers", () => {
    const soldier = {
      ...piece("A", 0),
      gauge: { value: 900, max: 1000, unit: "hp" },
      facts: [
        { pattern: "attack {0}", values: ["50"] },
        { pattern: "moved", values: [] },
      ],
    };
    expect(pieceText(soldier)).toBe("900 hp, attack 50, moved");
    settings.language = "ja";
    expect(pieceText(soldier)).toBe("900 体力, 攻撃 50, 移動済");
  });
});

describe("what games write", () => {
  const wins: Phrase = { pattern: "{0} wins by {1} to {2}", values: [{ pattern: "black (x)", values: [] }, "34", "30"] };

  it("is translated by its pattern", () => {
    expect(phrase(wins)).toBe("black (x) wins by 34 to 30");
    settings.language = "ja";
    expect(phrase(wins)).toBe("黒の勝ち(34 対 30)");
  });

  it("is left alone if it is a name out of somebody's rules", () => {
    settings.language = "ja";
    expect(phrase({ pattern: "{0} to move", values: ["black wins by fire"] })).toBe("black wins by fireの番");
    expect(phrase({ pattern: "a pattern {0} that {1} nobody knows", values: ["x"] })).toBe("a pattern x that {1} nobody knows");
  });

  it("keeps its blanks in Japanese", () => {
    const blanks = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([blank]) => blank).sort();
    for (const [pattern, text] of Object.entries(PHRASES)) expect(blanks(text), pattern).toEqual(blanks(pattern));
  });

  it("tells effects in numbers", () => {
    expect(effectText({ kind: "damage", cell: 3, amount: 120, left: 880 })).toBe("deals 120 (880 left)");
    expect(effectText({ kind: "counter", cell: 3, amount: 40, left: 0 })).toBe("takes 40 (falls)");
    expect(effectText({ kind: "chance", probability: 0.35 })).toBe("works with 35 %");
    expect(effectText({ kind: "points", player: 0, amount: 4 })).toBe("+4 points");
  });

  it("names games by what is written in their specification", () => {
    expect(["othello", "connect-four:width=8,height=7", "x:sheet=sliding-eight", "x:n=5"].map(gameName)).toEqual(["Othello", "Connect four (8x7)", "X: Sliding eight", "X (n=5)"]);
  });
});

describe("what an agent thinks", () => {
  const arm = (share: number, value: number | null, ...cells: number[]): Arm => ({ text: "", cells, share, visits: null, value, proven: false, prior: null });

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

  it("is one arrow where two actions have the same ends", () => {
    expect(arrows([arm(0.5, null, 1, 5), arm(0.25, null, 1, 1, 5)])).toEqual([{ from: 1, to: 5, share: 0.75 }]);
  });
});

describe("words", () => {
  it("are the same in both languages, with the same blanks", () => {
    const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
    for (const [key, text] of Object.entries(en)) expect(blanks(ja[key as keyof typeof ja]), key).toEqual(blanks(text));
  });
});
