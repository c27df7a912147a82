// Rated moves in words: with the names of pieces, and all actions of a turn.

import type { PlayedStep } from "../api";
import { pieceName } from "../logic/moves";
import type { Rating } from "../logic/review";
import type { Match } from "../state/match.svelte";
import { term } from ".";
import { moveText } from "./facts";

/** An action with the name of its piece, as the position before it has it. */
function actionText(match: Match, step: number, played: PlayedStep, player = 0): string {
  const cells = played.cells[player] ?? [];
  const before = match.around(step)[0]?.board ?? null;
  const name = played.by.length === 1 ? pieceName(before, cells[0], term) : "";
  return `${name ? `${name} ` : ""}${moveText(played.texts[player] ?? "", cells, match.position?.view.board ?? null)}`;
}

/** The actions of a turn, in words. */
export function turnText(match: Match, steps: number[]): string {
  const past = match.position?.past ?? [];
  return steps.map((step) => actionText(match, step, past[step]!)).join(", ");
}

/** What was played: a move, or all actions of a turn. */
export function playedText(match: Match, rating: Rating): string {
  if (rating.turn) return turnText(match, rating.turn.steps);
  const played = match.position!.past[rating.step]!;
  return actionText(match, rating.step, played, played.by.indexOf(rating.player));
}

/** What the agent would have played instead. In its turn a piece is called as it stands at the start. */
export function betterText(match: Match, rating: Rating): string {
  const better = rating.turn?.better ?? [];
  return better.length === 0 ? rating.better : better.map((played) => actionText(match, rating.step, played)).join(", ");
}
