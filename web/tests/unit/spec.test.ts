import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/api";
import { parseRecord } from "../../src/logic/record";
import { agentOf, budgetOf, budgetSteps, networkFile, parseSpec, specName, specText, withBudget } from "../../src/logic/spec";

const parameter = (name: string, value: string) => ({ name, default: value, meaning: "", values: { kind: "text" as const }, needs: null });
const uct: Entry = {
  name: "uct",
  summary: "",
  example: "",
  stands_for: null,
  parameters: [parameter("iterations", "1000"), parameter("time", "none"), parameter("c", "1"), parameter("solver", "off")],
};
const four: Entry = { name: "connect-four", summary: "", example: "", stands_for: null, parameters: [parameter("width", "7"), parameter("height", "6")] };

describe("specifications", () => {
  it.each(["uct", "uct:time=1s", "uct:c=0.7,solver", "uct:iterations=500,c=2"])("%s comes back as it was", (text) => {
    expect(specText(parseSpec(text, uct), uct)).toBe(text);
  });

  it("leave out what is the default", () => {
    expect(specText(parseSpec("uct:iterations=1000,c=1", uct), uct)).toBe("uct");
  });

  it("read a size", () => {
    expect(parseSpec("connect-four:8x7", four).values).toEqual({ width: "8", height: "7" });
    expect(specText(parseSpec("connect-four:8x7", four), four)).toBe("connect-four:width=8,height=7");
  });

  it("keep words that are not known", () => {
    expect(specText(parseSpec("uct:novel=3,c=2", uct), uct)).toBe("uct:c=2,novel=3");
    expect(specText(parseSpec("other:a=1", undefined), undefined)).toBe("other:a=1");
    expect(specName("gdl:rules=ab")).toBe("gdl");
  });

  it("tell networks apart by their files", () => {
    const agents = ["uct", "net:file=four.onnx", "net:file=a/b.onnx"];
    expect(agentOf("uct:time=1s", agents)).toBe("uct");
    expect(agentOf("net:iterations=200,file=a/b.onnx,c=1", agents)).toBe("net:file=a/b.onnx");
    expect(agentOf("net:file=other.onnx", agents)).toBe("net");
    expect(networkFile("net:file=four.onnx,c=1")).toBe("four.onnx");
    expect([networkFile("uct:c=1"), networkFile("net"), networkFile("exact:file=a")]).toEqual([null, null, null]);
  });

  it("have one budget", () => {
    const spec = parseSpec("uct:iterations=500,solver", uct);
    expect(budgetOf(spec, uct)).toEqual({ kind: "iterations", value: "500" });
    expect(specText(withBudget(spec, { kind: "time", value: "3s" }), uct)).toBe("uct:time=3s,solver");
    expect(budgetOf(parseSpec("random", { ...four, name: "random" }), four)).toBeNull();
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
