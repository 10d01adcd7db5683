// Parts of a page that are fetched: the request, and the message when it fails.

import { emptyState, h } from "./dom.js";
import { sentence } from "./format.js";
import { icon } from "./icons.js";
import { Loader } from "./loader.js";
import { loading } from "./loading.js";

/**
 * `{element, load(), isLoaded, close()}`: `load` asks `fetch()` and gives the result to `draw(result)`; once drawn, later failures leave
 * the result on the page. Without a network it says that it waits: its page loads again when the connection is back.
 */
export function makeLoadable({ net, fetch, draw }) {
  const element = h("div", { class: "loadable" });
  const loader = new Loader({
    fetch,
    loading: () => { if (!loader.hasLoaded) element.replaceChildren(loading(net)); },
    loaded: (result) => {
      element.replaceChildren();
      draw(result);
    },
    failed: (error) => {
      if (!loader.hasLoaded && error.isTransient && net.state !== "live") return;
      element.replaceChildren(loadFailure(error, () => loader.load()));
    },
  });
  return { element, load: () => loader.load(), get isLoaded() { return loader.hasLoaded; }, close: () => loader.close() };
}

/** A failure inside a card: its message and a button that calls `again()`. */
function loadFailure(error, again) {
  return h("div", { class: "stack tight" },
    h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, sentence(error.message))),
    h("p", {}, tryAgain(again)));
}

/** A failure in the place of a page or a list: a title, the message and a button that calls `again()`. */
export function loadProblem({ id, title, text, again }) {
  return emptyState({ id, iconElement: icon("offline"), title, text, action: tryAgain(again) });
}

function tryAgain(again) {
  return h("button", { class: "button", type: "button", onclick: () => again() }, "Try again");
}
