// The on-screen keyboard of phones, which covers the lower part of the page.

/** A visual viewport that is lower by less than this is the browser's own bars. */
const keyboardPixelsMin = 120;

/** Lays the app out in the part of the page that the keyboard leaves, until `signal` ends. Calls `fitted()` after each change. */
export function fitAboveKeyboard(fitted, signal) {
  const viewport = window.visualViewport;
  const { body, documentElement } = document;
  const fit = () => {
    const { height, offsetTop } = viewport;
    const isCovered = innerHeight - height > keyboardPixelsMin;
    body.style.height = isCovered ? `${height}px` : "";
    body.style.transform = isCovered && offsetTop > 0 ? `translateY(${offsetTop}px)` : "";
    documentElement.toggleAttribute("data-keyboard", isCovered);
    fitted();
  };
  viewport?.addEventListener("resize", fit, { signal });
  signal.addEventListener("abort", () => {
    body.style.height = body.style.transform = "";
    documentElement.removeAttribute("data-keyboard");
  });
}
