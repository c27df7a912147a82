// A review: an agent thinks about every position of a match, and every move is rated. It is kept with the match.

import { SvelteMap } from "svelte/reactivity";
import type { Thought } from "../api";
import { rate, type Rating } from "../logic/review";
import { specName } from "../logic/spec";
import { isChance } from "../logic/turns";
import { api, asTrouble, type Trouble } from "./client.svelte";
import type { Match } from "./match.svelte";
import { recall, remember } from "./storage";

/** The agent that plays what is solved: its values are exact. */
export const EXACT = "exact";

type Kept = { agent: string; moves: string; thoughts: [number, Thought][]; ratings?: Rating[] };

/** The review that was kept of a match, as it goes into its record; null if there is none. */
export function keptReview(id: string): { agent: string; ratings: Rating[] } | null {
  const kept = recall<Kept>(`review:${id}`);
  return kept?.ratings ? { agent: kept.agent, ratings: kept.ratings } : null;
}

export class Review {
  readonly #match: Match;
  /** What the agent thinks of the position before a step. */
  readonly thoughts = new SvelteMap<number, Thought>();
  ratings = $state.raw<Rating[]>([]);
  agent = $state("");
  problem = $state.raw<Trouble | null>(null);
  /** The step that is looked at; null if none is. */
  at = $state<number | null>(null);
  #work: AbortController | null = null;

  constructor(match: Match) {
    this.#match = match;
  }

  get isRunning(): boolean {
    return this.at !== null;
  }

  get isDone(): boolean {
    return !this.isRunning && this.ratings.length > 0;
  }

  async run(agent: string): Promise<void> {
    this.stop();
    const work = new AbortController();
    this.#work = work;
    this.agent = agent;
    this.problem = null;
    this.thoughts.clear();
    this.ratings = [];
    const { position } = this.#match;
    if (!position) return;
    try {
      for (const [step, played] of position.past.entries()) {
        if (isChance(played)) continue;
        this.at = step;
        const record = { ...position.record, moves: position.record.moves.slice(0, step) };
        const thought = await api.think({ record, player: played.by[0]!, agent }, () => undefined, work.signal);
        this.thoughts.set(step, { ...thought, tree: null });
        this.#rateAll();
      }
      this.#keep();
    } catch (thrown) {
      this.problem = asTrouble(thrown);
    } finally {
      if (this.#work === work) this.at = null;
    }
  }

  stop(): void {
    this.#work?.abort();
    this.#work = null;
    this.at = null;
  }

  /** Takes up the review that was kept of this match, if its moves are the same. */
  restore(): void {
    const kept = recall<Kept>(this.#key());
    if (!kept || kept.moves !== this.#moves() || this.isRunning) return;
    this.agent = kept.agent;
    for (const [step, thought] of kept.thoughts) this.thoughts.set(step, thought);
    this.#rateAll();
  }

  #rateAll(): void {
    const { position } = this.#match;
    if (!position) return;
    const chosen = position.past.flatMap((played, step) => (isChance(played) ? [] : [step]));
    const payoffs = position.turn.kind === "over" ? position.turn.payoffs : null;
    this.ratings = chosen.flatMap((step, i) => {
      const before = this.thoughts.get(step);
      const next = chosen[i + 1];
      if (!before) return [];
      return rate(
        step,
        position.past[step]!,
        before,
        next === undefined ? undefined : this.thoughts.get(next),
        next === undefined ? payoffs : null,
        specName(this.agent) === EXACT,
      );
    });
  }

  #keep(): void {
    remember(this.#key(), { agent: this.agent, moves: this.#moves(), thoughts: [...this.thoughts], ratings: this.ratings } satisfies Kept);
  }

  #key(): string {
    return `review:${this.#match.id}`;
  }

  #moves(): string {
    return JSON.stringify(this.#match.position?.record.moves ?? []);
  }
}
