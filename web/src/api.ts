// Generated from the Rust types by `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test api_types`; do not edit.

/** What can be played, by whom, and within which limits. `GET /api/catalog` */
export type Catalog = { version: string, games: GameEntry[], agents: Entry[], limits: Limits };

/** A game in the list, with settings that are ready to play. */
export type GameEntry = { entry: Entry, choices: string[] };

/** What a list of games or agents says about one of them. */
export type Entry = { name: string, summary: string, parameters: Parameter[], example: string };

/** `default` is `off` where the parameter is a flag, and `none` where nothing is set. */
export type Parameter = { name: string, default: string, meaning: string };

/** What one request may ask for. */
export type Limits = { seconds: number, memory_bytes: number, upload_bytes: number, duel_games: number };

/** `POST /api/game` asks for one game: `{ "game": "sangoku:scenario=c" }`. */
export type GameRequest = { game: string };

/** `agents` are the names of those who can play it; `simultaneous` if players ever choose at once at the start. */
export type GameAnswer = { game: string, players: string[], agents: string[], start: Position };

/** A match: playing its texts in order rebuilds it. Per step one text for each choosing player, or the outcome of chance. */
export type MatchRecord = { game: string, seed: number, moves: string[][] };

/** `POST /api/position` rebuilds a match; `POST /api/replay` answers with the position after every step, the start first. */
export type PositionRequest = { record: MatchRecord };

/** `record` has what chance drew since the last move. `past` says who did what, one entry per step. */
export type Position = { record: MatchRecord, players: string[], turn: Turn, view: View, legal: Choosing[], past: Past[] };

export type Replay = { record: MatchRecord, players: string[], past: Past[], positions: ReplayPosition[] };

export type ReplayPosition = { turn: Turn, view: View };

export type Turn = { kind: "choose", players: number[] } | { kind: "over", payoffs: number[] };

/** `by` is empty where chance drew. `cells` are the cells that the step touched, for marking it. */
export type Past = { by: number[], texts: string[], cells: number[] };

export type Choosing = { player: number, actions: LegalAction[] };

/** `cells` are clicked in order to choose it; none if it is chosen by its text. `note` is what it would do, such as damage. */
export type LegalAction = { text: string, cells: number[], note: string };

export type View = { board: Board | null, panels: Panel[], caption: string };

/** Cells in rows from top to bottom, each row from left to right. */
export type Board = { grid: Grid, column_labels: string[], row_labels: string[], cells: Cell[] };

/** Hex: cell (x, y) touches (x±1, y), (x, y±1), (x+1, y+1) and (x-1, y-1). */
export type Grid = "square" | "hex";

export type Cell = { symbol: string, owner: number | null, ground: string | null };

export type Panel = { title: string, text: string };

/** `POST /api/think`: the answer is a stream of server-sent events: `thought` while it thinks, then `done` (both a Thought) or `error` (an ApiError). Closing the connection cancels the search. */
export type ThinkRequest = { record: MatchRecord, player: number, agent: string };

/** `action` is the best so far, or what it plays in the end. `line` is what it expects from here on, one entry per step. `tree` comes with the end. */
export type Thought = { player: number, action: string, value: number | null, iterations: number, nodes: number, seconds: number, rows: Row[], line: string[][], tree: Branch | null };

/** The arms of one choosing player, the largest share first. Values are this player's, from 0 to 1. */
export type Row = { player: number, arms: Arm[] };

export type Arm = { text: string, cells: number[], share: number, visits: number | null, value: number | null, proven: boolean };

/** A place in the tree. `by` chose `texts` to get here, or nobody if it was chance; `values` are what the choices give those who made them. */
export type Branch = { by: number[], texts: string[], visits: number, values: (number | null)[], children: Branch[] };

/** `POST /api/sealed`: a choice that stays hidden until all `persons` who choose now have chosen. `match_id` tells matches apart that look the same. */
export type SealRequest = { match_id: string, record: MatchRecord, player: number, text: string, persons: number[] };

/** Once nobody is waited for, `choices` has all of them. `POST /api/sealed` answers with it, and `GET /api/sealed/{match_id}/{step}` is a stream of it as events `sealed`. */
export type Sealed = { waiting_for: number[], choices: SealedChoice[] };

export type SealedChoice = { player: number, text: string };

/** `POST /api/rules`: rules in the Game Description Language, as text. The answer is a GameAnswer; its `game` is known to the server until it stops, and may be sent again at any time. */
export type RulesRequest = { text: string };

/** Every answer that is not a success. */
export type ApiError = { code: ErrorCode, message: string, line: number | null, column: number | null };

/** `POST /api/jobs` starts one. */
export type JobRequest = { kind: "duel", game: string, agents: [string, string], games: number, seed: number } | { kind: "experiment", id: string, scale: string };

/** `GET /api/jobs` lists them, `GET /api/jobs/{id}/events` streams events `job`, `POST /api/jobs/{id}/stop` and `/resume` and `/forget`. What was played stays in the store. */
export type Job = { id: number, request: JobRequest, title: string, state: JobState, games_done: number, games: number, seconds: number, seconds_left: number | null, rows: JobRow[], message: string };

export type JobState = "running" | "stopped" | "done" | "failed";

/** The score of the first agent with its 95 % interval. `p` is of the sign test. */
export type JobRow = { name: string, wins: number, draws: number, losses: number, score: number | null, low: number, high: number, p: number };

/** `GET /api/experiments`. The report of one is a page: `/reports/{id}?scale=quick`. */
export type ExperimentEntry = { id: string, title: string, kind: string, repeats: string, quick: ExperimentState, paper: ExperimentState };

export type ExperimentState = { games_done: number, games: number };

/** `GET /api/store`: cells of the store. `GET /api/store/{cell}/{game}` is the MatchRecord of a game that was kept. */
export type StoreEntry = { cell: number, game: string, agents: [string, string], seed: number, wins: number, draws: number, losses: number, kept: number[] };

export type ErrorCode = "bad-request" | "unknown-game" | "unknown-agent" | "illegal-move" | "broken-rules" | "unknown-rules" | "too-large" | "busy" | "not-found" | "unauthorized" | "refused" | "failed";
