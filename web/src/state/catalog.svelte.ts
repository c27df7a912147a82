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

/** An agent to begin with: a search that fits how the game is played. */
export function usualAgent(agents: string[], isSimultaneous: boolean, game: string): string {
  const wishes = [...(specName(game) === "sangoku" ? ["sangoku-best"] : []), ...(isSimultaneous ? ["rm"] : []), "uct"];
  const name = wishes.find((wish) => agents.includes(wish)) ?? agents[0] ?? "random";
  const knowsTime = agentEntry(name)?.parameters.some((parameter) => parameter.name === "time");
  return knowsTime ? `${name}:time=1s` : name;
}
