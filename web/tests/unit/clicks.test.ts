import { describe, expect, it } from "vitest";
import { actionAt, click, clickable, NOTHING, targets } from "../../src/logic/clicks";
import { action } from "./samples";

describe("one click", () => {
  const marks = [action("a1", 6), action("b2", 4)];

  it("plays an action of one cell", () => {
    expect(click(marks, [], 4).play?.text).toBe("b2");
  });

  it("does nothing where nothing can be chosen", () => {
    expect(click(marks, [], 0)).toEqual(NOTHING);
  });

  it("plays from anywhere in the area of the action", () => {
    const drops = [
      { ...action("a", 6), area: [0, 3, 6] },
      { ...action("b", 4), area: [1, 4] },
    ];
    expect(click(drops, [], 0).play?.text).toBe("a");
    expect(click(drops, [], 1).play?.text).toBe("b");
    expect(targets(drops, [])).toEqual(new Set([6, 4]));
    expect(clickable(drops, [])).toEqual(new Set([0, 3, 6, 1, 4]));
    expect(actionAt(drops, [], 3)?.text).toBe("a");
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
