// The question mark in the app's bar: it opens the help for the page that is shown.

import { icon } from "../kit/icons.js";

/**
 * Makes `link`, which leads to all topics, a button that opens the panel. It stays a link for a new tab, and when the panel cannot be
 * loaded.
 */
export function startHelpButton(link, { net, router, frame, tutorial }) {
  link.replaceChildren(icon("question"));
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", async (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    let loadPanel;
    try {
      ({ loadPanel } = await import("./panel.js"));
    } catch {
      router.go("/help");
      return;
    }
    const openPanel = await loadPanel();
    if (!document.querySelector("dialog[open]")) openPanel({ net, router, tutorial, page: frame.page?.name ?? null });
  });
}
