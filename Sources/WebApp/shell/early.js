// Applies the stored theme before the first paint, so that the page does not flash.
// A classic script on purpose: modules run after parsing.
(() => {
  try {
    const theme = localStorage.getItem("campanile.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be blocked; the system theme is then used.
  }
})();
