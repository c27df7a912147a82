import { recall, remember } from "./storage";

export type Language = "en" | "ja";
export type Theme = "auto" | "light" | "dark";

const KEY = "settings";
const saved = recall<Partial<{ language: Language; theme: Theme; hasSound: boolean }>>(KEY) ?? {};
const preferred: Language = typeof navigator !== "undefined" && navigator.language.startsWith("ja") ? "ja" : "en";

export const settings = $state({ language: saved.language ?? preferred, theme: saved.theme ?? ("auto" as Theme), hasSound: saved.hasSound ?? false });

export function applySettings(): void {
  document.documentElement.lang = settings.language;
  if (settings.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = settings.theme;
  remember(KEY, { language: settings.language, theme: settings.theme, hasSound: settings.hasSound });
}
