// A list of the sharing page: rows that are kept while what they are about stays the same, and a sentence for an empty list.

import { h, setText } from "../kit/dom.js";
import { KeyedChildren } from "../kit/keyed.js";

export class ShareList {
  #rows;
  #kind;

  /**
   * `kind` is how items become rows: `make(item)` makes an element, `sigOf(item)` gives the values on which the element depends, and
   * `set(element, item)` fills in what changes.
   */
  constructor(id, label, { make, sigOf, set = (_element, _item) => {} }) {
    this.list = h("ul", { class: "rows", id, "aria-label": label });
    this.empty = h("p", { class: "muted", id: `${id}-empty` });
    this.#rows = new KeyedChildren(this.list);
    this.#kind = { make, sigOf, set };
  }

  draw(items, emptyText) {
    const { make, sigOf, set } = this.#kind;
    this.#rows.draw(items.map((item) => ({
      key: item.id, sig: JSON.stringify(sigOf(item)), make: () => make(item), set: (element) => set(element, item),
    })));
    setText(this.empty, items.length > 0 ? "" : emptyText);
    this.empty.hidden = items.length > 0 || emptyText === "";
  }
}

/** A card of the page with a heading, elements beside the heading, and content. */
export function sharingPart(id, title, head, ...children) {
  return h("section", { class: "card stack", "aria-labelledby": id },
    h("div", { class: "part-head" }, h("h2", { id }, title), ...head), ...children);
}
