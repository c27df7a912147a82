// Everything that is chosen before a match, in one place.

import type { GameAnswer } from "../api";
import { freshLink, type MatchLink, PERSON } from "../logic/link";
import { opponentSeats, personSeat } from "../logic/opponents";
import { specName } from "../logic/spec";
import { GameDraft } from "./draft.svelte";
import { remember } from "./storage";

const LAST_GAME = "last-game";

export class SetupState {
  readonly draft = new GameDraft();
  /** Rules of one's own are to be handed over, and may not be there yet. */
  isOwn = $state(false);
  seed = $state(1);
  seats = $state<string[]>([]);
  /** All seats are for agents. */
  readonly isWatching: boolean;
  #seatsFor = "";

  constructor(isWatching: boolean) {
    this.isWatching = isWatching;
  }

  /** The answer about the game that is chosen; null while there is none. */
  get answer(): GameAnswer | null {
    return this.draft.answer;
  }

  get isReady(): boolean {
    return this.draft.isReady && this.seats.length === this.answer?.players.length;
  }

  async chooseGame(spec: string): Promise<void> {
    this.isOwn = false;
    await this.draft.choose(spec);
    this.#agree();
  }

  /** Begins with rules of one's own: whatever was chosen before is not what is started. */
  chooseOwn(): void {
    this.isOwn = true;
    this.draft.clear();
  }

  /** Rules that were checked, or null as soon as their text is changed again. */
  ownRules(answer: GameAnswer | null): void {
    if (answer) this.draft.take(answer);
    else this.draft.clear();
    this.#agree();
  }

  /** The seat that the person takes; the others go to the opponent that plays now. */
  sitAt(player: number): void {
    const agent = this.seats.find((seat) => seat !== PERSON) ?? this.answer!.suggested;
    this.seats = opponentSeats(this.seats.length, player, agent);
  }

  playAgainst(agent: string): void {
    const person = this.isWatching ? null : personSeat(this.seats);
    this.seats = opponentSeats(this.seats.length, person, agent);
  }

  /** A network that was just handed over plays on the other seats; the list of agents has it from now on. */
  async welcomeNetwork(agent: string): Promise<void> {
    await this.draft.choose(this.draft.spec);
    this.playAgainst(agent);
  }

  link(): MatchLink {
    const { game } = this.answer!;
    if (!this.isOwn) remember(LAST_GAME, this.draft.spec);
    return freshLink({ game, seed: Math.max(0, Math.floor(this.seed || 0)), moves: [] }, [...this.seats]);
  }

  /** Another game has other seats and another opponent; another size of the same game keeps them. */
  #agree(): void {
    const { answer } = this;
    if (!answer) return;
    const isSame = this.#seatsFor === `${specName(answer.game)} ${answer.players.length}` && this.seats.length === answer.players.length;
    this.#seatsFor = `${specName(answer.game)} ${answer.players.length}`;
    if (!isSame) this.seats = opponentSeats(answer.players.length, this.isWatching ? null : 0, answer.suggested);
  }
}

export { LAST_GAME };
