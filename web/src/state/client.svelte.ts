// The one place that talks to the server. A server that does not answer is waited for; what it answers is typed.

import type {
  ApiError,
  Catalog,
  ExperimentEntry,
  FairGallery,
  FairnessAnswer,
  FairRun,
  GameAnswer,
  Job,
  JobRequest,
  MapAnswer,
  MapRequest,
  MatchRecord,
  NetworkAnswer,
  PaperEntry,
  Position,
  Replay,
  ResultAnswer,
  ResultEntry,
  Sealed,
  SealRequest,
  SpecFields,
  StoredGames,
  StoreEntry,
  ThinkRequest,
  Thought,
} from "../api";
import { readEvents, type ServerEvent } from "../logic/sse";
import { seatColours } from "../logic/pieces";
import { keepPicture, keepRules, rulesOf } from "./storage";

/** `lost` while the server does not answer. */
export const connection = $state({ lost: false });

/** Something to tell the person: an error of the server, or one that the page found itself. */
export type Trouble = Omit<ApiError, "code"> & { code: ApiError["code"] | "bad-link" | "bad-file" | "cut-short" };

/** An answer of the server that is not a success. */
export class Failure extends Error {
  constructor(readonly error: ApiError) {
    super(error.message);
  }
}

export function trouble<Code extends Trouble["code"]>(code: Code, message: string): Trouble & { code: Code } {
  return { code, message, line: null, column: null, step: null };
}

/** Anything that was thrown, as something to show. Null if it was only cancelled. */
export function asTrouble(thrown: unknown): Trouble | null {
  if (thrown instanceof Failure) return thrown.error;
  if (thrown instanceof DOMException && thrown.name === "AbortError") return null;
  return trouble("failed", thrown instanceof Error ? thrown.message : String(thrown));
}

/** The address of the report of an assessment, which is a page of its own. */
export const reportOf = (job: number) => `/api/jobs/${job}/report`;

export const api = {
  catalog: () => get<Catalog>("/api/catalog"),
  /** The parameters of an agent. */
  agent: (agent: string, signal?: AbortSignal) => post<SpecFields>("/api/agent", { agent }, signal),
  /** `check` are agents that are to play it. */
  game: (game: string, signal?: AbortSignal, check: string[] = []) => knowingRules(game, () => post<GameAnswer>("/api/game", { game, check }, signal)),
  position: (record: MatchRecord, signal?: AbortSignal) => knowingRules(record.game, () => post<Position>("/api/position", { record }, signal)),
  replay: (record: MatchRecord, signal?: AbortSignal) => knowingRules(record.game, () => post<Replay>("/api/replay", { record }, signal)),
  seal: (request: SealRequest, signal?: AbortSignal) => knowingRules(request.record.game, () => post<Sealed>("/api/sealed", request, signal)),
  jobs: (signal?: AbortSignal) => get<Job[]>("/api/jobs", signal),
  startJob: (request: JobRequest) => post<Job>("/api/jobs", request),
  stopJob: (id: number) => post<Job>(`/api/jobs/${id}/stop`, {}),
  resumeJob: (id: number) => post<Job>(`/api/jobs/${id}/resume`, {}),
  forgetJob: (id: number) => post<Job>(`/api/jobs/${id}/forget`, {}),
  experiments: () => get<ExperimentEntry[]>("/api/experiments"),
  papers: () => get<PaperEntry[]>("/api/papers"),
  results: (signal?: AbortSignal) => get<ResultEntry[]>("/api/results", signal),
  result: (scale: string, id: string, signal?: AbortSignal) => get<ResultAnswer>(`/api/results/${encodeURIComponent(scale)}/${encodeURIComponent(id)}`, signal),
  store: (signal?: AbortSignal) => get<StoreEntry[]>("/api/store", signal),
  storedGames: (cell: number, signal?: AbortSignal) => get<StoredGames>(`/api/store/${cell}`, signal),
  fairRuns: (signal?: AbortSignal) => get<FairRun[]>("/api/fair", signal),
  /** What a run has found; of a generation, if one is named. */
  fairGallery: (run: string, generation: number | null, signal?: AbortSignal) =>
    get<FairGallery>(`/api/fair/${encodeURIComponent(run)}${generation === null ? "" : `?generation=${generation}`}`, signal),
  /** Hands a network over; its agent plays the games that it fits. */
  async network(file: File): Promise<NetworkAnswer> {
    const init = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file };
    return (await (await send(`/api/networks?name=${encodeURIComponent(file.name)}`, init)).json()) as NetworkAnswer;
  },
  fairness: (map: string) => post<FairnessAnswer>("/api/fairness", { map }),
  /** A map, checked and in every form. The address is that of its editor. */
  map: (address: string, request: MapRequest) => post<MapAnswer>(address, request),
  keptGame: (cell: number, game: number) => get<MatchRecord>(`/api/store/${cell}/${game}`),

  /** Rules that the server accepts are kept, so that they can be sent again. */
  async rules(text: string): Promise<GameAnswer> {
    const answer = await post<GameAnswer>("/api/rules", { text });
    keepRules(answer.game, text);
    keepPicture(answer.game, { view: answer.start.view, colours: seatColours(answer.players) });
    return answer;
  },

  /** Lets an agent think; `onThought` hears of it while it does. A broken stream is begun again. */
  async think(request: ThinkRequest, onThought: (thought: Thought) => void, signal: AbortSignal): Promise<Thought> {
    for (;;) {
      const response = await knowingRules(request.record.game, () => send("/api/think", asPost(request), signal));
      try {
        for await (const event of events(response)) {
          if (event.event === "error") throw new Failure(JSON.parse(event.data) as ApiError);
          const thought = JSON.parse(event.data) as Thought;
          if (event.event === "done") return thought;
          onThought(thought);
        }
      } catch (thrown) {
        if (signal.aborted || thrown instanceof Failure) throw thrown;
      }
      connection.lost = true;
      await pause(500, signal);
    }
  },

  /** Who has chosen in a step where several choose at once, again and again until all have. */
  async *sealed(matchId: string, step: number, signal: AbortSignal): AsyncGenerator<Sealed> {
    while (!signal.aborted) {
      const response = await send(`/api/sealed/${encodeURIComponent(matchId)}/${step}`, {}, signal);
      try {
        for await (const event of events(response)) {
          const sealed = JSON.parse(event.data) as Sealed;
          yield sealed;
          if (sealed.waiting_for.length === 0 && sealed.choices.length > 0) return;
        }
      } catch (thrown) {
        if (signal.aborted) throw thrown;
      }
      await pause(1000, signal);
    }
  },
};

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await send(path, {}, signal)).json()) as T;
}

async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await send(path, asPost(body), signal)).json()) as T;
}

function asPost(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** A server that was started anew has forgotten uploaded rules: they are sent again, and nobody notices. */
async function knowingRules<T>(game: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const rules = rulesOf(game);
    if (!(thrown instanceof Failure) || thrown.error.code !== "unknown-rules" || rules === null) throw thrown;
    await post<GameAnswer>("/api/rules", { text: rules });
    return ask();
  }
}

const GATEWAY_ERRORS = [502, 503, 504];
const LONGEST_WAIT = 4000;

/** Sends until the server answers. An answer that is not a success is thrown as a Failure. */
async function send(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  for (let wait = 250; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const response = await attempt(path, init, signal);
    const error = response && !response.ok ? await errorOf(response) : null;
    connection.lost = !response?.ok && !error;
    if (response?.ok) return response;
    if (error) throw new Failure(error);
    await pause(wait, signal);
  }
}

async function attempt(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response | null> {
  try {
    return await fetch(path, { ...init, signal: signal ?? null });
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    return null;
  }
}

/** Null if it was not our server that answered, but something before it that cannot reach it. */
async function errorOf(response: Response): Promise<ApiError | null> {
  const text = await response.text();
  try {
    const error = JSON.parse(text) as Partial<ApiError>;
    if (typeof error.code === "string" && typeof error.message === "string") return { line: null, column: null, step: null, ...error } as ApiError;
  } catch {
    // Not ours.
  }
  if (GATEWAY_ERRORS.includes(response.status)) return null;
  return trouble(response.status === 404 ? "not-found" : "failed", text.trim() || `${response.status} ${response.statusText}`);
}

function events(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) throw new Error("the answer has no body");
  return readEvents(response.body);
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelled = () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", cancelled);
      resolve();
    }, milliseconds);
    if (signal?.aborted) cancelled();
    else signal?.addEventListener("abort", cancelled, { once: true });
  });
}
