// How pieces look, told from their symbols and from the names of the players alone.

import type { Board, Cell } from "../api";

/** A `stone` says nothing but whose it is; a `mark` is drawn by brush; a `token` carries its symbol; a `tile` belongs to nobody. */
export type Shape = "stone" | "mark" | "token" | "tile";

const NAMED: Record<string, string> = {
  white: "white", light: "white", black: "black", dark: "black", red: "red", blue: "blue", green: "green", yellow: "yellow",
};
const BY_SEAT = ["blue", "red", "green", "yellow", "violet", "teal", "black", "white"];

/** The colour of each player: that of its name if all names are colours, else by seat. */
export function seatColours(players: string[]): string[] {
  const named = players.map((name) => NAMED[name.toLowerCase().split(/[ (]/)[0]!]);
  const distinct = new Set(named).size === players.length && named.every((name) => name !== undefined);
  return players.map((_, i) => (distinct ? named[i]! : BY_SEAT[i % BY_SEAT.length]!));
}

/** A board of a few large cells has marks; a symbol that only repeats its owner's name is a stone. */
export function shapeOf(cell: Cell, board: Board, players: string[]): Shape {
  if (cell.owner === null) return "tile";
  if (!standsForOwner(board, players)) return "token";
  const hasMarks = /^[xo]$/i.test(cell.symbol) && board.cells.length <= 25;
  return hasMarks ? "mark" : "stone";
}

/** True if no piece on the board says more than whose it is. */
function standsForOwner(board: Board, players: string[]): boolean {
  return board.cells.every((cell) => {
    if (cell.owner === null || cell.symbol === "") return true;
    const name = (players[cell.owner] ?? "").toLowerCase();
    if (/^[●○⚫⚪]$/.test(cell.symbol)) return true;
    return cell.symbol.length === 1 && (name.startsWith(cell.symbol) || name.includes(`(${cell.symbol})`));
  });
}

/** What is written on a piece: `bp` of black is a `p`, since its colour says the rest. */
export function shownSymbol(cell: Cell, players: string[]): string {
  const name = (players[cell.owner ?? -1] ?? "").toLowerCase();
  return cell.symbol.length === 2 && name.startsWith(cell.symbol[0]!) ? cell.symbol[1]! : cell.symbol;
}

const GROUNDS: Record<string, string> = {
  forest: "#5d7a4a", wood: "#5d7a4a", hill: "#a08a5a", mountain: "#8a7a6a", water: "#4f7f9c", sea: "#4f7f9c", river: "#4f7f9c",
  road: "#b59b6b", city: "#9c5f57", town: "#9c5f57", swamp: "#6a7a5a", desert: "#c2a45e", wall: "#5a554e", castle: "#86705a",
};

/** A tint for a kind of ground; one that is not known gets a tint of its own, always the same. */
export function groundColour(ground: string): string {
  const known = GROUNDS[ground.toLowerCase()];
  if (known) return known;
  let hash = 7;
  for (const char of ground) hash = (hash * 31 + char.codePointAt(0)!) % 360;
  return `hsl(${hash} 30% 50%)`;
}
