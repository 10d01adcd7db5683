// The stored theme on pages that the server writes itself (ErrorPage.swift), as `shell/early.js` sets it on the app's document: those pages
// load nothing of the app. A release has this file under the same name.
try {
  const theme = localStorage.getItem("campanile.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be blocked; the system theme is then used.
}
