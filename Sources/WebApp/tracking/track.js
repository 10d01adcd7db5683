// Track: start a session, watch it while it runs, pause, resume, stop, share.

import { announce, h, refocus } from "../kit/dom.js";
import { activityNames } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { IdleTrack } from "./idle.js";
import { RunningTrack } from "./running.js";

/** A session that the server saves later than this brings its finish page no more; a note leads there. */
const finishMilliseconds = 10_000;

/** Shows `/track`. */
export function show(root, _params, app) {
  if (!app.net.account) return showLogin(root, app);
  const page = new TrackPage(app);
  root.append(page.element);
  return () => page.close();
}

/** The page of a guest: it becomes the account's after a login. */
function showLogin(root, { net, router, config }) {
  root.append(h("div", { class: "page narrow" }, h("div", { class: "card stack", id: "track-login" },
    h("h1", { tabindex: "-1" }, "Track a run"),
    h("p", { class: "muted" }, "Log in to save sessions to your history. You choose who sees them."),
    h("a", { class: "button primary big", href: "/login?next=/track" }, "Log in"),
    config?.registration === "closed" ? null : h("a", { class: "button big", href: "/register?next=/track" }, "Register"))));
  const enter = () => { if (net.account) router.go("/track", { replace: true }); };
  net.addEventListener("account", enter);
  return () => net.removeEventListener("account", enter);
}

/** The page of an account: with a session or without. */
class TrackPage {
  element = h("div", { class: "page stack", id: "track-page" });

  #app; #tracker; #router;
  #ending = new AbortController();
  #ticker = setInterval(() => this.#parts?.update(), 1000);
  /** The session that `#parts` shows, and whether this tab records it. */
  #shown = null;
  #parts = null;
  /** The session that was stopped here a moment ago: its finish page comes as soon as the server has it. */
  #finishing = null;

  constructor(app) {
    const { net, tracker, router } = app;
    this.#app = app;
    this.#tracker = tracker;
    this.#router = router;
    const { signal } = this.#ending;
    tracker.addEventListener("change", () => this.#draw(), { signal });
    tracker.addEventListener("saved", ({ detail }) => { if (detail) this.#saved(detail); }, { signal });
    net.addEventListener("state", () => this.#draw(), { signal });
    net.addEventListener("account", () => { if (!net.account) router.go("/track", { replace: true }); }, { signal });
    tracker.ready.then(() => { if (!signal.aborted) this.#draw(); });
  }

  close() {
    this.#ending.abort();
    clearInterval(this.#ticker);
    this.#parts?.destroy();
  }

  #draw() {
    const { record, isOwner } = this.#tracker;
    const key = record ? `${record.clientId} ${isOwner}` : "none";
    if (key === this.#shown) return this.#parts.update();
    const before = this.#shown;
    this.#shown = key;
    this.#parts?.destroy();
    this.#parts = record
      ? new RunningTrack(this.element, this.#app, (clientId) => this.#finish(clientId))
      : new IdleTrack(this.element, this.#app);
    this.#parts.update();
    // Start, which had the focus, is gone.
    if (before !== null) refocus();
    if (record && before === "none") announce(`Recording your ${activityNames[record.activity].toLowerCase()}.`);
    return undefined;
  }

  #finish(clientId) {
    this.#finishing = clientId;
    setTimeout(() => { this.#finishing = null; }, finishMilliseconds);
  }

  /** The server has saved a session. */
  #saved({ id, clientId }) {
    if (!this.#tracker.record && clientId === this.#finishing) {
      this.#router.go(`/history/${id}?finished`, { replace: true });
      return;
    }
    this.element.querySelector("#saved-note")?.remove();
    this.element.prepend(h("div", { class: "notice good", id: "saved-note" }, icon("finished"),
      h("p", { class: "grow" }, "Session successfully saved"), h("a", { class: "button", href: `/history/${id}` }, "View session")));
  }
}
