// Games and agents as text: `name:key=value,flag`.

import type { Entry, ParameterEntry } from "../api";

/** Values by parameter name; a flag that is on has the value `on`. */
export type Spec = { name: string; values: Record<string, string>; rest: string[] };

export const ON = "on";

/** `rest` keeps words that the entry does not know, so that nothing typed by hand is lost. */
export function parseSpec(text: string, entry: Entry | undefined): Spec {
  const colon = text.indexOf(":");
  const name = (colon < 0 ? text : text.slice(0, colon)).trim();
  const spec: Spec = { name, values: {}, rest: [] };
  if (colon < 0) return spec;
  for (const word of text
    .slice(colon + 1)
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")) {
    const equals = word.indexOf("=");
    const key = equals < 0 ? word : word.slice(0, equals);
    const size = /^(\d+)x(\d+)$/.exec(word);
    const parameter = entry?.parameters.find((each) => each.name === key);
    if (equals >= 0 && parameter) spec.values[key] = word.slice(equals + 1);
    else if (parameter && isFlag(parameter)) spec.values[key] = ON;
    else if (size && hasSize(entry)) [spec.values.width, spec.values.height] = [size[1]!, size[2]!];
    else spec.rest.push(word);
  }
  return spec;
}

/** Values that equal their default are left out. */
export function specText(spec: Spec, entry: Entry | undefined): string {
  const words = Object.entries(spec.values).flatMap(([key, value]) => {
    const parameter = entry?.parameters.find((each) => each.name === key);
    if (parameter && isFlag(parameter)) return value === ON ? [key] : [];
    return value === "" || value === parameter?.default ? [] : [`${key}=${value}`];
  });
  const all = [...words, ...spec.rest];
  return all.length > 0 ? `${spec.name}:${all.join(",")}` : spec.name;
}

export function specName(text: string): string {
  return text.split(":", 1)[0]!.trim();
}

/** Which of these agents, names or networks such as `net:file=four.onnx`, a text means; its name if it is none of them. */
export function agentOf(text: string, agents: string[]): string {
  const network = networkFile(text);
  return agents.find((agent) => network !== null && networkFile(agent) === network) ?? specName(text);
}

/** The file of an agent with a network. */
export function networkFile(text: string): string | null {
  return /^net:(?:.*,)?file=([^,]*)/.exec(text)?.[1] ?? null;
}

export function isFlag(parameter: ParameterEntry): boolean {
  return parameter.default === "off";
}

function hasSize(entry: Entry | undefined): boolean {
  const names = entry?.parameters.map((parameter) => parameter.name) ?? [];
  return names.includes("width") && names.includes("height");
}

export type Budget = { kind: "time" | "iterations"; value: string };

/** What limits a decision of this agent: a time if one is set, else iterations. Null if it knows neither. */
export function budgetOf(spec: Spec, entry: Entry | undefined): Budget | null {
  const knows = (key: string) => entry?.parameters.some((parameter) => parameter.name === key) ?? false;
  if (!knows("time") && !knows("iterations")) return null;
  if (spec.values.time) return { kind: "time", value: spec.values.time };
  const iterations = entry?.parameters.find((parameter) => parameter.name === "iterations");
  return { kind: "iterations", value: spec.values.iterations ?? iterations?.default ?? "1000" };
}

export function withBudget(spec: Spec, budget: Budget): Spec {
  const { time: _time, iterations: _iterations, ...others } = spec.values;
  return { ...spec, values: { [budget.kind]: budget.value, ...others } };
}

/** The steps of a budget's slider, up to the seconds that the server allows. A value typed by hand has its place among them. */
export function budgetSteps(budget: Budget, mostSeconds: number): string[] {
  const usual = usualSteps(budget.kind, mostSeconds);
  if (usual.includes(budget.value) || Number.isNaN(amount(budget.value))) return usual;
  return [...usual, budget.value].sort((a, b) => amount(a) - amount(b));
}

/** `300ms` and `2s` in seconds, a plain number as it is. */
function amount(value: string): number {
  const found = /^([\d.]+)(ms|s|m)?$/.exec(value);
  return found ? Number(found[1]) * ({ ms: 0.001, s: 1, m: 60 }[found[2] ?? "s"] ?? 1) : NaN;
}

function usualSteps(kind: Budget["kind"], mostSeconds: number): string[] {
  if (kind === "iterations") return [100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000].map(String);
  const times: [string, number][] = [
    ["50ms", 0.05],
    ["100ms", 0.1],
    ["300ms", 0.3],
    ["1s", 1],
    ["3s", 3],
    ["10s", 10],
    ["30s", 30],
  ];
  return times.filter(([, seconds]) => seconds <= mostSeconds).map(([text]) => text);
}
