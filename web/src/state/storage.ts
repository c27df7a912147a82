// What the browser keeps. A browser that keeps nothing (private windows, full storage) still plays.

import type { View } from "../api";

const PREFIX = "sakiyomi:";

export function recall<T>(key: string): T | null {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // The address of the page still holds the match.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Nothing was kept.
  }
}

/** Calls back when another tab has changed the key; returns how to stop listening. */
export function watchKey<T>(key: string, changed: (value: T) => void): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key !== PREFIX + key || event.newValue === null) return;
    try {
      changed(JSON.parse(event.newValue) as T);
    } catch {
      // Written by something else.
    }
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

const rulesKey = (game: string) => `rules:${game}`;

export const rulesOf = (game: string): string | null => recall<string>(rulesKey(game));

/** Games by rules of one's own that this browser keeps. */
export function keptRules(): string[] {
  const prefix = PREFIX + rulesKey("");
  try {
    return Object.keys(localStorage)
      .flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
      .sort();
  } catch {
    return [];
  }
}

export function forgetRules(game: string): void {
  forget(rulesKey(game));
  forget(`title:${game}`);
  forget(`picture:${game}`);
}

/** The first position of rules of one's own, as a picture. */
export type RulesPicture = { view: View; colours: string[] };
export const pictureOfRules = (game: string): RulesPicture | null => recall<RulesPicture>(`picture:${game}`);
export const keepPicture = (game: string, picture: RulesPicture): void => remember(`picture:${game}`, picture);

export const keepRules = (game: string, text: string): void => remember(rulesKey(game), text);

/** What rules of one's own are called, such as the name of the file that they came from. */
export const titleOfRules = (game: string): string | null => recall<string>(`title:${game}`);
export const nameRules = (game: string, title: string): void => remember(`title:${game}`, title);

/** A match as the first page lists it. `hash` is its whole address. */
export type KeptMatch = { id: string; hash: string; game: string; seats: string[]; moves: number; over: boolean; when: number };

const MATCHES = "matches";
const KEPT = 12;

export const keptMatches = (): KeptMatch[] => recall<KeptMatch[]>(MATCHES) ?? [];

export function keepMatch(match: KeptMatch): void {
  const others = keptMatches().filter((other) => other.id !== match.id);
  const [kept, dropped] = [[match, ...others].slice(0, KEPT), [match, ...others].slice(KEPT)];
  remember(MATCHES, kept);
  remember(`match:${match.id}`, match);
  for (const old of dropped) forget(`match:${old.id}`);
}

export function forgetMatch(id: string): void {
  remember(
    MATCHES,
    keptMatches().filter((match) => match.id !== id),
  );
  forget(`match:${id}`);
}
