// The page's words in the chosen language. Whatever calls `t` in a component follows a change of language.

import { settings } from "../state/settings.svelte";
import { en, type Key } from "./en";
import { ja } from "./ja";
import { AGENTS, GAMES, PARAMETERS, PHRASES, SHEETS } from "./names-ja";

export type { Key };
type Fill = Record<string, string | number>;

export function t(key: Key, fill: Fill = {}): string {
  const text: string = settings.language === "ja" ? ja[key] : en[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in fill ? String(fill[name]) : whole));
}

const isJapanese = () => settings.language === "ja";

export function gameName(spec: string): string {
  const [name, ...rest] = spec.split(":");
  const options = rest.join(":");
  const rules = /^rules=(\w{1,8})/.exec(options);
  if (name === "gdl" && rules) return t("rules.name", { hash: rules[1]! });
  const sheet = /^sheet=([\w-]+)$/.exec(options);
  if (name === "gdl" && sheet) return isJapanese() ? `GDL ${SHEETS[sheet[1]!] ?? sheet[1]}` : `GDL ${spaced(sheet[1]!)}`;
  const title = isJapanese() ? (GAMES[name!]?.name ?? name!) : spaced(name!);
  const readable = options.replace(/width=(\d+),height=(\d+)/, "$1x$2").replace("scenario=", isJapanese() ? "シナリオ " : "scenario ").replaceAll(",", ", ");
  return options ? `${title} (${readable})` : title;
}

export function gameSummary(name: string, summary: string): string {
  return isJapanese() ? (GAMES[name]?.summary ?? summary) : summary;
}

export function agentName(name: string): string {
  return isJapanese() && AGENTS[name] && AGENTS[name].name.toLowerCase() !== name ? `${AGENTS[name].name} (${name})` : name;
}

export function agentSummary(name: string, summary: string): string {
  return isJapanese() ? (AGENTS[name]?.summary ?? summary) : summary;
}

export function meaning(parameter: string, text: string): string {
  return isJapanese() ? (PARAMETERS[parameter] ?? text) : text;
}

/** A short text that a game writes: player names, panels, notes. */
export function phrase(text: string): string {
  if (!isJapanese()) return text;
  return PHRASES.reduce((result, [pattern, japanese]) => result.replace(pattern, japanese), text);
}

export function listed(texts: string[]): string {
  if (isJapanese()) return texts.join("と");
  return texts.length <= 1 ? (texts[0] ?? "") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString(isJapanese() ? "ja-JP" : "en-GB");
}

export function percent(value: number, digits = 0): string {
  return `${(100 * value).toFixed(digits)} %`;
}

/** What a p value is, with its sign of relation: it may be too small for a number. */
export function pValue(p: number): string {
  if (p < 1e-99) return "< 1e-99";
  return `= ${p < 0.001 ? p.toExponential(1) : p.toFixed(3)}`;
}

function spaced(name: string): string {
  if (name === "gdl") return "GDL";
  const text = name.replaceAll("-", " ").replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
