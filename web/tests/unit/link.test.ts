import { describe, expect, it } from "vitest";
import { BadLink, deflate, freshLink, inflate, matchFromHash, matchToHash, packMoves, unpackMoves } from "../../src/logic/link";

const sample = (moves: string[][], game = "gdl:sheet=connect-four", seats = ["human", "uct:time=1s,c=0.7"]) => freshLink({ game, seed: 7, moves }, seats);

describe("moves in an address", () => {
  it.each([[[["a1"], ["b2xc3"]]], [[["(move 1 2 1 3)"], ["(drop 4)"]]], [[["3", "5"], ["+2"], ["-1", "1"]]], [[["odd_text.with~all! of: it"], ["%41 & = #"], ["日本"]]], [[]]])(
    "come back as they were: %j",
    (moves) => {
      expect(unpackMoves(packMoves(moves))).toEqual(moves);
      expect(matchFromHash(matchToHash(sample(moves))).record.moves).toEqual(moves);
    },
  );

  it("stay readable", () => {
    expect(matchToHash({ ...sample([["(drop 4)"], ["a1"]]), id: "x" })).toBe("#/match?g=gdl:sheet=connect-four&s=7&p=human&p=uct:time=1s,c=0.7&m=(drop_4).a1&id=x");
  });
});

describe("a match in an address", () => {
  it("keeps seats, seed, revision and the step that is looked at", () => {
    const link = { ...sample([["d"]]), at: 0, revision: 3 };
    expect(matchFromHash(matchToHash(link))).toEqual(link);
  });

  it("gives matches ids of their own", () => {
    expect(sample([]).id).not.toBe(sample([]).id);
    expect(matchFromHash("#/match?g=othello").id).not.toBe("");
  });

  it.each(["#/match?s=1", "#/match?g=othello&s=one", "#/match?g=othello&at=-1", "#/match?g=%zz", "#/match"])("refuses %s", (hash) => {
    expect(() => matchFromHash(hash)).toThrow(BadLink);
  });
});

describe("rules in an address", () => {
  it("come back as they were", async () => {
    const rules = "(role x) ; ロール\n".repeat(200);
    const packed = await deflate(rules);
    expect(packed.length).toBeLessThan(rules.length / 10);
    expect(packed).toMatch(/^[\w-]+$/);
    expect(await inflate(packed)).toBe(rules);
  });

  it("are refused if the link was cut off", async () => {
    const packed = await deflate("(role x) (role y) (init (cell 1 1 b))");
    await expect(inflate(packed.slice(0, 12))).rejects.toThrow(BadLink);
  });
});
