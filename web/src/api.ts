// Made from the Rust types by `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test all api_types`.

/**
 * What can be played, by whom, and within which limits: `GET /api/catalog`.
 */
export type Catalog = { version: string, games: Array<GameEntry>, 
/**
 * The game to begin with.
 */
start_with: string, agents: Array<Entry>, limits: Limits, };

/**
 * A game in the list, with specifications that are ready to play.
 */
export type GameEntry = { entry: Entry, 
/**
 * What it is called in English.
 */
title: string, choices: Array<string>, players: Array<PlayerFace>, 
/**
 * A position in the middle of a match, for a picture.
 */
sample: View, 
/**
 * If its maps can be drawn on the page.
 */
editor: MapEditor | null, };

/**
 * What a list of games or agents says about one of them.
 */
export type Entry = { name: string, summary: string, parameters: Array<ParameterEntry>, example: string, 
/**
 * The text for which a preset stands.
 */
stands_for: string | null, };

export type ParameterEntry = { name: string, 
/**
 * `off` if it is a flag, `none` if nothing is set.
 */
default: string, meaning: string, 
/**
 * The heading under which it is shown.
 */
group: string | null, values: Values, 
/**
 * What a game has to provide for it to have an effect.
 */
needs: string | null, };

/**
 * The values that a parameter takes, for help and forms.
 */
export type Values = { "kind": "flag" } | { "kind": "integer", min: number, max: number | null, } | { "kind": "number", min: number, max: number, } | { "kind": "time" } | { "kind": "bytes" } | { "kind": "word", words: Array<string>, } | { "kind": "text" };

/**
 * What one request may ask for. An agent that is asked to think longer is cut short.
 */
export type Limits = { seconds: number, memory_bytes: number, upload_bytes: number, duel_games: number, };

/**
 * Asks for one game, and whether these agents can play it: `POST /api/game`.
 */
export type GameRequest = { game: string, check?: Array<string>, };

/**
 * `agents` are the names of those who can play it, and those with a network that fits it, such as
 * `net:file=four.onnx`; `opponents` are some of them by strength, and `suggested` is the one to begin with.
 */
export type GameAnswer = { game: string, fields: SpecFields, players: Array<PlayerFace>, 
/**
 * What the drawings on the board stand for.
 */
legend: Array<LegendEntry>, agents: Array<string>, opponents: Array<Opponent>, suggested: string, 
/**
 * One for each agent that was to be checked.
 */
checked: Array<AgentCheck>, start: Position, };

/**
 * A game or an agent with its parameters apart: those that are not left at their defaults. A flag
 * that is set has the value `on`. `POST /api/agent` with an [`AgentRequest`] gives that of an
 * agent.
 */
export type SpecFields = { 
/**
 * The whole specification, as it is always written.
 */
text: string, name: string, values: { [key in string]: string }, };

export type AgentRequest = { agent: string, };

/**
 * Whether an agent can play a game here.
 */
export type AgentCheck = { agent: string, 
/**
 * Why it cannot; empty if it can.
 */
problem: string, 
/**
 * It asks for more time than a request may take, and gets `Limits::seconds`.
 */
is_cut_short: boolean, };

/**
 * An agent of some strength.
 */
export type Opponent = { level: Level, agent: string, };

export type Level = "easy" | "medium" | "hard" | "strongest";

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
 * `record` has what chance drew since the last move. `past` says who did what, one entry per step,
 * and `ways` how pieces went in the last one, where the views before and after it do not tell.
 */
export type Position = { record: MatchRecord, players: Array<PlayerFace>, turn: Turn, view: View, legal: Array<Choosing>, past: Array<PlayedStep>, ways: Array<Way>, };

/**
 * The start first, then one position after every step of `past`.
 */
export type Replay = { record: MatchRecord, players: Array<PlayerFace>, past: Array<PlayedStep>, positions: Array<ReplayPosition>, };

export type ReplayPosition = { turn: Turn, view: View, 
/**
 * How pieces came here.
 */
ways: Array<Way>, };

/**
 * Who chooses, or what everyone got, from 0 to 1. It is chance's turn only inside a replay.
 */
export type Turn = { "kind": "choose", players: Array<number>, } | { "kind": "chance" } | { "kind": "over", payoffs: Array<number>, };

/**
 * One step of a match or of an expected line: one text for each player who chose, or the outcome of
 * chance, which no player chose.
 */
export type PlayedStep = { by: Array<number>, texts: Array<string>, 
/**
 * For each player who chose, the cells that it was about, in order.
 */
cells: Array<Array<number>>, };

/**
 * Where a piece was while a step was carried out.
 */
export type Way = { symbol: string, owner: number, 
/**
 * From its place before the step to that after it. In between it moves evenly.
 */
points: Array<WayPoint>, };

export type WayPoint = { 
/**
 * The part of the step's time that has passed, from 0 to 1.
 */
at: number, cell: number, };

/**
 * How a player is shown.
 */
export type PlayerFace = { name: Phrase, 
/**
 * The colour of its pieces, if the game has one for it.
 */
colour: Colour | null, };

/**
 * The colour of a player's pieces.
 */
export type Colour = "white" | "black" | "red" | "blue" | "green" | "yellow";

export type Choosing = { player: number, actions: Array<LegalAction>, 
/**
 * How an action is put together, where it is orders for several pieces; `actions` are then
 * only some.
 */
orders: OrderForm | null, };

/**
 * An action that a player may choose now.
 */
export type LegalAction = { text: string, 
/**
 * Cells to click, in order; none if it is chosen by its text or its card.
 */
cells: Array<number>, 
/**
 * Further cells that mean the same as the last of `cells`.
 */
area: Array<number>, 
/**
 * The card of the player's hand that it plays.
 */
card: number | null, 
/**
 * What kind of action it is, such as `attack`, where there are several.
 */
kind: Phrase | null, 
/**
 * What it would do, in numbers.
 */
effects: Array<Effect>, 
/**
 * It does nothing but end the turn.
 */
ends_turn: boolean, };

/**
 * What an action would do, in numbers that the board does not show.
 */
export type Effect = { "kind": "damage", cell: number, amount: number, left: number, } | { "kind": "counter", cell: number, amount: number, left: number, } | { "kind": "chance", probability: number, } | { "kind": "points", player: number, amount: number, };

/**
 * How an action is written that gives orders to several pieces: a string of commands for each of
 * them, in order.
 */
export type OrderForm = { pieces: Array<OrderedPiece>, 
/**
 * What a string is made of.
 */
commands: Array<OrderCommand>, 
/**
 * The most commands of one piece.
 */
max_commands: number, 
/**
 * Stands between the strings of two pieces.
 */
separator: string, 
/**
 * Stands for a piece without commands.
 */
no_commands: string, };

/**
 * A piece that is given orders.
 */
export type OrderedPiece = { symbol: string, cell: number, 
/**
 * Strings of commands that make sense for it now.
 */
suggested: Array<string>, };

export type OrderCommand = { 
/**
 * How it is written, in one letter.
 */
letter: string, 
/**
 * How it is shown, such as an arrow.
 */
sign: string, 
/**
 * What it does.
 */
name: Phrase, 
/**
 * Columns and rows that it moves the piece by, if it moves it.
 */
step: [number, number] | null, };

/**
 * A text that is either taken as it is, or a pattern with values. The pattern is the key of a
 * translation, so that nothing has to be read out of a finished sentence.
 */
export type Phrase = string | { pattern: string, values: Array<Phrase>, };

/**
 * A drawable state.
 */
export type View = { board: Board | null, 
/**
 * Cards that are in no player's hand.
 */
piles: Array<Pile>, 
/**
 * Scores and hands, in seat order; empty if the game has neither.
 */
players: Array<PlayerView>, 
/**
 * Further facts beside the board, such as counters.
 */
facts: Array<Fact>, 
/**
 * Who is to move, or how it ended.
 */
caption: Phrase, 
/**
 * What else matters now, such as the round or what is at stake.
 */
note: Phrase | null, };

/**
 * Cells in rows from top to bottom, each row from left to right.
 */
export type Board = { grid: Grid, column_labels: Array<string>, row_labels: Array<string>, cells: Array<Cell>, 
/**
 * Cells that decided the match, such as a winning line.
 */
marked: Array<number>, 
/**
 * Whose the edges are, top, right, bottom and left, where it matters who reaches them.
 */
edges: [number | null, number | null, number | null, number | null], };

export type Grid = "square" | "hex";

export type Cell = { 
/**
 * What stands here. Usually it is one piece; the last one is on top.
 */
pieces: Array<Piece>, 
/**
 * The kind of ground, if it is not plain: `forest`, `water`, `wall` ..
 */
ground: string | null, 
/**
 * Whose ground it is: cells that a player holds or has enclosed. More than one if areas overlap.
 */
owners: Array<number>, 
/**
 * How much lies here, such as water or stones.
 */
amount: number | null, 
/**
 * The board has no cell here.
 */
is_hole: boolean, };

/**
 * What stands on a cell.
 */
export type Piece = { 
/**
 * A letter or two.
 */
symbol: string, owner: number | null, shape: Shape, 
/**
 * What it can still take or carry: hit points, the contents of a tank.
 */
gauge: Gauge | null, 
/**
 * What is drawn in place of the symbol, by name, such as `infantry`. A page without that drawing
 * writes the symbol.
 */
picture: string | null, 
/**
 * What kind of piece it is, in a letter and in a word.
 */
badge: Badge | null, 
/**
 * It can do nothing more in this turn.
 */
has_acted: boolean, 
/**
 * Further numbers and states, such as `attack 50` or `moved`.
 */
facts: Array<Phrase>, 
/**
 * The cells that it can go to in a turn of its own, and those that it can strike at.
 */
reach: Reach, };

/**
 * How a piece is drawn.
 */
export type Shape = "token" | "stone" | "mark";

export type Gauge = { value: number, max: number, 
/**
 * What is counted, such as `hp`.
 */
unit: string, };

export type Badge = { letter: string, 
/**
 * What is drawn in place of the letter, by name.
 */
picture: string | null, name: Phrase, };

/**
 * How far a piece gets; empty where that says nothing.
 */
export type Reach = { moves: Array<number>, strikes: Array<number>, };

/**
 * What a drawing on the board stands for, with the numbers that matter.
 */
export type LegendEntry = { 
/**
 * A kind of ground, or else a picture of a piece or a badge.
 */
ground: string | null, picture: string | null, name: Phrase, facts: Array<Phrase>, };

export type Pile = { title: Phrase, cards: Array<Card>, 
/**
 * What else belongs to it, such as points that are carried over.
 */
note: Phrase | null, };

export type Card = { 
/**
 * What is written on it; empty if it lies face down.
 */
text: string, 
/**
 * What it is worth, where that is a number.
 */
value: number | null, 
/**
 * Whether everyone may see it.
 */
is_known: boolean, 
/**
 * Whether its owner may play it now.
 */
is_playable: boolean, };

/**
 * What is known of a player beside the board.
 */
export type PlayerView = { name: Phrase, score: Score | null, 
/**
 * None if the game has no hands; an empty hand is a hand.
 */
hand: Array<Card> | null, };

/**
 * A score in the game's own points, and as text.
 */
export type Score = { value: number, text: Phrase, };

export type Fact = { title: Phrase, text: Phrase, };

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
line: Array<PlayedStep>, 
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
proven: boolean, 
/**
 * The share that a network gives it before the search.
 */
prior: number | null, };

/**
 * A place in the tree, and the step that leads to it; `values` are what the choices give those who
 * made them.
 */
export type Branch = { step: PlayedStep, visits: number, values: Array<number | null>, children: Array<Branch>, };

/**
 * A choice that stays hidden until all `persons` who choose now have chosen: `POST /api/sealed`.
 * `match_id`, of the page's making, tells apart matches that look the same.
 */
export type SealRequest = { match_id: string, record: MatchRecord, player: number, text: string, persons: Array<number>, };

/**
 * Once all have chosen, `choices` has all of them. `GET /api/sealed/{match_id}/{step}`, with the
 * number of steps so far, is a stream of it as events `sealed`.
 */
export type Sealed = { waiting_for: Array<number>, choices: Array<SealedChoice>, };

export type SealedChoice = { player: number, text: string, };

/**
 * Rules in the Game Description Language: `POST /api/rules`.
 */
export type RulesRequest = { text: string, };

/**
 * How maps of a game are drawn on the page, and where they are read and written.
 */
export type MapEditor = { 
/**
 * Takes a [`MapRequest`] and gives a [`MapAnswer`].
 */
address: string, 
/**
 * A map to begin with.
 */
empty: DrawnMap, 
/**
 * Names of the ground, the usual one first.
 */
terrains: Array<string>, units: Array<MapUnit>, sides: Array<PlayerFace>, max_hit_points: number, 
/**
 * The most columns, and the most rows.
 */
max_size: number, 
/**
 * The ending of map files, with its dot.
 */
file_ending: string, };

/**
 * A kind of unit, with the letter that it is drawn as.
 */
export type MapUnit = { name: string, mark: string, };

/**
 * A map to be checked and written in every form: `POST` to the address of a
 * [`MapEditor`].
 */
export type MapRequest = { "from": "text", text: string, } | { "from": "drawn", map: DrawnMap, } | { "from": "game", game: string, } | { "from": "random", seed: number, };

/**
 * The map in all forms.
 */
export type MapAnswer = { map: DrawnMap, 
/**
 * The text of a map file.
 */
text: string, 
/**
 * The game that is played on it.
 */
game: string, 
/**
 * What is odd but can be played.
 */
warnings: Array<string>, };

/**
 * A map without its border. Its cells go row by row from the top left.
 */
export type DrawnMap = { columns: number, rows: number, 
/**
 * Turns of both sides together.
 */
turn_limit: number, 
/**
 * The lead in hit points that is still a draw.
 */
hp_threshold: number, author: string, comment: string, 
/**
 * Some of [`MapEditor::terrains`].
 */
terrain: Array<string>, units: Array<DrawnUnit>, };

/**
 * A unit; its column and row are counted from 0.
 */
export type DrawnUnit = { column: number, row: number, 
/**
 * One of [`MapEditor::units`].
 */
kind: string, 
/**
 * A number in [`MapEditor::sides`].
 */
side: number, hit_points: number, 
/**
 * It misses the first turn of its side.
 */
is_late: boolean, };

/**
 * Starts a job: `POST /api/jobs`.
 */
export type JobRequest = { "kind": "duel", game: string, agents: [string, string], games: number, seed: number, } | { "kind": "experiment", id: string, scale: string, } | { "kind": "assess", game: string, strengths: Array<number>, games: number, remedies: boolean, seed: number, } | { "kind": "evolve", columns: number, rows: number, units_a_side: number, turn_limit: number, generations: number, population: number, seed: number, };

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
 * Of an assessment: its certificates in one sentence each, as far as they are known.
 */
certificates: Array<string>, 
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

export type ExperimentState = { games_done: number, games: number, 
/**
 * How long the rest will take on this server, by games of the same kind that were played here or came with the program; null if there are none.
 */
seconds_left: number | null, };

/**
 * One of `GET /api/results`; the result itself is at `/api/results/{scale}/{id}`.
 */
export type ResultEntry = { id: string, title: string, kind: string, repeats: string, scale: string, games_done: number, games: number, 
/**
 * What our games say about the claims.
 */
claims: Array<ResultVerdict>, 
/**
 * What our games say about the numbers of the paper.
 */
numbers: Array<ResultVerdict>, 
/**
 * The program brought it along; else it was played here.
 */
is_shipped: boolean, };

/**
 * `GET /api/results/{scale}/{id}`.
 */
export type ResultAnswer = { result: ExperimentResult, 
/**
 * Its numbers beside those of the paper, in the paper's rows and columns.
 */
table: ResultTable, figure: DrawnFigure | null, };

/**
 * A figure as SVG, without a title, and its values as comma-separated text. Elements of class
 * `value` have a `data-name` and numbers: `data-value`, `-low`, `-high` and `-paper`. Texts of
 * class `word` can be translated.
 */
export type DrawnFigure = { svg: string, csv: string, };

/**
 * One experiment with what is known of it: a file in `results/`.
 */
export type ExperimentResult = { id: string, title: string, kind: string, 
/**
 * The paper with its table or figure; empty if it repeats none.
 */
repeats: string, notes: string, scale: string, 
/**
 * Games, or runs if it is measured in runs.
 */
games_done: number, games: number, 
/**
 * Wall time, summed over threads.
 */
seconds: number, 
/**
 * Versions of the program that played the games.
 */
engines: Array<string>, 
/**
 * False if budgets are times or agents programs: the same seeds may then end otherwise.
 */
repeatable: boolean, 
/**
 * Where results by time were played, with the class of speed; empty if no budget is a time.
 */
machines: Array<string>, command: string, claims: Array<ResultClaim>, cells: Array<ResultCell>, 
/**
 * The match that is shown move by move, if that is what the experiment is.
 */
shown: MatchRecord | null, };

export type ResultClaim = { text: string, verdict: ResultVerdict, };

/**
 * What our games say about a claim or a number of a paper.
 */
export type ResultVerdict = "agrees" | "agrees-but-smaller" | "differs" | "contradicts" | "not-enough-games" | "not-run";

/**
 * One pairing of an experiment. Counts are of the first agent.
 */
export type ResultCell = { name: string, game: string, first: string, second: string, seed: number, games: number, games_wanted: number, all: ResultTally, 
/**
 * By the seat of the first agent.
 */
seats: Array<ResultTally>, 
/**
 * p of the two-sided sign test against an equal share of the wins.
 */
p: number, mean_turns: number | null, 
/**
 * What was measured in runs, with its 95 % interval.
 */
measured: Span | null, 
/**
 * What a reader should know of repeated games; empty if there is nothing.
 */
remark: string, 
/**
 * The text of the fingerprint of what played, if there are games.
 */
fingerprint: string | null, };

/**
 * Won, drawn and lost games with the score, beside what a paper has.
 */
export type ResultTally = { wins: number, draws: number, losses: number, 
/**
 * With its 95 % interval; nothing without games.
 */
score: Span | null, elo: EloSpan | null, paper: PaperScore | null, verdict: ResultVerdict | null, };

/**
 * A value and its 95 % interval.
 */
export type Span = { value: number, low: number, high: number, };

/**
 * An Elo difference and its 95 % interval. What is infinite is null.
 */
export type EloSpan = { value: number | null, low: number | null, high: number | null, };

/**
 * A score of a paper; the counts where it prints them.
 */
export type PaperScore = { score: number, games: number | null, wins: number | null, draws: number | null, losses: number | null, };

export type ResultTable = { 
/**
 * Names of the experiment, or a word: `score`, `all`, `seat 1`, `NashConv`, `turns` ..
 */
columns: Array<string>, rows: Array<ResultTableRow>, };

export type ResultTableRow = { name: string, 
/**
 * Null where nothing belongs, as an agent against itself.
 */
cells: Array<ResultTableCell | null>, };

/**
 * A number of a paper beside ours; either may be missing.
 */
export type ResultTableCell = { 
/**
 * Its place among the cells of the result; null of a mean over cells.
 */
of: number | null, paper: number | null, 
/**
 * Won, drawn and lost games, where the paper prints them.
 */
paper_counts: [number, number, number] | null, ours: Span | null, counts: [number, number, number], verdict: ResultVerdict | null, };

/**
 * One of `GET /api/papers`: a paper with its tables and figures in its own order.
 */
export type PaperEntry = { 
/**
 * One word for addresses.
 */
key: string, title: Words, authors: Words, 
/**
 * As far as it is known.
 */
year: Words, 
/**
 * Where it appeared; null if that is not known.
 */
venue: Words | null, 
/**
 * What it found, in one sentence.
 */
found: Words, parts: Array<PartEntry>, 
/**
 * Experiments that add something to it.
 */
added: Array<string>, };

/**
 * A table, a figure or a section of a paper.
 */
export type PartEntry = { label: Words, title: Words, 
/**
 * What a reader should know of it, in one sentence.
 */
remark: Words, 
/**
 * False of settings, rules and matches that cannot be played again.
 */
is_measured: boolean, 
/**
 * The paper's own numbers, where no experiment has them.
 */
printed: PrintedTable | null, 
/**
 * Experiments that repeat it; those that keep to the paper's words come first.
 */
experiments: Array<string>, };

/**
 * A text in the languages of the page.
 */
export type Words = { en: string, ja: string, };

/**
 * A table as a paper has it.
 */
export type PrintedTable = { columns: Array<Words>, rows: Array<PrintedRow>, };

/**
 * A row with its name in both languages.
 */
export type PrintedRow = { en: string, ja: string, cells: Array<string>, };

/**
 * A run, one of `GET /api/store`: what one agent did against another, or what was measured of it.
 */
export type StoreEntry = { cell: number, game: string, 
/**
 * The second is what is measured, where there is no second agent.
 */
agents: [string, string], seed: number, openings: string, games: number, 
/**
 * What experiments want of it; null if none does.
 */
games_wanted: number | null, all: ResultTally, 
/**
 * By the seat of the first agent.
 */
seats: Array<ResultTally>, 
/**
 * p of the two-sided sign test against an equal share of the wins.
 */
p: number, nash_conv: Span | null, mean_turns: number | null, 
/**
 * Wall time, summed over threads.
 */
seconds: number, 
/**
 * The game or an agent behaves differently by now: reports leave it out.
 */
is_stale: boolean, used_by: Array<RunUse>, 
/**
 * Games whose records are kept: `GET /api/store/{cell}` lists them.
 */
n_kept: number, };

/**
 * An experiment that a run belongs to, and what it is called there.
 */
export type RunUse = { experiment: string, scale: string, repeats: string, name: string, };

/**
 * The games of a run: `GET /api/store/{cell}`. `GET /api/store/{cell}/{game}` is the MatchRecord of one that is
 * kept.
 */
export type StoredGames = { 
/**
 * The score of the first agent as the games were played; nothing before the second.
 */
figure: DrawnFigure | null, kept: Array<KeptGame>, };

export type KeptGame = { number: number, 
/**
 * The seat of the first agent, from 1.
 */
seat: number, 
/**
 * W, D or L, as the first agent sees it.
 */
outcome: string, turns: number | null, };

/**
 * A run of evolution: `GET /api/fair`. Its page and pictures are at `/fair/NAME/gallery.html`, `maps.svg` and `curves.svg`.
 */
export type FairRun = { name: string, title: string, 
/**
 * Generations that are complete, of all.
 */
generation: number, generations: number, 
/**
 * Candidates that were tried with fresh games, and that are fair.
 */
tried: number, passed: number, is_complete: boolean, };

/**
 * What a run of evolution has found: `GET /api/fair/{name}`.
 */
export type FairGallery = { run: FairRun, 
/**
 * Fitness by generation.
 */
generations: Array<FairGeneration>, 
/**
 * The generation whose maps these are; null for the latest.
 */
shown: number | null, 
/**
 * Best first.
 */
maps: Array<FairMap>, };

export type FairGeneration = { best: number, mean: number, games: number, 
/**
 * Whether its best maps were kept.
 */
has_maps: boolean, };

/**
 * A map that evolution has found.
 */
export type FairMap = { map: DrawnMap, 
/**
 * The text of a map file.
 */
text: string, 
/**
 * The game that is played on it.
 */
game: string, fitness: number, 
/**
 * By fresh games if it has had them, else by those of the search.
 */
judges: Array<JudgeVerdict>, 
/**
 * Null before fresh games were played.
 */
is_fair: boolean | null, };

/**
 * Asks whether a map is fair: `POST /api/fairness`.
 */
export type FairnessRequest = { 
/**
 * The text of the map file.
 */
map: string, };

/**
 * What the judges say.
 */
export type FairnessAnswer = { judges: Array<JudgeVerdict>, is_fair: boolean, 
/**
 * What is odd about the file.
 */
warnings: Array<string>, };

/**
 * How the games of one player against itself ended.
 */
export type JudgeVerdict = { judge: string, 
/**
 * Wins of the side that moves first and of the other.
 */
wins: [number, number], draws: number, 
/**
 * Of the side that moves first.
 */
score: Span, 
/**
 * Nothing if it is fair.
 */
unfair: Array<UnfairName>, };

/**
 * Why a map is not fair.
 */
export type UnfairName = "first-side" | "second-side" | "undecided" | "draws" | "one-course";

/**
 * A network that was handed over: `POST /api/networks?name=FILE`, with the file as the body.
 */
export type NetworkAnswer = { 
/**
 * The agent that plays with it.
 */
agent: string, };

/**
 * Every answer that is not a success, with a status from 400 on.
 */
export type ApiError = { code: ErrorCode, message: string, 
/**
 * Where in the rules, from 1.
 */
line: number | null, column: number | null, 
/**
 * Which step of the record is wrong, from 1.
 */
step: number | null, };

export type ErrorCode = "bad-request" | "unknown-game" | "unknown-agent" | "illegal-move" | "broken-rules" | "broken-map" | "unknown-rules" | "too-large" | "busy" | "not-found" | "unauthorized" | "refused" | "failed";
