// A part of a page that is fetched: it says that it is loading, or what went wrong with a way to try again.

import { h } from "../dom.js";
import { sentence } from "../format.js";
import { icon } from "../icons.js";

/** `{element, load(), isLoaded, close()}`: `load` asks `fetch()` and gives the result to `draw(result)`; once drawn, later failures leave what is shown. */
export function makeLoadable({ fetch, draw, what }) {
  const element = h("div", { class: "loadable" });
  let generation = 0;
  let closed = false;
  const loadable = {
    element,
    isLoaded: false,
    async load() {
      const mine = ++generation;
      if (!loadable.isLoaded) element.replaceChildren(h("p", { class: "muted", role: "status" }, `Loading ${what}…`));
      try {
        const result = await fetch();
        if (closed || mine !== generation) return;
        loadable.isLoaded = true;
        element.replaceChildren();
        draw(result);
      } catch (error) {
        if (closed || mine !== generation) return;
        element.replaceChildren(h("div", { class: "stack tight" }, h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, sentence(error.message))),
          h("p", {}, h("button", { class: "button", type: "button", onclick: () => loadable.load() }, "Try again"))));
      }
    },
    close() { closed = true; },
  };
  return loadable;
}
