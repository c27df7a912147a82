import type { Catalog, Entry } from "../api";
import { specName } from "../logic/spec";
import { api, asTrouble, type Trouble } from "./client.svelte";

/** What can be played; loaded once. */
export const catalog = $state<{ answer: Catalog | null; problem: Trouble | null }>({ answer: null, problem: null });

export async function loadCatalog(): Promise<void> {
  try {
    catalog.answer = await api.catalog();
  } catch (thrown) {
    catalog.problem = asTrouble(thrown);
  }
}

export function gameEntry(spec: string): Entry | undefined {
  return catalog.answer?.games.find((game) => game.entry.name === specName(spec))?.entry;
}

export function agentEntry(spec: string): Entry | undefined {
  return catalog.answer?.agents.find((agent) => agent.name === specName(spec));
}
