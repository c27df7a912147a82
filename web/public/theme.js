// The theme is set before the first paint, so that a dark page does not flash white.
try {
  const { theme } = JSON.parse(localStorage.getItem("sakiyomi:settings") || "{}");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Nothing is kept here: the system's theme it is.
}
