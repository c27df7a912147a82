import { describe, expect, it } from "vitest";
import { pValue } from "../../src/words";
import { ja } from "../../src/words/ja";
import { AGENTS, GAMES, PARAMETERS } from "../../src/words/names-ja";

describe("p values", () => {
  it("say how they relate to the number", () => {
    expect([0.0421, 1.23e-9, 0].map(pValue)).toEqual(["= 0.042", "= 1.2e-9", "< 1e-99"]);
  });
});

describe("Japanese", () => {
  it("speaks of playouts, strategies and choices as the field does", () => {
    expect(AGENTS.flat!.summary).toContain("終局まで");
    expect(AGENTS.random!.summary).toContain("一様ランダムに");
    expect(PARAMETERS.explore).toContain("一様ランダムに");
    expect(GAMES.goofspiel!.summary).not.toContain("純粋戦略");
    expect(ja["match.typeSend"]).toBe("決定");
    expect(ja["error.refused"]).toContain("対応していません");
    expect(ja["error.unknown-agent"]).toContain("対応していません");
    // Nothing is moved in every game, so that nobody is told to move.
    expect(Object.values(ja).filter((text) => /指す(?!と)/.test(text))).toEqual([]);
  });
});
