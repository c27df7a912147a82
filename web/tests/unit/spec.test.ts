import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/api";
import { parseRecord } from "../../src/logic/record";
import { agentOf, budgetOf, budgetSteps, specName, specText, withBudget } from "../../src/logic/spec";

const parameter = (name: string, value: string) => ({
  name,
  default: value,
  meaning: "",
  group: null,
  values: { kind: ["on", "off"].includes(value) ? ("flag" as const) : ("text" as const) },
  needs: null,
});
const uct: Entry = {
  name: "uct",
  summary: "",
  example: "",
  stands_for: null,
  parameters: [parameter("iterations", "1000"), parameter("time", "none"), parameter("c", "1"), parameter("solver", "off"), parameter("reuse", "on")],
};

const spec = (name: string, values: Record<string, string> = {}) => ({ name, values });

describe("specifications", () => {
  it("are written in the order of the parameters", () => {
    expect(specText(spec("uct"), uct)).toBe("uct");
    expect(specText(spec("uct", { c: "2", iterations: "500" }), uct)).toBe("uct:iterations=500,c=2");
    expect(specText(spec("other", { a: "1" }), undefined)).toBe("other:a=1");
  });

  it("leave out what is the default", () => {
    expect(specText(spec("uct", { iterations: "1000", c: "1", solver: "" }), uct)).toBe("uct");
    expect(specText(spec("uct", { solver: "on", reuse: "on" }), uct)).toBe("uct:solver");
    expect(specText(spec("uct", { solver: "off", reuse: "off" }), uct)).toBe("uct:reuse=false");
  });

  it("begin with their name", () => {
    expect(specName("gdl:rules=ab")).toBe("gdl");
  });

  it("tell networks apart by their files", () => {
    const agents = ["uct", "net:file=four.onnx", "net:file=a/b.onnx"];
    expect(agentOf(spec("uct", { time: "1s" }), agents)).toBe("uct");
    expect(agentOf(spec("net", { iterations: "200", file: "a/b.onnx" }), agents)).toBe("net:file=a/b.onnx");
    expect(agentOf(spec("net", { file: "other.onnx" }), agents)).toBe("net");
  });

  it("have one budget", () => {
    const some = spec("uct", { iterations: "500", solver: "on" });
    expect(budgetOf(some, uct)).toEqual({ kind: "iterations", value: "500" });
    expect(specText(withBudget(some, { kind: "time", value: "3s" }), uct)).toBe("uct:time=3s,solver");
    expect(budgetOf(spec("random"), { ...uct, name: "random", parameters: [] })).toBeNull();
    expect(budgetSteps({ kind: "time", value: "1s" }, 1)).toEqual(["50ms", "100ms", "300ms", "1s"]);
    expect(budgetSteps({ kind: "time", value: "200ms" }, 1)).toEqual(["50ms", "100ms", "200ms", "300ms", "1s"]);
    expect(budgetSteps({ kind: "iterations", value: "2000" }, 1).slice(2, 5)).toEqual(["1000", "2000", "3000"]);
    expect(budgetSteps({ kind: "iterations", value: "none" }, 1)).not.toContain("none");
  });
});

describe("records", () => {
  it("are read from what the command line prints", () => {
    const printed = 'x: random\n\no wins\n{\n "game": {"name": "connect-four", "width": 8, "flag": true},\n "seed": 3,\n "moves": [["d"], ["c"]]\n}\n';
    expect(parseRecord(printed)).toEqual({ game: "connect-four:width=8,flag", seed: 3, moves: [["d"], ["c"]] });
  });

  it("are read as this page writes them", () => {
    const record = { game: "othello", seed: 1, moves: [] };
    expect(parseRecord(JSON.stringify(record))).toEqual(record);
  });

  it.each(["", "{", "[]", '{"game":"x"}', '{"game":"x","moves":["a"]}', '{"game":3,"moves":[]}'])("refuse %s", (text) => {
    expect(parseRecord(text)).toBeNull();
  });
});
