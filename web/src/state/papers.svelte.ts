import type { PaperEntry } from "../api";
import { api } from "./client.svelte";

/** The papers that are repeated; loaded once. Without them everything is shown by topic. */
export const papers = $state<{ list: PaperEntry[]; isLoaded: boolean }>({ list: [], isLoaded: false });

export async function loadPapers(): Promise<void> {
  if (papers.isLoaded) return;
  try {
    papers.list = await api.papers();
  } finally {
    papers.isLoaded = true;
  }
}
