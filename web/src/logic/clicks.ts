// Choosing an action by clicking cells: every action has the cells that are clicked for it, in order.

import type { LegalAction } from "../api";

/** What a click leads to: a longer selection, or an action, or several actions to choose from. */
export type Clicked = { selection: number[]; offers: LegalAction[]; play: LegalAction | null };

export const NOTHING: Clicked = { selection: [], offers: [], play: null };

export function click(actions: LegalAction[], selection: number[], cell: number): Clicked {
  const longer = [...selection, cell];
  if (fits(actions, longer)) return chosen(actions, longer);
  // Clicking what is selected lets go of it; clicking elsewhere starts anew.
  if (selection.at(-1) === cell || !fits(actions, [cell])) return NOTHING;
  return chosen(actions, [cell]);
}

/** The cells that may be clicked next. */
export function targets(actions: LegalAction[], selection: number[]): Set<number> {
  return new Set(following(actions, selection).map((action) => action.cells[selection.length]!));
}

/** The actions that a selection may still become by clicking more cells. */
export function following(actions: LegalAction[], selection: number[]): LegalAction[] {
  return actions.filter((action) => action.cells.length > selection.length && startsWith(action.cells, selection));
}

/** What clicking this cell next would do, if that is one action. */
export function actionAt(actions: LegalAction[], selection: number[], cell: number): LegalAction | null {
  const exact = complete(actions, [...selection, cell]);
  return exact.length === 1 ? exact[0]! : null;
}

function chosen(actions: LegalAction[], selection: number[]): Clicked {
  const exact = complete(actions, selection);
  const goesOn = following(actions, selection).length > 0;
  if (exact.length === 1 && !goesOn) return { selection: [], offers: [], play: exact[0]! };
  return { selection, offers: exact, play: null };
}

function complete(actions: LegalAction[], selection: number[]): LegalAction[] {
  return actions.filter((action) => action.cells.length === selection.length && startsWith(action.cells, selection));
}

function fits(actions: LegalAction[], selection: number[]): boolean {
  return actions.some((action) => startsWith(action.cells, selection));
}

function startsWith(cells: number[], beginning: number[]): boolean {
  return beginning.length <= cells.length && beginning.every((cell, i) => cells[i] === cell);
}

/**
 * A word for what a second click on the selected cell opens, such as the `fire` of `b2 fire c4`: the words
 * that all of those actions share, without the names of cells.
 */
export function sharedWords(actions: LegalAction[], cellNames: Set<string>): string {
  const [first, ...others] = actions.map((action) => action.text.replace(/[()]/g, "").split(" "));
  const shared = (first ?? []).filter((word) => others.every((words) => words.includes(word)));
  return shared.filter((word) => !cellNames.has(word) && !/^-?\d+$/.test(word)).join(" ");
}
