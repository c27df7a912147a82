import { describe, expect, it } from "vitest";
import { pValue } from "../../src/words";

describe("p values", () => {
  it("say how they relate to the number", () => {
    expect([0.0421, 1.23e-9, 0].map(pValue)).toEqual(["= 0.042", "= 1.2e-9", "< 1e-99"]);
  });
});
