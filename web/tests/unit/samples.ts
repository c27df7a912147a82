// Small pieces of views for tests.

import type { Cell, LegalAction, Piece, PlayerFace } from "../../src/api";

export const piece = (symbol: string, owner: number | null): Piece => ({
  symbol,
  owner,
  shape: "token",
  gauge: null,
  badge: null,
  picture: null,
  reach: { moves: [], strikes: [] },
  has_acted: false,
  facts: [],
});

export const emptyCell = (): Cell => ({ pieces: [], ground: null, owners: [], amount: null, is_hole: false });

export const pieceCell = (symbol: string, owner: number | null): Cell => ({ ...emptyCell(), pieces: [piece(symbol, owner)] });

export const faces = (...names: string[]): PlayerFace[] => names.map((name) => ({ name, colour: null }));

export const action = (text: string, ...cells: number[]): LegalAction => ({
  text,
  cells,
  area: [],
  card: null,
  kind: null,
  effects: [],
  ends_turn: false,
});
