// A match as an address: everything needed to rebuild it, in a form that survives being pasted.

import type { MatchRecord } from "../api";

/** `seats` has per player `human`, an agent such as `uct:time=1s`, or `-` where nobody sits, as in a replay. */
export type MatchLink = {
  id: string;
  /** How often something was undone: choices that were sealed before that do not count any more. */
  revision: number;
  record: MatchRecord;
  seats: string[];
  /** The step that is looked at; null for the latest. */
  at: number | null;
  /** Who gave the match up. */
  resigned: number | null;
  /** The deflated text of rules that the game needs. */
  rules: string | null;
};

export const PERSON = "human";
export const NOBODY = "-";

export class BadLink extends Error {}

/** A match that has not begun. */
export function freshLink(record: MatchRecord, seats: string[]): MatchLink {
  return { id: newId(), revision: 0, record, seats, at: null, resigned: null, rules: null };
}

/** The whole address after `#`, as [`matchToHash`] writes it. */
export function matchFromHash(hash: string): MatchLink {
  const mark = hash.indexOf("?");
  if (mark < 0) throw new BadLink("the link has nothing after `?`");
  return matchFromQuery(new Query(hash.slice(mark + 1)));
}

export function matchToHash(link: MatchLink): string {
  const fields: [string, string][] = [
    ["g", link.record.game],
    ["s", String(link.record.seed)],
  ];
  for (const seat of link.seats) fields.push(["p", seat]);
  if (link.record.moves.length > 0) fields.push(["m", packMoves(link.record.moves)]);
  if (link.at !== null) fields.push(["at", String(link.at)]);
  if (link.resigned !== null) fields.push(["x", String(link.resigned)]);
  fields.push(["id", link.id]);
  if (link.revision > 0) fields.push(["v", String(link.revision)]);
  if (link.rules !== null) fields.push(["r", link.rules]);
  return `#/match?${fields.map(([key, value]) => `${key}=${encodeValue(value)}`).join("&")}`;
}

export function matchFromQuery(query: Query): MatchLink {
  const game = query.get("g");
  if (!game) throw new BadLink("the link names no game (g=…)");
  return {
    id: query.get("id") ?? newId(),
    revision: wholeNumber(query, "v") ?? 0,
    record: { game, seed: wholeNumber(query, "s") ?? 1, moves: unpackMoves(query.get("m") ?? "") },
    seats: query.getAll("p"),
    at: wholeNumber(query, "at"),
    resigned: wholeNumber(query, "x"),
    rules: query.get("r"),
  };
}

function wholeNumber(query: Query, key: string): number | null {
  const text = query.get(key);
  if (text === null) return null;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new BadLink(`${key}=${text} in the link is not a whole number`);
  return value;
}

/** Steps are parted by `.`, texts chosen at the same time by `~`. */
export function packMoves(moves: string[][]): string {
  return moves.map((texts) => texts.map(packText).join("~")).join(".");
}

export function unpackMoves(packed: string): string[][] {
  return packed === "" ? [] : packed.split(".").map((step) => step.split("~").map(unpackText));
}

const ESCAPES: [string, string][] = [
  ["!", "!!"],
  ["_", "!u"],
  [".", "!d"],
  ["~", "!t"],
];

function packText(text: string): string {
  return text.replace(/[!_.~]/g, (char) => ESCAPES.find(([plain]) => plain === char)![1]).replaceAll(" ", "_");
}

function unpackText(packed: string): string {
  return packed.replace(/_|!./g, (code) => (code === "_" ? " " : (ESCAPES.find(([, escaped]) => escaped === code)?.[0] ?? code)));
}

/** The part of an address after `?`. Unlike URLSearchParams it leaves `+` alone and keeps `:` and `,` readable. */
export class Query {
  readonly #fields: [string, string][];

  constructor(text: string) {
    const parts = text.split("&").filter((part) => part !== "");
    this.#fields = parts.map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
    });
  }

  get(key: string): string | null {
    return this.#fields.find(([name]) => name === key)?.[1] ?? null;
  }

  getAll(key: string): string[] {
    return this.#fields.filter(([name]) => name === key).map(([, value]) => value);
  }
}

export function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(3A|2C|3D|2F)/g, (code) => decodeURIComponent(code));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadLink(`\`${text}\` is not a well-formed part of a link`);
  }
}

/** Tells matches apart; works where `crypto.randomUUID` does not, on plain http. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return toBase64Url(bytes);
}

/** Rule sheets travel in links as deflated text. */
export async function deflate(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer()));
}

export async function inflate(packed: string): Promise<string> {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await new Response(stream).text();
  } catch {
    throw new BadLink("the rules in the link are damaged; perhaps it was cut off");
  }
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
