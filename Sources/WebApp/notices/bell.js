// The bell in the app's bar: a link to the notices, with the number of unread ones.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

const countMax = 99;

/** The bell in `link`. */
export class Bell {
  #link;
  #mark = h("span", { class: "tab-count number", id: "notices-total", "aria-hidden": "true", hidden: true });

  constructor(link) {
    this.#link = link;
    link.replaceChildren(icon("bell"), this.#mark);
  }

  draw(unread) {
    this.#mark.hidden = unread === 0;
    this.#mark.textContent = unread > countMax ? `${countMax}+` : String(unread);
    this.#link.setAttribute("aria-label", unread === 0 ? "Notices, none unread" : `Notices, ${unread.toLocaleString("en")} unread`);
    if (location.pathname === "/notices") this.#link.setAttribute("aria-current", "page");
    else this.#link.removeAttribute("aria-current");
  }
}
