// A list of elements that changes often: what stays the same stays in place, with its focus and its pictures.

/** `draw(rows)` with rows `{key, sig, make()}`: an element is made anew only when its `sig` differs from the last one. */
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
    let place = this.#parent.firstChild;
    for (const { key, sig, make } of rows) {
      let made = this.#made.get(key);
      if (!made || made.sig !== sig) {
        const element = make();
        if (made) made.element.replaceWith(element);
        if (made && place === made.element) place = element;
        made = { sig, element };
      }
      kept.set(key, made);
      if (made.element === place) place = place.nextSibling;
      else this.#parent.insertBefore(made.element, place);
    }
    for (const [key, { element }] of this.#made) if (!kept.has(key)) element.remove();
    this.#made = kept;
  }
}
