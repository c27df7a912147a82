// A map that is drawn: what is asked of the server about it, and how it came to be.

import type { DrawnMap, MapAnswer, MapEditor, MapRequest } from "../api";
import { freshLink, matchToHash } from "../logic/link";
import { opponentSeats } from "../logic/opponents";
import { api, asTrouble, type Trouble } from "./client.svelte";
import { go } from "./route.svelte";
import { recall, remember } from "./storage";

const MOST_PAST = 200;

export class Workshop {
  readonly game: string;
  readonly editor: MapEditor;
  map = $state.raw<DrawnMap>({} as DrawnMap);
  past = $state.raw<DrawnMap[]>([]);
  problem = $state.raw<Trouble | null>(null);
  warnings = $state.raw<string[]>([]);
  name = $state("map");

  constructor(game: string, editor: MapEditor) {
    this.game = game;
    this.editor = editor;
    this.map = recall<DrawnMap>(this.#key) ?? editor.empty;
  }

  /** Who has drawn nothing yet begins with a map that comes with the game. */
  async begin(choice: string | undefined): Promise<void> {
    if (choice === undefined || recall(this.#key) !== null) return;
    const answer = await this.ask({ from: "game", game: choice });
    if (answer && this.map === this.editor.empty) [this.map, this.warnings] = [answer.map, []];
  }

  get #key(): string {
    return `map:${this.game}`;
  }

  /** Whether there is anything to judge or to play on. */
  get hasUnits(): boolean {
    return this.map.units.length > 0;
  }

  change(next: DrawnMap, isNew = true): void {
    if (isNew) this.past = [...this.past.slice(-MOST_PAST), this.map];
    this.map = next;
    remember(this.#key, next);
    this.problem = null;
    this.warnings = [];
  }

  undo(): void {
    const before = this.past.at(-1);
    if (!before) return;
    this.past = this.past.slice(0, -1);
    this.change(before, false);
  }

  /** Asks the server about a map; nothing if it has a fault, which is shown. */
  async ask(request: MapRequest): Promise<MapAnswer | null> {
    this.problem = null;
    try {
      const answer = await api.map(this.editor.address, request);
      this.warnings = answer.warnings;
      return answer;
    } catch (thrown) {
      this.problem = asTrouble(thrown);
      return null;
    }
  }

  async take(request: MapRequest): Promise<void> {
    const answer = await this.ask(request);
    if (!answer) return;
    this.change(answer.map);
    this.warnings = answer.warnings;
  }

  async play(): Promise<void> {
    const answer = await this.ask({ from: "drawn", map: this.map });
    if (answer) await this.playOn(answer.game);
  }

  /** A match on a map against the opponent that is suggested. */
  async playOn(game: string): Promise<void> {
    try {
      const { players, suggested } = await api.game(game);
      go(matchToHash(freshLink({ game, seed: 1, moves: [] }, opponentSeats(players.length, 0, suggested))));
    } catch (thrown) {
      this.problem = asTrouble(thrown);
    }
  }
}
