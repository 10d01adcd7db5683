// The focus of a page that is shown.

/**
 * Focuses the heading of the page in `main`, where readers begin. Until a page has drawn its heading, `main` has the focus. Returns a
 * function that ends the wait for it.
 */
export function focusHeading(main) {
  const heading = main.querySelector("h1");
  (heading ?? main).focus({ preventScroll: true });
  if (heading) return () => {};
  const observer = new MutationObserver(() => {
    const drawn = main.querySelector("h1");
    if (!drawn) return;
    observer.disconnect();
    if ([main, document.body].includes(document.activeElement)) drawn.focus({ preventScroll: true });
  });
  observer.observe(main, { childList: true, subtree: true });
  return () => observer.disconnect();
}
