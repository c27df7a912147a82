// The rules of games, as the documentation has them: one file per game, loaded when somebody reads it.

import { inLanguage, terms } from "../logic/markdown";
import { specName } from "../logic/spec";
import { settings } from "./settings.svelte";

const FILES = import.meta.glob<string>("../../../docs/reference/rules/*.md", { query: "?raw", import: "default" });
const loaded = $state<Record<string, string>>({});

const pathOf = (game: string) => `../../../docs/reference/rules/${specName(game)}.md`;

export function hasRules(game: string): boolean {
  return pathOf(game) in FILES;
}

/** The rules in the chosen language; empty until they are loaded. */
export function rulesText(game: string): string {
  const file = loaded[specName(game)];
  return file === undefined ? "" : inLanguage(file, settings.language);
}

export async function loadRules(game: string): Promise<void> {
  const name = specName(game);
  const load = FILES[pathOf(game)];
  if (load && loaded[name] === undefined) loaded[name] = await load();
}

/** What a word of a game means, such as that of a badge; empty if its rules do not say. */
export function meaningOf(game: string, word: string): string {
  return terms(rulesText(game)).get(word) ?? "";
}
