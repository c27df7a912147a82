// What a view says, in words: for lists, pictures and screen readers.

import type { Board, Card, Effect, LegalAction, Piece, PlayerView, View } from "../api";
import { cellName } from "../logic/geometry";
import { readable } from "../logic/moves";
import { phrase, percent, t, term } from ".";

/** Everything beside the board, one line each, and how it stands. */
export function viewLines(view: View): string[] {
  const players = view.players.map((player) => `${phrase(player.name)}: ${playerText(player)}`);
  const piles = view.piles.map((pile) => [`${phrase(pile.title)}: ${cardsText(pile.cards)}`, ...(pile.note ? [phrase(pile.note)] : [])].join(", "));
  const facts = view.facts.map((fact) => `${phrase(fact.title)}: ${phrase(fact.text)}`);
  return [statusText(view), ...piles, ...players, ...facts];
}

export function statusText(view: View): string {
  return view.note ? `${phrase(view.caption)} · ${phrase(view.note)}` : phrase(view.caption);
}

function playerText(player: PlayerView): string {
  const parts = player.score ? [phrase(player.score.text)] : [];
  if (player.hand) parts.push(t("match.holds", { cards: cardsText(player.hand) }));
  return parts.join(", ");
}

function cardsText(cards: Card[]): string {
  return cards.length === 0 ? t("match.nothing") : cards.map((card) => (card.is_known ? card.text : "?")).join(" ");
}

/** The numbers and states of a piece. */
export function pieceText(piece: Piece): string {
  const gauge = piece.gauge ? [`${piece.gauge.value} ${term(piece.gauge.unit)}`] : [];
  return [...gauge, ...piece.facts.map(phrase)].join(", ");
}

export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case "damage":
      return t(effect.left > 0 ? "effect.damage" : "effect.defeats", { amount: effect.amount, left: effect.left });
    case "counter":
      return t(effect.left > 0 ? "effect.counter" : "effect.falls", { amount: effect.amount, left: effect.left });
    case "chance":
      return t("effect.chance", { percent: percent(effect.probability) });
    case "points":
      return t("effect.points", { amount: effect.amount > 0 ? `+${effect.amount}` : String(effect.amount) });
  }
}

export function effectsText(action: LegalAction): string {
  return action.effects.map(effectText).join(", ");
}

/** A move as people write it; one that goes nowhere is said to stay. */
export function moveText(text: string, cells: number[], board: Board | null): string {
  const stays = board && cells.length > 1 && cells.every((cell) => cell === cells[0]) && /^(\S+)-\1$/.test(text);
  return stays ? t("move.stays", { cell: cellName(board, cells[0]!) }) : readable(text, cells, board);
}

/** What an action is called where its first cells are already chosen: `fire c4`, or its whole text. */
export function actionLabel(action: LegalAction, board: Board | null): string {
  const target = action.cells.at(-1);
  return action.kind && board && target !== undefined ? `${phrase(action.kind)} ${cellName(board, target)}` : moveText(action.text, action.cells, board);
}
