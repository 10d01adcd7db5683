// A list of elements that changes often: what stays the same stays in place, with its focus and its pictures.

/**
 * `draw(rows)` with rows `{key, sig, make(), set?(element)}`: an element is made anew only when its `sig` differs from the last one. What
 * changes while somebody may be about to press it is not in the `sig`: `set` writes it into the element each time.
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
    // First: what stays would be moved past it otherwise, and lose the focus by that.
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
