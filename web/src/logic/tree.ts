import type { Branch } from "../api";

/** The place in a tree that the played steps lead to; null if the tree does not go that far. */
export function branchAfter(tree: Branch, played: string[][]): Branch | null {
  let branch: Branch | undefined = tree;
  for (const texts of played) branch = branch?.children.find((child) => child.step.texts.join("~") === texts.join("~"));
  return branch ?? null;
}
