// A list of elements that changes often: unchanged elements stay in place, with their focus and their pictures.

import { refocus } from "./dom.js";

/**
 * `draw(rows)` with rows `{key, sig, make(), set?(element)}`: an element is replaced only when its `sig` differs from the last one. Values
 * that change while somebody may be about to press the element are not in the `sig`: `set` writes them into the element each time.
 */
export class KeyedChildren {
  #parent;
  #made = new Map();

  constructor(parent) {
    this.#parent = parent;
  }

  /** The element of a row that is drawn, or undefined. */
  get(key) {
    return this.#made.get(key)?.element;
  }

  draw(rows) {
    const kept = new Map();
    const wanted = new Set(rows.map(({ key }) => key));
    // First: the remaining elements would be moved past these otherwise, and lose the focus.
    for (const [key, { element }] of this.#made) if (!wanted.has(key)) element.remove();
    let place = this.#parent.firstChild;
    for (const { key, sig, make, set } of rows) {
      let made = this.#made.get(key);
      if (!made || made.sig !== sig) {
        const element = make();
        if (made) made.element.replaceWith(element);
        if (made && place === made.element) place = element;
        made = { sig, element };
      }
      set?.(made.element);
      kept.set(key, made);
      if (made.element === place) place = place.nextSibling;
      else this.#parent.insertBefore(made.element, place);
    }
    this.#made = kept;
  }
}

/**
 * Makes a function `(key, contents)`: it gives `part` the elements of `contents()` when `key` differs from the last one. A button that is
 * replaced between press and release would lose the press. The focus goes to the new element with the same id, or else, when it is lost, to
 * `fallback()`, or to the page's heading.
 */
export function makeKeyedContents(part, fallback = () => /** @type {HTMLElement | null} */ (null)) {
  let shown = null;
  return (key, contents) => {
    if (key === shown) return;
    shown = key;
    const { activeElement } = document;
    const hadFocus = part.contains(activeElement);
    part.replaceChildren(...contents().filter(Boolean));
    if (!hadFocus) return;
    const same = activeElement.id ? document.getElementById(activeElement.id) : null;
    same?.focus({ preventScroll: true });
    refocus(fallback());
  };
}
