// Made from the Rust types by `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test api_types`.

/**
 * What can be played, by whom, and within which limits: `GET /api/catalog`.
 */
export type Catalog = { version: string, games: Array<GameEntry>, agents: Array<Entry>, limits: Limits, };

/**
 * A game in the list, with specifications that are ready to play.
 */
export type GameEntry = { entry: Entry, choices: Array<string>, };

/**
 * What a list of games or agents says about one of them.
 */
export type Entry = { name: string, summary: string, 
/**
 * Each parameter with its default and what it means.
 */
parameters: Array<Parameter>, example: string, };

export type Parameter = { name: string, 
/**
 * `off` if it is a flag, `none` if nothing is set.
 */
default: string, meaning: string, };

/**
 * What one request may ask for. An agent that is asked to think longer is cut short.
 */
export type Limits = { seconds: number, memory_bytes: number, upload_bytes: number, duel_games: number, };

/**
 * Asks for one game: `POST /api/game`.
 */
export type GameRequest = { game: string, };

/**
 * `agents` are the names of those who can play it.
 */
export type GameAnswer = { game: string, players: Array<string>, agents: Array<string>, start: Position, };

/**
 * A match: playing its texts in order rebuilds it. Per step one text for each choosing player, or
 * the outcome of chance.
 */
export type MatchRecord = { game: string, seed: number, moves: Array<Array<string>>, };

/**
 * Asks for the position at the end of a match, `POST /api/position`, or for that after every step,
 * `POST /api/replay`.
 */
export type PositionRequest = { record: MatchRecord, };

/**
 * `record` has what chance drew since the last move. `past` says who did what, one entry per step.
 */
export type Position = { record: MatchRecord, players: Array<string>, turn: Turn, view: View, legal: Array<Choosing>, past: Array<Past>, };

/**
 * The start first, then one position after every step of `past`.
 */
export type Replay = { record: MatchRecord, players: Array<string>, past: Array<Past>, positions: Array<ReplayPosition>, };

export type ReplayPosition = { turn: Turn, view: View, };

/**
 * Who chooses, or what everyone got, from 0 to 1. It is chance's turn only inside a replay.
 */
export type Turn = { "kind": "choose", players: Array<number>, } | { "kind": "chance" } | { "kind": "over", payoffs: Array<number>, };

/**
 * One step of a match. Nobody did it if chance did.
 */
export type Past = { by: Array<number>, texts: Array<string>, 
/**
 * The cells that it was about, for marking it on the board.
 */
cells: Array<number>, };

export type Choosing = { player: number, actions: Array<LegalAction>, };

export type LegalAction = { text: string, 
/**
 * Cells to click, in order; none if it is chosen by its text.
 */
cells: Array<number>, 
/**
 * What it would do, such as the damage of a strike; empty if there is nothing to say.
 */
note: string, };

/**
 * A drawable state: a board if there is one, lines of text beside it, and what happens now.
 */
export type View = { board: Board | null, 
/**
 * Facts beside the board, such as scores, hands and counters.
 */
panels: Array<Panel>, 
/**
 * One sentence: who is to move, or how it ended.
 */
caption: string, };

/**
 * Cells in rows from top to bottom, each row from left to right.
 */
export type Board = { grid: Grid, column_labels: Array<string>, row_labels: Array<string>, cells: Array<Cell>, };

export type Grid = "square" | "hex";

export type Cell = { 
/**
 * What stands here, in a letter or two; empty if nothing does.
 */
symbol: string, 
/**
 * Whose it is.
 */
owner: number | null, 
/**
 * What the ground is, if it is not plain.
 */
ground: string | null, };

export type Panel = { title: string, text: string, };

/**
 * Lets an agent think: `POST /api/think`. The answer is a stream of server-sent events: `thought` while
 * it thinks, then `done` (both a Thought) or `error` (an ApiError). Closing the connection stops it.
 */
export type ThinkRequest = { record: MatchRecord, player: number, agent: string, };

/**
 * What an agent thinks. While it thinks, `action` is the best so far; in the end it is what it plays.
 */
export type Thought = { player: number, action: string, 
/**
 * What the player expects to get, from 0 to 1.
 */
value: number | null, iterations: number, nodes: number, seconds: number, 
/**
 * The arms of every choosing player that the agent has an opinion on.
 */
rows: Array<Row>, 
/**
 * What it expects from here on, one entry per step.
 */
line: Array<Array<string>>, 
/**
 * The part of its tree that it visited most; only in the end.
 */
tree: Branch | null, };

/**
 * The arms of one choosing player, the largest share first. Values are this player's, from 0 to 1.
 */
export type Row = { player: number, arms: Array<Arm>, };

export type Arm = { text: string, 
/**
 * The cells that a person clicks for it, in order.
 */
cells: Array<number>, 
/**
 * Its part in the strategy; the parts of a row add up to 1.
 */
share: number, visits: number | null, value: number | null, 
/**
 * Whether the value is proven.
 */
proven: boolean, };

/**
 * A place in the tree. `by` chose `texts` to get here, or nobody if it was chance; `values` are what
 * the choices give those who made them.
 */
export type Branch = { by: Array<number>, texts: Array<string>, visits: number, values: Array<number | null>, children: Array<Branch>, };

/**
 * A choice that stays hidden until all `persons` who choose now have chosen: `POST /api/sealed`.
 * `match_id`, of the page's making, tells apart matches that look the same.
 */
export type SealRequest = { match_id: string, record: MatchRecord, player: number, text: string, persons: Array<number>, };

/**
 * Once nobody is waited for, `choices` has all of them. `GET /api/sealed/{match_id}/{step}`, with the
 * number of steps so far, is a stream of it as events `sealed`.
 */
export type Sealed = { waiting_for: Array<number>, choices: Array<SealedChoice>, };

export type SealedChoice = { player: number, text: string, };

/**
 * Rules in the Game Description Language: `POST /api/rules`.
 */
export type RulesRequest = { text: string, };

/**
 * Starts a job: `POST /api/jobs`.
 */
export type JobRequest = { "kind": "duel", game: string, agents: [string, string], games: number, seed: number, } | { "kind": "experiment", id: string, scale: string, };

/**
 * `GET /api/jobs` lists them, `GET /api/jobs/{id}/events` is a stream of events `job`, and
 * `POST /api/jobs/{id}/stop`, `resume` and `forget` do what they say. What was played stays in the store.
 */
export type Job = { id: number, request: JobRequest, title: string, state: JobState, games_done: number, games: number, 
/**
 * Since it was started or resumed.
 */
seconds: number, seconds_left: number | null, rows: Array<JobRow>, 
/**
 * Why it failed; empty otherwise.
 */
message: string, };

export type JobState = "running" | "stopped" | "done" | "failed";

/**
 * Results of the first agent: its score with the 95 % interval, and p of the two-sided sign test.
 */
export type JobRow = { name: string, wins: number, draws: number, losses: number, score: number | null, low: number, high: number, p: number, };

/**
 * One of `GET /api/experiments`. Its report is a page: `/reports/{id}?scale=quick`.
 */
export type ExperimentEntry = { id: string, title: string, kind: string, repeats: string, quick: ExperimentState, paper: ExperimentState, };

export type ExperimentState = { games_done: number, games: number, };

/**
 * One of `GET /api/store`. `GET /api/store/{cell}/{game}` is the MatchRecord of one of the games that
 * were `kept`.
 */
export type StoreEntry = { cell: number, game: string, agents: [string, string], seed: number, wins: number, draws: number, losses: number, kept: Array<number>, };

/**
 * Every answer that is not a success, with a status from 400 on.
 */
export type ApiError = { code: ErrorCode, message: string, 
/**
 * Where in the rules, from 1.
 */
line: number | null, column: number | null, };

export type ErrorCode = "bad-request" | "unknown-game" | "unknown-agent" | "illegal-move" | "broken-rules" | "unknown-rules" | "too-large" | "busy" | "not-found" | "unauthorized" | "refused" | "failed";
