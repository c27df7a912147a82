import { describe, expect, it } from "vitest";
import type { LegalAction } from "../../src/api";
import { actionAt, click, NOTHING, sharedWords, targets } from "../../src/logic/clicks";

const action = (text: string, ...cells: number[]): LegalAction => ({ text, cells, note: "" });

describe("one click", () => {
  const marks = [action("a1", 6), action("b2", 4)];

  it("plays an action of one cell", () => {
    expect(click(marks, [], 4).play?.text).toBe("b2");
  });

  it("does nothing where nothing can be chosen", () => {
    expect(click(marks, [], 0)).toEqual(NOTHING);
  });
});

describe("from and to", () => {
  const moves = [action("a2-a3", 8, 4), action("a2xb3", 8, 5), action("b2-b3", 9, 5)];

  it("selects, shows where it can go, and plays", () => {
    const selected = click(moves, [], 8);
    expect(selected.selection).toEqual([8]);
    expect(targets(moves, selected.selection)).toEqual(new Set([4, 5]));
    expect(click(moves, selected.selection, 5).play?.text).toBe("a2xb3");
  });

  it("lets go of the selected cell, and changes to another one", () => {
    expect(click(moves, [8], 8)).toEqual(NOTHING);
    expect(click(moves, [8], 9).selection).toEqual([9]);
    expect(click(moves, [8], 0)).toEqual(NOTHING);
  });

  it("knows the action of the next click", () => {
    expect(actionAt(moves, [8], 4)?.text).toBe("a2-a3");
    expect(actionAt(moves, [], 8)).toBeNull();
  });
});

describe("longer sequences", () => {
  const orders = [action("b2-b3", 1, 2), action("b2 fire c4", 1, 1, 3), action("b2 fire d4", 1, 1, 4)];

  it("opens a skill with a second click on the same cell", () => {
    const twice = click(orders, [1], 1);
    expect(twice.selection).toEqual([1, 1]);
    expect(targets(orders, twice.selection)).toEqual(new Set([3, 4]));
    expect(click(orders, twice.selection, 4).play?.text).toBe("b2 fire d4");
    expect(click(orders, twice.selection, 1)).toEqual(NOTHING);
  });

  it("finds a word for what they share", () => {
    expect(sharedWords(orders.slice(1), new Set(["b2", "c4", "d4"]))).toBe("fire");
  });

  it("offers a jump that may go on", () => {
    const jumps = [action("jump", 1, 5), action("double", 1, 5, 9)];
    const after = click(jumps, [1], 5);
    expect(after.play).toBeNull();
    expect(after.offers.map((each) => each.text)).toEqual(["jump"]);
    expect(click(jumps, after.selection, 9).play?.text).toBe("double");
  });

  it("offers all actions of the same cells", () => {
    const promotions = [action("queen", 1, 5), action("knight", 1, 5)];
    expect(click(promotions, [1], 5).offers).toHaveLength(2);
  });
});
