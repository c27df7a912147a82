// Choosing an action by clicking cells: every action has the cells that are clicked for it, in order. The last of them
// may be any cell of the action's area.

import type { LegalAction } from "../api";

/** What a click leads to: a longer selection, or an action, or several actions to choose from. */
export type Clicked = { selection: number[]; offers: LegalAction[]; play: LegalAction | null };

export const NOTHING: Clicked = { selection: [], offers: [], play: null };

export function click(actions: LegalAction[], selection: number[], cell: number): Clicked {
  const longer = [...selection, cell];
  if (fits(actions, longer)) return chosen(actions, longer);
  // Clicking what is selected lets go of it; clicking elsewhere starts again.
  if (selection.at(-1) === cell || !fits(actions, [cell])) return NOTHING;
  return chosen(actions, [cell]);
}

/** The cells that are marked as the next to click. */
export function targets(actions: LegalAction[], selection: number[]): Set<number> {
  return new Set(following(actions, selection).map((action) => action.cells[selection.length]!));
}

/** All cells that may be clicked next. */
export function clickable(actions: LegalAction[], selection: number[]): Set<number> {
  const areas = following(actions, selection).filter((action) => action.cells.length === selection.length + 1);
  return new Set([...targets(actions, selection), ...areas.flatMap((action) => action.area)]);
}

/** The actions that a selection may still become by clicking more cells. */
export function following(actions: LegalAction[], selection: number[]): LegalAction[] {
  return actions.filter((action) => action.cells.length > selection.length && startsWith(action, selection));
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
  return actions.filter((action) => action.cells.length === selection.length && startsWith(action, selection));
}

function fits(actions: LegalAction[], selection: number[]): boolean {
  return actions.some((action) => startsWith(action, selection));
}

function startsWith({ cells, area }: LegalAction, beginning: number[]): boolean {
  const isSame = (cell: number, i: number) => cells[i] === cell || (i === cells.length - 1 && area.includes(cell));
  return beginning.length <= cells.length && beginning.every(isSame);
}
