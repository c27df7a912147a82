// A game that is being chosen: its text, and what the server says about it.

import type { GameAnswer } from "../api";
import { api, asTrouble, type Trouble } from "./client.svelte";

export class GameDraft {
  spec = $state("");
  answer = $state.raw<GameAnswer | null>(null);
  problem = $state.raw<Trouble | null>(null);
  isLoading = $state(false);
  #work = new AbortController();

  /** Asks about a game. The answer before stays until the new one is there. */
  async choose(spec: string): Promise<void> {
    this.spec = spec;
    this.#work.abort();
    this.#work = new AbortController();
    const { signal } = this.#work;
    this.isLoading = true;
    try {
      const answer = await api.game(spec, signal);
      if (signal.aborted) return;
      this.answer = answer;
      this.problem = null;
    } catch (thrown) {
      if (!signal.aborted) this.problem = asTrouble(thrown);
    } finally {
      if (!signal.aborted) this.isLoading = false;
    }
  }

  /** Takes what is already known about a game. */
  take(answer: GameAnswer): void {
    this.clear();
    this.spec = answer.game;
    this.answer = answer;
  }

  /** Nothing is chosen. */
  clear(): void {
    this.#work.abort();
    this.spec = "";
    this.answer = null;
    this.problem = null;
    this.isLoading = false;
  }

  get isReady(): boolean {
    return this.answer !== null && this.problem === null && !this.isLoading;
  }
}
