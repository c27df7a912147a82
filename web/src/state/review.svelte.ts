// A review: an agent thinks about every position of a match, and every move is rated. It is kept with the match.

import { SvelteMap } from "svelte/reactivity";
import type { LegalAction, Thought } from "../api";
import { classOf, lossOf, type MoveClass, type Rating, rate, rateTurn } from "../logic/review";
import { specName } from "../logic/spec";
import { turnsOf } from "../logic/turns";
import { api, asTrouble, type Trouble } from "./client.svelte";
import type { Match } from "./match.svelte";
import { recall, remember } from "./storage";

/** The agent that plays what is solved: its values are exact. */
export const EXACT = "exact";

/** A mistake whose position is put before the reader again, who looks for a better move. */
export type Exercise = { rating: Rating; actions: LegalAction[]; tried: { text: string; loss: number | null; kind: MoveClass | null } | null };

type Kept = { agent: string; moves: string; thoughts: [number, Thought][]; ratings?: Rating[] };

/** Forced losses are counted by a full search, deeper and deeper, as far as it gets in this time. */
const COUNTED_BY = "maxn";
const DEEPEST_COUNT = 21;
const COUNT_SECONDS = 2;

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
  exercise = $state.raw<Exercise | null>(null);
  #work: AbortController | null = null;
  /** How many moves a forced loss takes, by the step that it began with. */
  readonly #lossIn = new Map<number, number>();

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
    this.#lossIn.clear();
    this.ratings = [];
    const { position } = this.#match;
    if (!position) return;
    try {
      for (const { step } of turnsOf(position.past, position.players.length)) {
        const played = position.past[step]!;
        this.at = step;
        const record = { ...position.record, moves: position.record.moves.slice(0, step) };
        const thought = await api.think({ record, player: played.by[0]!, agent }, () => undefined, work.signal);
        this.thoughts.set(step, { ...thought, tree: null });
        this.#rateAll();
      }
      for (const { step, isForcedLoss } of this.ratings) if (isForcedLoss) await this.#countLoss(step, work.signal);
      this.#rateAll();
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

  /** Looks for the shortest win after a move that is proven to lose. */
  async #countLoss(step: number, signal: AbortSignal): Promise<void> {
    const { position, game } = this.#match;
    const player = position?.past[step + 1]?.by[0];
    if (!position || player === undefined || position.players.length !== 2 || !game?.agents.includes(COUNTED_BY)) return;
    const record = { ...position.record, moves: position.record.moves.slice(0, step + 1) };
    for (let depth = 1; depth <= DEEPEST_COUNT; depth += 2) {
      const agent = `${COUNTED_BY}:depth=${depth},time=${COUNT_SECONDS}s`;
      const thought = await api.think({ record, player, agent }, () => undefined, signal);
      if (thought.value === 1) {
        this.#lossIn.set(step, (depth + 1) / 2);
        return;
      }
      // What was cut short would be no deeper the next time.
      if (thought.seconds > 0.9 * COUNT_SECONDS) return;
    }
  }

  /** Puts the position of a mistake before the reader. */
  async practise(rating: Rating): Promise<void> {
    const { position } = this.#match;
    if (!position) return;
    this.problem = null;
    try {
      const { legal } = await api.position({ ...position.record, moves: position.record.moves.slice(0, rating.step) });
      const actions = legal.find(({ player }) => player === rating.player)?.actions ?? [];
      this.exercise = { rating, actions, tried: null };
      await this.#match.look(rating.step);
    } catch (thrown) {
      this.problem = asTrouble(thrown);
    }
  }

  /** Rates the move that the reader tries, by what the review thought of it. */
  answer(text: string): void {
    const { exercise } = this;
    const before = exercise && this.thoughts.get(exercise.rating.step);
    if (!exercise || !before) return;
    const loss = lossOf(text, exercise.rating, before);
    this.exercise = { ...exercise, tried: { text, loss, kind: loss === null ? null : classOf(loss) } };
  }

  /** Takes up the review that was kept of this match, if its moves are the same. */
  restore(): void {
    const kept = recall<Kept>(this.#key());
    if (!kept || kept.moves !== this.#moves() || this.isRunning) return;
    this.agent = kept.agent;
    for (const [step, thought] of kept.thoughts) this.thoughts.set(step, thought);
    for (const { step, forcedLossIn } of kept.ratings ?? []) if (forcedLossIn) this.#lossIn.set(step, forcedLossIn);
    this.#rateAll();
  }

  #rateAll(): void {
    const { position } = this.#match;
    if (!position) return;
    const turns = turnsOf(position.past, position.players.length);
    const payoffs = position.turn.kind === "over" ? position.turn.payoffs : null;
    this.ratings = turns.flatMap(({ step, steps }, i) => {
      const before = this.thoughts.get(step);
      const next = turns[i + 1];
      if (!before) return [];
      const after = next && this.thoughts.get(next.step);
      const end = next ? null : payoffs;
      if (steps.length > 1) return rateTurn(steps, position.past, before, after, end);
      const rated = rate(step, position.past[step]!, before, after, end, specName(this.agent) === EXACT);
      const moves = this.#lossIn.get(step);
      return moves === undefined ? rated : rated.map((rating) => ({ ...rating, forcedLossIn: moves }));
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
