// Orders for several pieces: a string of commands for each, put together as the server says.

import type { OrderForm } from "../api";

/** What of a typed text are commands, up to the most that a piece may have. */
export function commandsIn(form: OrderForm, text: string): string[] {
  const letters = [...text].map((letter) => form.commands.find((command) => command.letter.toLowerCase() === letter.toLowerCase())?.letter);
  return letters.filter((letter) => letter !== undefined).slice(0, form.max_commands);
}

/** The action of these strings, one for each piece. */
export function joined(form: OrderForm, plans: string[]): string {
  return form.pieces.map((_, i) => plans[i] || form.no_commands).join(form.separator);
}

/** A string as it is shown. */
export function signs(form: OrderForm, plan: string): string {
  return [...plan].map((letter) => form.commands.find((command) => command.letter === letter)?.sign ?? letter).join(" ");
}
