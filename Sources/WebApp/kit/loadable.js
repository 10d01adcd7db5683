// A part of a page that is fetched: it says that it is loading, or what went wrong with a way to try again.

import { h } from "./dom.js";
import { sentence } from "./format.js";
import { icon } from "./icons.js";
import { loading } from "./loading.js";

/**
 * `{element, load(), isLoaded, close()}`: `load` asks `fetch()` and gives the result to `draw(result)`; once drawn, later failures leave what is
 * shown. Without a network it says that it waits: whoever made it loads again when the connection is back.
 */
export function makeLoadable({ net, fetch, draw }) {
  const element = h("div", { class: "loadable" });
  let generation = 0;
  let closed = false;
  const loadable = {
    element,
    isLoaded: false,
    async load() {
      const mine = ++generation;
      if (!loadable.isLoaded) element.replaceChildren(loading(net));
      try {
        const result = await fetch();
        if (closed || mine !== generation) return;
        loadable.isLoaded = true;
        element.replaceChildren();
        draw(result);
      } catch (error) {
        if (closed || mine !== generation || (!loadable.isLoaded && error.isTransient && net.state !== "live")) return;
        element.replaceChildren(h("div", { class: "stack tight" }, h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, sentence(error.message))),
          h("p", {}, h("button", { class: "button", type: "button", onclick: () => loadable.load() }, "Try again"))));
      }
    },
    close() { closed = true; },
  };
  return loadable;
}
