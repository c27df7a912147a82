import { describe, expect, it } from "vitest";
import type { Opponent } from "../../src/api";
import { levelOf, opponentSeats, personSeat } from "../../src/logic/opponents";

const OPPONENTS: Opponent[] = [
  { level: "easy", agent: "a" },
  { level: "strongest", agent: "b" },
];

describe("seats", () => {
  it("go to a person and to opponents", () => {
    expect(opponentSeats(3, 1, "a")).toEqual(["a", "human", "a"]);
    expect(opponentSeats(2, null, "a")).toEqual(["a", "a"]);
    expect(personSeat(["a", "human"])).toBe(1);
    expect(personSeat(["a", "a"])).toBe(0);
  });

  it("have a level if all opponents are the same", () => {
    expect(levelOf(["human", "b"], OPPONENTS)).toBe("strongest");
    expect(levelOf(["human", "a", "b"], OPPONENTS)).toBeNull();
    expect(levelOf(["human", "c"], OPPONENTS)).toBeNull();
    expect(levelOf(["human", "human"], OPPONENTS)).toBeNull();
  });
});
