// A running or recorded match: whose turn it is, what the agents think, and which step is looked at.
// The server holds nothing of it. Every change is a new record, sent whole.

import { SvelteMap } from "svelte/reactivity";
import type { GameAnswer, MatchRecord, Position, Replay, Sealed, Thought, View } from "../api";
import { freshLink, matchFromHash, type MatchLink, matchToHash, NOBODY, PERSON } from "../logic/link";
import { movesAmong, undo } from "../logic/turns";
import { announce } from "./announce.svelte";
import { api, asTrouble, pause, trouble, type Trouble } from "./client.svelte";
import { leadMatch, type Role } from "./lead";
import { rewrite } from "./route.svelte";
import { sound } from "./sound";
import { keepMatch, type KeptMatch, watchKey } from "./storage";
import { phrase, t } from "../words";

/** A thought about the position after `step` steps. `isDone` when the agent has decided. */
export type Thinking = { step: number; agent: string; thought: Thought; isDone: boolean };

export type Shown = Pick<Position, "turn" | "view" | "ways"> & { step: number; isLatest: boolean };

export class Match {
  readonly id: string;
  readonly seats: string[];
  readonly #wanted: MatchRecord;

  position = $state.raw<Position | null>(null);
  game = $state.raw<GameAnswer | null>(null);
  problem = $state.raw<Trouble | null>(null);
  /** A problem that does not keep the match from going on, such as a move that was not legal. */
  remark = $state.raw<Trouble | null>(null);
  thinking = $state.raw<Thinking | null>(null);
  /** Who thinks now, before anything is heard of it. */
  thinker = $state<number | null>(null);
  /** What the agents thought before they moved, by step; one for each agent that chose. */
  readonly thoughts = new SvelteMap<number, Thought[]>();
  /** Positions as they were seen while the match went on, by step. */
  readonly #seen = new Map<number, View>();
  sealed = $state.raw<Sealed | null>(null);
  isSending = $state(false);
  role = $state<Role>("asking");

  /** Agents who play among themselves wait while this is false. */
  isRunning = $state(true);
  pace = $state(600);
  /** The step that is looked at; null for the latest. */
  cursor = $state<number | null>(null);
  replay = $state.raw<Replay | null>(null);
  /** Who gave the match up. */
  resigned = $state<number | null>(null);

  /** The page has been left. */
  #isClosed = false;
  /** Everything under way for the present position. Whatever changes the position aborts it. */
  #work = new AbortController();
  /** The work in which agents are choosing, and that in which choices of others are heard. */
  #going: AbortSignal | null = null;
  #hearing: AbortSignal | null = null;
  /** Cuts short the search that runs. */
  #cut: AbortController | null = null;
  #revision: number;
  #stops: (() => void)[] = [];

  constructor(link: MatchLink) {
    this.id = link.id;
    this.seats = link.seats;
    this.#wanted = link.record;
    this.cursor = link.at;
    this.resigned = link.resigned;
    this.isRunning = link.at === null;
    this.#revision = link.revision;
  }

  async open(): Promise<void> {
    this.problem = null;
    try {
      const agents = [...new Set(this.seats.filter((seat) => seat !== PERSON && seat !== NOBODY))];
      const [game, position] = await Promise.all([api.game(this.#wanted.game, undefined, agents), api.position(this.#wanted)]);
      if (this.#isClosed) return;
      this.game = game;
      const unfit = game.checked.find((check) => check.problem !== "");
      if (unfit) {
        this.problem = trouble("unknown-agent", unfit.problem);
        return;
      }
      const slow = game.checked.find((check) => check.is_cut_short);
      if (slow) this.remark = trouble("cut-short", slow.agent);
      while (this.seats.length < game.players.length) this.seats.push(NOBODY);
      this.seats.length = game.players.length;
      this.#arrive(position);
      this.#stops.push(watchKey<KeptMatch>(`match:${this.id}`, (kept) => void this.#follow(kept)));
      this.#stops.push(leadMatch(this.id, (role) => this.#lead(role)));
      if (this.cursor !== null) await this.look(this.cursor);
    } catch (thrown) {
      this.problem = asTrouble(thrown);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#work.abort();
    for (const stop of this.#stops) stop();
  }

  isPerson(player: number): boolean {
    return this.seats[player] === PERSON;
  }

  get isReplay(): boolean {
    return this.seats.every((seat) => seat === NOBODY);
  }

  get isOver(): boolean {
    return this.position?.turn.kind === "over" || this.resigned !== null;
  }

  get steps(): number {
    return this.position?.record.moves.length ?? 0;
  }

  playerName(player: number): string {
    return phrase(this.position?.players[player]?.name ?? { pattern: "player {0}", values: [String(player + 1)] });
  }

  /** What the page shows: the latest position, or the one that is looked at. */
  get shown(): Shown | null {
    if (!this.position) return null;
    const recorded = this.cursor !== null ? this.replay?.positions[this.cursor] : undefined;
    if (this.cursor === null || !recorded) return { turn: this.position.turn, view: this.position.view, ways: this.position.ways, step: this.steps, isLatest: true };
    return { ...recorded, step: this.cursor, isLatest: false };
  }

  /** The persons who still have to choose in the latest position. */
  get waitingPersons(): number[] {
    const turn = this.position?.turn;
    if (turn?.kind !== "choose" || this.resigned !== null) return [];
    const chosen = this.#choices();
    return turn.players.filter((player) => this.isPerson(player) && !this.#hasSealed(player) && !chosen.has(player));
  }

  /** A person chooses. Alone, the move is made; among others who choose at once, it is sealed. */
  async choose(player: number, text: string): Promise<void> {
    const position = this.position;
    if (position?.turn.kind !== "choose" || this.isSending) return;
    this.remark = null;
    this.cursor = null;
    this.isSending = true;
    try {
      if (position.turn.players.length === 1) {
        await this.#play([text]);
      } else {
        const persons = position.turn.players.filter((each) => this.isPerson(each));
        const request = { match_id: this.#sealId(), record: position.record, player, text, persons };
        this.sealed = await api.seal(request, this.#work.signal);
        announce(t("match.chosen", { name: this.playerName(player) }));
        void this.#hearSealed();
        void this.#goOn();
      }
    } catch (thrown) {
      this.remark = asTrouble(thrown);
    } finally {
      this.isSending = false;
    }
  }

  /** A person gives up. */
  resign(player: number): void {
    this.resigned = player;
    this.#restart();
    this.#writeAddress();
    this.#keep();
  }

  /** Makes the agent that thinks play what it holds best now. */
  get canMoveNow(): boolean {
    return this.thinker !== null && this.thinking?.thought.player === this.thinker && !this.thinking.isDone && this.thinking.thought.action !== "";
  }

  moveNow(): void {
    if (this.canMoveNow) this.#cut?.abort();
  }

  undoable() {
    if (!this.position || this.isReplay) return null;
    return undo(this.position.past, this.position.turn, (player) => this.isPerson(player));
  }

  async undo(): Promise<void> {
    const target = this.undoable();
    if (target) await this.#return(target.keep);
  }

  /** Goes back to a step and drops what came after it. */
  async #return(steps: number): Promise<void> {
    const record = this.#recordUntil(steps);
    this.#restart();
    try {
      const position = await api.position(record, this.#work.signal);
      this.#revision += 1;
      this.resigned = null;
      for (const step of [...this.thoughts.keys()]) if (step >= steps) this.thoughts.delete(step);
      this.remark = null;
      this.#leavePast();
      this.#arrive(position);
    } catch (thrown) {
      this.remark = asTrouble(thrown);
    }
  }

  /** Looks at a step; the last one is the latest position. */
  async look(step: number): Promise<void> {
    if (!this.position) return;
    const wanted = Math.max(0, Math.min(step, this.steps));
    if (wanted >= this.steps && !this.isReplay) {
      this.cursor = null;
    } else {
      if (!this.replay || wanted >= this.replay.positions.length) {
        try {
          this.replay = await api.replay(this.position.record);
        } catch (thrown) {
          this.remark = asTrouble(thrown);
          return;
        }
      }
      this.cursor = wanted;
    }
    this.#writeAddress();
  }

  /** The position before a step and the one after it, as far as they were seen: what the step brought. */
  around(step: number): [View | null, View | null] {
    const recorded = this.replay?.positions;
    const [before, next] = [recorded?.[step], recorded?.[step + 1]];
    // Before the first step there is nothing.
    if (before && next) return [before.view, next.view];
    const after = [...this.#seen.keys()].filter((seen) => seen > step).sort((a, b) => a - b)[0];
    return [this.#seen.get(step) ?? null, after === undefined ? null : (this.#seen.get(after) ?? null)];
  }

  /** The scores of all players, by step, as far as they were seen. */
  scores(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    const add = (step: number, view: View) => {
      if (view.players.some((player) => player.score !== null))
        found.set(
          step,
          view.players.map((player) => player.score?.value ?? 0),
        );
    };
    this.replay?.positions.forEach((position, step) => void (step <= this.steps && add(step, position.view)));
    for (const [step, view] of this.#seen) if (step <= this.steps) add(step, view);
    return found;
  }

  /** Asks for the whole course of the match, where only its end is known. */
  async recall(): Promise<void> {
    const { position, replay } = this;
    if (!position || (replay && replay.positions.length > this.steps)) return;
    try {
      const answer = await api.replay(position.record);
      if (this.position === position) this.replay = answer;
    } catch {
      // Without it there is less to show, and nothing is lost.
    }
  }

  /** True if an agent should move but could not. */
  get isStuck(): boolean {
    return this.remark !== null && this.position?.turn.kind === "choose" && this.waitingPersons.length === 0 && this.thinker === null;
  }

  retry(): void {
    this.remark = null;
    this.setRunning(true);
  }

  setRunning(isRunning: boolean): void {
    this.isRunning = isRunning;
    if (isRunning) void this.#goOn();
    else if (!this.#hasPersons()) this.#restart();
  }

  /** Lets agents who play among themselves make one move. */
  async single(): Promise<void> {
    this.setRunning(false);
    await this.#goOn(true);
  }

  /** A match of its own that begins where this one is looked at. */
  branch(seats: string[]): MatchLink {
    return freshLink(this.recordShown(), seats);
  }

  link(): MatchLink {
    const record = this.position?.record ?? this.#wanted;
    return { id: this.id, revision: this.#revision, record, seats: this.seats, at: this.cursor, resigned: this.resigned, rules: null };
  }

  /** The record up to the step that is looked at. */
  recordShown(): MatchRecord {
    return this.#recordUntil(this.shown?.step ?? this.steps);
  }

  #recordUntil(steps: number): MatchRecord {
    const record = this.position?.record ?? this.#wanted;
    return { ...record, moves: record.moves.slice(0, steps) };
  }

  #arrive(position: Position): void {
    this.position = position;
    this.#seen.set(position.record.moves.length, position.view);
    this.sealed = null;
    this.thinking = null;
    this.#writeAddress();
    this.#keep();
    this.#restart();
    void this.#goOn();
    void this.#hearSealed();
  }

  async #play(texts: string[]): Promise<void> {
    const before = this.position!;
    const record = { ...before.record, moves: [...before.record.moves, texts] };
    const position = await api.position(record, this.#work.signal);
    const players = before.turn.kind === "choose" ? before.turn.players : [];
    sound(position.turn.kind === "over" ? "end" : "move");
    announce(players.map((player, i) => t("match.plays", { name: this.playerName(player), text: texts[i] ?? "" })).join(", "));
    this.#arrive(position);
  }

  /** Lets the agents whose turn it is think and move, if it is up to them. */
  async #goOn(once = false): Promise<void> {
    const position = this.position;
    if (position?.turn.kind !== "choose" || this.isReplay || this.resigned !== null || this.role !== "leads") return;
    const { players } = position.turn;
    if (this.waitingPersons.length > 0 || players.some((player) => this.seats[player] === NOBODY)) return;
    if (!this.#hasPersons() && !this.isRunning && !once) return;
    const { signal } = this.#work;
    if (this.#going === signal) return;
    this.#going = signal;
    try {
      const chosen = this.#choices();
      const thoughts: Thought[] = [];
      for (const player of players.filter((each) => !chosen.has(each))) {
        const thought = await this.#think(player, signal);
        thoughts.push(thought);
        chosen.set(player, thought.action);
      }
      if (!this.#hasPersons() && !once) await pause(this.pace, signal);
      this.thoughts.set(position.record.moves.length, thoughts);
      await this.#play(players.map((player) => chosen.get(player)!));
    } catch (thrown) {
      if (!signal.aborted) {
        this.remark = asTrouble(thrown);
        this.isRunning = false;
      }
    } finally {
      if (this.#going === signal) this.#going = null;
    }
  }

  async #think(player: number, signal: AbortSignal): Promise<Thought> {
    const record = this.position!.record;
    const step = record.moves.length;
    const agent = this.seats[player]!;
    const cut = new AbortController();
    let best: Thought | null = null;
    this.thinker = player;
    this.#cut = cut;
    try {
      const heard = (thought: Thought) => {
        best = thought;
        this.thinking = { step, agent, thought, isDone: false };
      };
      const thought = await api.think({ record, player, agent }, heard, AbortSignal.any([signal, cut.signal])).catch((thrown: unknown) => {
        if (cut.signal.aborted && !signal.aborted && best) return best;
        throw thrown;
      });
      this.thinking = { step, agent, thought, isDone: true };
      return thought;
    } finally {
      if (this.#work.signal === signal) this.thinker = null;
    }
  }

  /** Where persons choose at once, others may choose in another window. */
  async #hearSealed(): Promise<void> {
    const position = this.position;
    if (position?.turn.kind !== "choose" || position.turn.players.length < 2) return;
    if (!position.turn.players.some((player) => this.isPerson(player))) return;
    const { signal } = this.#work;
    if (this.#hearing === signal) return;
    this.#hearing = signal;
    try {
      // One person alone only asks what was sealed before a reload; several wait for each other.
      const isAlone = position.turn.players.filter((player) => this.isPerson(player)).length === 1;
      for await (const sealed of api.sealed(this.#sealId(), this.steps, signal)) {
        if (signal.aborted) return;
        this.sealed = sealed;
        void this.#goOn();
        if (isAlone) return;
      }
    } catch {
      // Nobody has chosen yet, or the page has moved on.
    } finally {
      if (this.#hearing === signal) this.#hearing = null;
    }
  }

  #sealId(): string {
    return this.#revision === 0 ? this.id : `${this.id}.${this.#revision}`;
  }

  #choices(): Map<number, string> {
    const isComplete = this.sealed !== null && this.sealed.waiting_for.length === 0;
    return new Map(isComplete ? this.sealed!.choices.map((choice) => [choice.player, choice.text]) : []);
  }

  #hasSealed(player: number): boolean {
    return this.sealed !== null && this.sealed.choices.length + this.sealed.waiting_for.length > 0 && !this.sealed.waiting_for.includes(player);
  }

  #hasPersons(): boolean {
    return this.seats.includes(PERSON);
  }

  #restart(): void {
    this.#work.abort();
    this.#work = new AbortController();
    this.thinker = null;
  }

  #lead(role: Role): void {
    this.role = role;
    if (role === "leads") void this.#goOn();
  }

  /** Another tab has moved on in this match. */
  async #follow(kept: KeptMatch): Promise<void> {
    const ours = this.position?.record;
    if (!ours) return;
    const { record, revision } = matchFromHash(kept.hash);
    if (JSON.stringify(record.moves) === JSON.stringify(ours.moves)) return;
    this.#restart();
    this.#revision = revision;
    try {
      const position = await api.position(record, this.#work.signal);
      this.#leavePast();
      this.#arrive(position);
    } catch (thrown) {
      this.remark = asTrouble(thrown);
    }
  }

  /** The course of the match has changed: what was recorded of it is void. */
  #leavePast(): void {
    this.cursor = null;
    this.replay = null;
    this.#seen.clear();
  }

  #writeAddress(): void {
    // The address is another page's: an answer that comes late must not bring this one back.
    if (this.#isClosed) return;
    rewrite(matchToHash(this.link()));
  }

  #keep(): void {
    if (this.isReplay || !this.position) return;
    const hash = matchToHash({ ...this.link(), at: null });
    const { game } = this.position.record;
    const moves = movesAmong(this.position.past);
    keepMatch({ id: this.id, hash, game, seats: [...this.seats], moves, over: this.isOver, when: Date.now() });
  }
}
