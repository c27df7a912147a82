// Games and agents as text: `name:key=value,flag`. The server reads them; here they are only written.

import type { Entry, ParameterEntry, SpecFields } from "../api";

/** A name with the parameters that differ from their defaults; a flag has the value `on` or `off`. */
export type Spec = Pick<SpecFields, "name" | "values">;

export const ON = "on";
export const OFF = "off";

/** In the order of the entry's parameters, as the server writes it, without those at their default. */
export function specText(spec: Spec, entry: Entry | undefined): string {
  const parameters = entry?.parameters ?? [];
  const place = (name: string) => parameters.findIndex((each) => each.name === name);
  const values = Object.entries(spec.values).sort(([a], [b]) => place(a) - place(b));
  const words = values.flatMap(([key, value]) => {
    const parameter = parameters[place(key)];
    if (value === "" || value === parameter?.default) return [];
    if (parameter && isFlag(parameter)) return value === ON ? [key] : [`${key}=false`];
    return [`${key}=${value}`];
  });
  return words.length > 0 ? `${spec.name}:${words.join(",")}` : spec.name;
}

/** A text begins with its name. */
export function specName(text: string): string {
  return text.split(":", 1)[0]!.trim();
}

/** Which of these agents, such as `uct` or `net:file=four.onnx`, is meant; its name if it is none. */
export function agentOf(spec: Spec, agents: string[]): string {
  const network = `${spec.name}:file=${spec.values.file}`;
  return agents.includes(network) ? network : spec.name;
}

export function isFlag(parameter: ParameterEntry): boolean {
  return parameter.values.kind === "flag";
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
