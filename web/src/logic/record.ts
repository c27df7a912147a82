import type { MatchRecord, Position, Thought } from "../api";

/** What a file tells beside what was played. */
export type About = { seats: string[]; resigned: number | null; version: string; thoughts: Iterable<[number, Thought[]]>; review: unknown };

/** A record as a file: what was played, by whom, how it ended, and what the agents thought before each step. */
export function recordText({ record, players, turn }: Position, { seats, resigned, version, thoughts, review }: About): string {
  const thought = ({ player, action, value, iterations, nodes, seconds, rows }: Thought) => ({
    player,
    action,
    value,
    iterations,
    nodes,
    seconds,
    arms: rows.find((row) => row.player === player)?.arms.map(({ text, share, visits, value: worth, proven }) => ({ text, share, visits, value: worth, proven })) ?? [],
  });
  const steps = [...thoughts].sort(([a], [b]) => a - b).map(([step, all]) => ({ step, thoughts: all.map(thought) }));
  const file = {
    ...record,
    players: players.map(({ name }, i) => ({ name: typeof name === "string" ? name : name.pattern, agent: seats[i] ?? "-" })),
    result: turn.kind === "over" ? { payoffs: turn.payoffs } : resigned !== null ? { resigned } : null,
    version,
    thoughts: steps,
    ...(review ? { review } : {}),
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** Reads a record as this page or `sakiyomi play --record` writes it, whatever was printed before it. */
export function parseRecord(text: string): MatchRecord | null {
  const start = /^\s*\{/m.exec(text);
  if (!start) return null;
  try {
    const value = JSON.parse(text.slice(start.index)) as { game?: unknown; seed?: unknown; moves?: unknown };
    const game = typeof value.game === "string" ? value.game : specOfTable(value.game);
    if (game === null || !areMoves(value.moves)) return null;
    return { game, seed: typeof value.seed === "number" ? value.seed : 1, moves: value.moves };
  } catch {
    return null;
  }
}

/** Records of the command line have the game as a table with a `name`; flags are `true`. */
function specOfTable(table: unknown): string | null {
  if (typeof table !== "object" || table === null || !("name" in table) || typeof table.name !== "string") return null;
  const words = Object.entries(table)
    .filter(([key, value]) => key !== "name" && value !== false && value !== null)
    .map(([key, value]) => (value === true ? key : `${key}=${String(value)}`));
  return words.length > 0 ? `${table.name}:${words.join(",")}` : table.name;
}

function areMoves(moves: unknown): moves is string[][] {
  return Array.isArray(moves) && moves.every((step) => Array.isArray(step) && step.every((text) => typeof text === "string"));
}
