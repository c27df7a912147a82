import { flushSync, tick } from "svelte";

/** Whether the report of a match stands on the page in place of the match. */
export const printing = $state({ is: false });

/** The report is made before the browser asks for it: while it prints, nothing new can be put on the page. */
export async function printReport(): Promise<void> {
  printing.is = true;
  await tick();
  print();
}

/** The browser's own menu prints. Where the report cannot be made in time, the match is printed as it is. */
export function beforePrint(): void {
  if (printing.is) return;
  try {
    flushSync(() => (printing.is = true));
  } catch {
    printing.is = false;
  }
}
