// The page's words in the chosen language. Whatever calls `t` in a component follows a change of language.

import { settings } from "../state/settings.svelte";
import { en, type Key } from "./en";
import { ja } from "./ja";
import type { Phrase } from "../api";
import { rulesOf, titleOfRules } from "../state/storage";
import type { EloSpan, Span } from "../api";
import { catalog } from "../state/catalog.svelte";
import { CLAIMS, TITLES } from "./experiments-ja";
import { AGENTS, GAMES, GROUPS, HEADS, MEANINGS, PARAMETERS, SHEETS } from "./names-ja";
import { PHRASES } from "./phrases-ja";

export type { Key };
type Fill = Record<string, string | number>;

export function t(key: Key, fill: Fill = {}): string {
  const text: string = settings.language === "ja" ? ja[key] : en[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in fill ? String(fill[name]) : whole));
}

const isJapanese = () => settings.language === "ja";

/** A game for people: its title, and what is special about it: `Title (8x7)`, `Title: map`. */
export function gameName(spec: string): string {
  if (rulesOf(spec) !== null) return rulesTitle(spec);
  const [name, ...rest] = spec.split(":");
  const options = rest.join(":");
  const title = (isJapanese() ? GAMES[name!]?.name : catalog.answer?.games.find((game) => game.entry.name === name)?.title) ?? spaced(name!);
  const named = /^\w+=([a-z][\w-]*)$/.exec(options)?.[1];
  if (named) return `${title}: ${isJapanese() ? (SHEETS[named] ?? spaced(named)) : spaced(named)}`;
  if (/^code=/.test(options)) return `${title}: ${t("map.own")}`;
  const readable = options.replace(/width=(\d+),height=(\d+)/, "$1x$2").replace(/players=(\d+)/, (_, count: string) => t("setup.players", { count })).replaceAll(",", ", ");
  return options ? `${title} (${readable})` : title;
}

/** Rules of one's own are called after their file, or else after their content. */
function rulesTitle(spec: string): string {
  return titleOfRules(spec) ?? t("rules.name", { hash: spec.split("=").at(-1)!.slice(0, 8) });
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

export function experimentTitle(id: string, title: string): string {
  return isJapanese() ? (TITLES[id] ?? title) : title;
}

export function claimText(text: string): string {
  return isJapanese() ? (CLAIMS[text] ?? text) : text;
}

/** A text that the server has in both languages. */
export function inLanguage(words: { en: string; ja: string }): string {
  return isJapanese() ? words.ja : words.en;
}

/** The head of a column or row: a name, or a word such as `seat 1`. */
export function headText(name: string): string {
  const seat = /^seat (\d)$/.exec(name)?.[1];
  if (seat) return t("results.seat", { seat });
  const sheet = SHEETS[name];
  if (sheet !== undefined) return isJapanese() ? sheet : spaced(name);
  if (catalog.answer?.games.some((game) => name.startsWith(`${game.entry.name}:`))) return gameName(name);
  return (isJapanese() ? HEADS[name] : undefined) ?? term(name);
}

/** A label of a figure: a head, or a number with that of the paper behind it. */
export function figureText(label: string): string {
  const both = /^(\S+) \(paper (\S+)\)$/.exec(label);
  return both ? `${both[1]} (${t("results.paper")} ${both[2]})` : label.split(" - ").map(headText).join(" - ");
}

/** What is to be known of an experiment, in the language of the page if there is a translation. */
export async function notesText(id: string, notes: string): Promise<{ text: string; language: "en" | "ja" }> {
  const translated = isJapanese() ? (await import("./notes-ja")).NOTES[id] : undefined;
  return translated === undefined ? { text: notes, language: "en" } : { text: translated, language: "ja" };
}

const TOPICS: Record<string, Key> = { classics: "topic.classics", experience: "topic.experience", gdl: "topic.gdl", cross: "topic.cross" };

/** What a group of experiments is about: a game, or something of its own. */
export function topicName(topic: string): string {
  const key = TOPICS[topic];
  return key ? t(key) : gameName(topic);
}

/** The heading of a group of parameters. */
export function groupName(heading: string): string {
  return isJapanese() ? (GROUPS[heading] ?? heading) : heading;
}

export function meaning(parameter: string, text: string): string {
  return isJapanese() ? (MEANINGS[text] ?? PARAMETERS[parameter] ?? text) : text;
}

/** A short text that a game writes. What has no translation is shown in English, and what is literal as it is. */
export function phrase(text: Phrase): string {
  if (typeof text === "string") return text;
  const pattern = isJapanese() ? (PHRASES[text.pattern] ?? text.pattern) : text.pattern;
  return pattern.replace(/\{(\d+)\}/g, (blank, place: string) => {
    const value = text.values[Number(place)];
    return value === undefined ? blank : phrase(value);
  });
}

/** A single word of a game, such as a kind of ground or a unit. */
export function term(word: string): string {
  return phrase({ pattern: word, values: [] });
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

/** A measured number: enough digits, and no more than it needs. */
export function amount(value: number): string {
  if (Number.isInteger(value)) return Math.abs(value) >= 10_000 ? whole(value) : String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : String(Number(value.toFixed(3)));
}

/** A value with its interval; a dash if nothing was measured. */
export function spanText(span: Span | null): string {
  return span ? `${span.value.toFixed(3)} [${span.low.toFixed(3)}, ${span.high.toFixed(3)}]` : "–";
}

/** An Elo difference with its interval. What is missing is infinite. */
export function eloText(elo: EloSpan | null): string {
  if (!elo) return "–";
  const signed = (value: number | null, infinite: string) => (value === null ? infinite : `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(0)}`);
  const side = elo.value ?? (elo.low === null ? -1 : 1);
  return `${signed(elo.value, side < 0 ? "−∞" : "+∞")} [${signed(elo.low, "−∞")}, ${signed(elo.high, "+∞")}]`;
}

/** What a p value is, with its sign of relation: it may be too small for a number. */
export function pValue(p: number): string {
  if (p < 1e-99) return "< 1e-99";
  return `= ${p < 0.001 ? p.toExponential(1) : p.toFixed(3)}`;
}

function spaced(name: string): string {
  const text = name.replaceAll("-", " ").replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
