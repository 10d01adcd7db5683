// History (U-5): this month's goal, sessions that are not uploaded yet, and finished ones, newest first.

import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { announce, h, keepFocus } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { makeGoalCard } from "./goalcard.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { waitingText } from "../kit/saved.js";
import { noSessions, sessionRow, waitingRow } from "./rows.js";

const pageSize = 20;
/** The most that one request may ask for. */
const pageSizeMax = 100;

/** Shows `/history`. */
export function show(root, _params, { net, events, router, tracker }) {
  if (!net.account) {
    router.go("/login?next=/history", { replace: true });
    return undefined;
  }
  const page = new HistoryPage({ net, events, tracker });
  root.append(page.element);
  return () => page.close();
}

/** The page of the history. */
class HistoryPage {
  element;

  #net; #tracker; #goal;
  #ending = new AbortController();
  /** Number of the last request: only its answer is shown. */
  #generation = 0;
  #isLoaded = false;
  #wasLive;
  /** Where the next page begins, as the server gave it. */
  #next;
  /** The sessions shown, by their ids, newest first. */
  #sessions = new Map();

  #deletions = h("p", { class: "muted small waiting-words", id: "history-deletions", role: "status" });
  #waiting = h("ul", { class: "history-list", id: "history-waiting", "aria-label": "Not uploaded yet" });
  #waitingRows = new KeyedChildren(this.#waiting);
  #list = h("ul", { class: "history-list", id: "history-list" });
  #rows = new KeyedChildren(this.#list);
  #empty = h("div", {});
  #problem = h("p", { class: "problem", role: "alert" });
  #wait;
  #kept = makeKeptNote("history-kept");
  #more = h("button", {
    class: "button wide", type: "button", id: "load-more", hidden: true, onclick: () => this.#load({ isMore: true }),
  }, "Show more");
  #retry = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#load() }, "Try again");

  constructor({ net, events, tracker }) {
    this.#net = net;
    this.#tracker = tracker;
    this.#goal = makeGoalCard({ net, events });
    this.#wait = loading(net, { id: "history-loading" });
    this.element = h("div", { class: "page stack" }, h("h1", { tabindex: "-1" }, "History"), this.#kept.element,
      this.#goal.element, this.#wait, this.#deletions, this.#waiting, this.#list, this.#empty, this.#problem, this.#retry, this.#more);
    this.#wasLive = net.state === "live";
    const { signal } = this.#ending;
    tracker.addEventListener("history", () => this.#changed(), { signal });
    net.addEventListener("state", () => this.#stateChanged(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && net.state === "live") this.#changed();
    }, { signal });
    followWaiting(net.writes, ({ method }) => method.startsWith("tracking."), () => this.#changed(), signal);
    tracker.ready.then(() => this.#drawWaiting());
    this.#drawDeletions();
    this.#load();
  }

  close() {
    this.#generation += 1;
    this.#ending.abort();
    this.#goal.close();
  }

  /** Loads the next page, or everything shown again. */
  async #load({ isMore = false } = {}) {
    const mine = ++this.#generation;
    this.#problem.textContent = "";
    this.#retry.hidden = true;
    this.#more.disabled = true;
    try {
      const limit = isMore ? pageSize : Math.min(pageSizeMax, Math.max(pageSize, this.#list.children.length));
      const reply = await this.#net.read("tracking.history", isMore ? { limit: pageSize, before: this.#next } : { limit });
      if (mine !== this.#generation) return;
      this.#take(reply, { isMore });
      this.#kept.draw(keptAt(reply));
    } catch (error) {
      if (mine !== this.#generation) return;
      if (isOnlyOffline(error, this.#net) && !isMore) return;
      this.#problem.textContent = error.message;
      this.#retry.hidden = false;
    } finally {
      if (mine === this.#generation) {
        this.#wait.hidden = this.#isLoaded || !this.#problem.matches(":empty");
        this.#more.disabled = false;
      }
    }
  }

  #take({ sessions, next }, { isMore }) {
    this.#sessions = new Map([...(isMore ? this.#sessions : []), ...sessions.map((session) => [session.id, session])]);
    this.#drawSessions();
    if (isMore) {
      announce(`${count(sessions.length, "more session")}.`);
      this.#rows.get(sessions[0]?.id)?.querySelector("a").focus();
    }
    this.#next = next;
    this.#more.hidden = next === undefined || next === null;
    this.#isLoaded = true;
    this.#drawWaiting();
  }

  /** A row that has the focus keeps it. */
  #drawSessions() {
    const focused = Number(document.activeElement?.getAttribute("data-session"));
    const isWaiting = ({ id }) => this.#net.writes.find("tracking.rename", id) !== null;
    const rows = [...this.#sessions.values()].map((session) => ({
      key: session.id, sig: JSON.stringify([session, isWaiting(session)]),
      make: () => sessionRow(session, { isWaiting: isWaiting(session) }),
    }));
    keepFocus(this.#list, () => this.#rows.draw(rows), () => this.#rows.get(focused)?.querySelector("a"));
  }

  #drawDeletions() {
    const deletions = this.#net.writes.waiting.filter(({ method }) => method === "tracking.delete").length;
    this.#deletions.hidden = deletions === 0;
    this.#deletions.replaceChildren(icon("bin"), `${count(deletions, "deleted session")}: ${waitingText.toLowerCase()}`);
  }

  #drawWaiting() {
    const uploaded = new Set([...this.#sessions.values()].map(({ clientId }) => clientId));
    // Another tab may have uploaded what this one read from the device before.
    this.#waitingRows.draw(this.#tracker.waitingSessions.filter(({ clientId }) => !uploaded.has(clientId))
      .map((session) => ({ key: session.clientId, sig: JSON.stringify(session), make: () => waitingRow(session) })));
    const isEmpty = this.#isLoaded && this.#list.children.length === 0 && this.#waiting.children.length === 0;
    if (isEmpty === (this.#empty.firstChild !== null)) return;
    keepFocus(this.#empty, () => this.#empty.replaceChildren(...(isEmpty ? [noSessions()] : [])));
  }

  /** Uploads of this device show immediately, those of others when this one loads again. */
  #changed() {
    this.#drawWaiting();
    this.#drawDeletions();
    this.#load();
    this.#goal.load();
  }

  #stateChanged() {
    const isLive = this.#net.state === "live";
    if (isLive && !this.#wasLive) this.#changed();
    this.#wasLive = isLive;
  }
}
