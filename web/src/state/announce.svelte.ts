/** What a screen reader is told. */
export const spoken = $state({ text: "" });

export function announce(text: string): void {
  spoken.text = text;
}
