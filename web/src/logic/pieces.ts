// How pieces and grounds look.

import type { Board, Piece, PlayerFace } from "../api";

const BY_SEAT = ["blue", "red", "green", "yellow", "violet", "teal", "black", "white"];

/** The colour of each player: the game's own if it has a different one for everyone, else by seat. */
export function seatColours(players: PlayerFace[]): string[] {
  const own = players.map((player) => player.colour);
  const isComplete = own.every((colour) => colour !== null) && new Set(own).size === players.length;
  return players.map((_, i) => (isComplete ? own[i]! : BY_SEAT[i % BY_SEAT.length]!));
}

/** `tile` is what belongs to nobody. */
export function shapeOf(piece: Piece): Piece["shape"] | "tile" {
  return piece.owner === null ? "tile" : piece.shape;
}

/** The piece on top of every cell; nothing where none is drawn. */
export function topPiece(board: Board, cell: number): Piece | null {
  const piece = board.cells[cell]?.pieces.at(-1);
  return piece && piece.symbol !== "" ? piece : null;
}

/**
 * The first letter that all symbols of an owner share, if symbols have two: the colour says the same, so that it need
 * not be written. `wp`, `wk` against `bp` become `p`, `k` and `p`.
 */
export function colourLetters(board: Board): Map<number, string> {
  const byOwner = new Map<number, Set<string>>();
  for (const piece of board.cells.flatMap((cell) => cell.pieces)) {
    if (piece.owner === null || piece.symbol === "") continue;
    const letter = [...piece.symbol].length === 2 ? [...piece.symbol][0]! : "";
    byOwner.set(piece.owner, (byOwner.get(piece.owner) ?? new Set()).add(letter));
  }
  const letters = [...byOwner].flatMap(([owner, found]) => (found.size === 1 && !found.has("") ? [[owner, [...found][0]!] as const] : []));
  const isClear = letters.length >= 2 && letters.length === byOwner.size && new Set(letters.map(([, letter]) => letter)).size === letters.length;
  return new Map(isClear ? letters : []);
}

export function writtenSymbol(piece: Piece, letters: Map<number, string>): string {
  const letter = piece.owner === null ? undefined : letters.get(piece.owner);
  return letter !== undefined && piece.symbol.startsWith(letter) ? piece.symbol.slice(letter.length) : piece.symbol;
}

/** The drawings that several pieces of an owner share, whose symbols tell them apart. */
export function sharedPictures(board: Board): Set<string> {
  const symbols = new Map<string, string>();
  const shared = new Set<string>();
  for (const { picture, owner, symbol } of board.cells.flatMap((cell) => cell.pieces)) {
    if (!picture) continue;
    const key = `${owner} ${picture}`;
    const known = symbols.get(key);
    if (known !== undefined && known !== symbol) shared.add(picture);
    symbols.set(key, symbol);
  }
  return shared;
}

const GROUNDS: Record<string, string> = {
  forest: "#5d7a4a",
  wood: "#5d7a4a",
  hill: "#a08a5a",
  mountain: "#8a7a6a",
  water: "#4f7f9c",
  sea: "#4f7f9c",
  river: "#4f7f9c",
  road: "#b59b6b",
  city: "#9c5f57",
  town: "#9c5f57",
  swamp: "#6a7a5a",
  desert: "#c2a45e",
  wall: "#5a554e",
  castle: "#86705a",
  fortress: "#a3968a",
  plain: "#d9c892",
  forbidden: "#4a4540",
  rough: "#9c8450",
  jar: "#2f74b5",
  shaded: "color-mix(in srgb, var(--ink) 14%, var(--board))",
  dark: "color-mix(in srgb, var(--ink) 62%, var(--board))",
};

/** A tint for a kind of ground; one that is not known gets a tint of its own, always the same. */
export function groundColour(ground: string): string {
  const known = GROUNDS[ground.toLowerCase()];
  if (known) return known;
  let hash = 7;
  for (const char of ground) hash = (hash * 31 + char.codePointAt(0)!) % 360;
  return `hsl(${hash} 30% 50%)`;
}
