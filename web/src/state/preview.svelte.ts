/** Moves that somebody points at in a list, as the cells that they are about: the board shows them. */
export const preview = $state<{ moves: number[][] }>({ moves: [] });

export function showPreview(moves: number[][]): void {
  preview.moves = moves.filter((cells) => cells.length > 0);
}

export function clearPreview(): void {
  preview.moves = [];
}
