// Parts of a page that are fetched: the request, how old the answer is, and the message when it fails.

import { keptAt } from "../connection/keptage.js";
import { emptyState, h } from "./dom.js";
import { sentence } from "./format.js";
import { icon } from "./icons.js";
import { Loader } from "./loader.js";
import { loading, makeKeptNote } from "./loading.js";

/**
 * `{element, load(), isLoaded, close()}`: `load` asks `fetch()` and gives the result to `draw(result)`; once drawn, later failures leave
 * the result on the page. `fetch` reads with `net.read()`: a reply that this device kept is drawn with its age, and loaded again when the
 * connection is back. Without one it says that the device has none.
 */
export function makeLoadable({ net, fetch, draw }) {
  const element = h("div", { class: "loadable" });
  const note = makeKeptNote(null);
  /** Whether the connection will bring something better than what is shown. */
  let isWanting = false;
  /** Whether the connection came back during a request, which may have failed for the lack of it. */
  let isMissed = false;
  const loader = new Loader({
    fetch,
    loading: () => { if (!loader.hasLoaded) element.replaceChildren(loading(net)); },
    loaded: (result) => {
      const at = keptAt(result);
      isWanting = at !== null;
      if (isWanting && isMissed) return loadAgain();
      isMissed = false;
      note.draw(at);
      element.replaceChildren(...(at === null ? [] : [note.element]));
      return draw(result);
    },
    failed: (error) => {
      if (error.isTransient && isMissed) return loadAgain();
      isWanting = isOnlyOffline(error, net);
      if (loader.hasLoaded || !isWanting) element.replaceChildren(loadFailure(error, () => loader.load()));
      return undefined;
    },
  });
  const loadAgain = () => {
    isMissed = false;
    setTimeout(() => loader.load());
  };
  const stopFollowing = whenLive(net, () => {
    isMissed = loader.isLoading;
    if (isWanting && !isMissed) loader.load();
  });
  const close = () => {
    stopFollowing();
    loader.close();
  };
  return { element, load: () => loader.load(), get isLoaded() { return loader.hasLoaded; }, close };
}

/** Calls `body` each time when the connection is back, after the page's own listeners. Returns how to end that. */
export function whenLive(net, body) {
  const follow = () => { if (net.state === "live") setTimeout(body); };
  net.addEventListener("state", follow);
  return () => net.removeEventListener("state", follow);
}

/** Whether a failure is only that there is no connection: the page waits for that, and the line of `loading()` says so. */
export function isOnlyOffline(error, net) {
  return Boolean(error.isTransient) && net.state !== "live";
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
