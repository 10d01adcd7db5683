// Reports, for admins: a list of the open and the closed ones.

import { emptyState, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { consolePage } from "./frame.js";
import { loading } from "../kit/loading.js";
import { reportRow } from "./reportrow.js";

const pageSize = 20;

/** Serves `/reports`. */
export function show(root, _params, app) {
  const frame = consolePage(root, app, { part: "reports", title: "Reports" });
  if (!frame || frame.isRefused) return frame?.close;
  const page = new ReportsPage(app, frame);
  page.start();
  return () => page.close();
}

class ReportsPage {
  #net;
  #chat;
  #frame;
  #scope;
  /** Whether the closed reports are shown, not the open ones. */
  #isClosedShown = false;
  #next = null;
  #generation = 0;
  #ended = new AbortController();
  #list = h("ul", { class: "stack", id: "reports" });
  #problem = h("p", { class: "problem", role: "alert" });
  #status = h("div", {});
  #openCount = h("span", { class: "number" });
  #more = h("button", { class: "button wide", type: "button", hidden: true, onclick: () => this.#load(this.#next) }, "Show more");
  #tabs = h("div", { class: "row", role: "group", "aria-label": "Which reports" }, this.#tab(false, "Open", this.#openCount),
    this.#tab(true, "Closed"));

  constructor({ net, chat, pictures }, frame) {
    this.#net = net;
    this.#chat = chat;
    this.#frame = frame;
    this.#scope = pictures.scope();
    frame.page.append(this.#tabs, this.#problem, this.#list, this.#status, this.#more);
  }

  start() {
    this.#chat.addEventListener("report", () => {
      if (!this.#isClosedShown && !this.#list.contains(document.activeElement)) this.#load();
    }, { signal: this.#ended.signal });
    this.#load();
  }

  close() {
    this.#frame.close();
    this.#ended.abort();
    this.#scope.close();
  }

  #tab(closed, ...content) {
    return h("button", { class: "chip-button", type: "button", "aria-pressed": String(closed === this.#isClosedShown), dataset: { closed },
      onclick: () => this.#choose(closed) }, ...content);
  }

  #choose(closed) {
    this.#isClosedShown = closed;
    for (const button of this.#tabs.children) button.setAttribute("aria-pressed", String(button.dataset.closed === String(closed)));
    this.#load();
  }

  async #load(before = null) {
    const mine = ++this.#generation;
    this.#problem.textContent = "";
    if (!before) this.#status.replaceChildren(loading(this.#net));
    try {
      const params = { closed: this.#isClosedShown, limit: pageSize, ...(before && { before }) };
      const page = await this.#net.request("reports.list", params);
      if (mine === this.#generation) this.#show(page, { isMore: before !== null });
    } catch (error) {
      if (mine !== this.#generation) return;
      this.#status.replaceChildren();
      this.#problem.textContent = error.message;
    }
  }

  #show({ reports, open, next = null }, { isMore }) {
    const rows = reports.map((report) => reportRow(report, { net: this.#net, scope: this.#scope, closed: () => this.#load() }));
    if (!isMore) this.#list.replaceChildren();
    this.#list.append(...rows);
    setText(this.#openCount, open > 0 ? ` ${open}` : "");
    this.#next = next;
    this.#more.hidden = next === null;
    this.#status.replaceChildren(this.#list.children.length > 0 ? "" : emptyState({
      id: "reports-empty", iconElement: icon("flag"), title: this.#isClosedShown ? "No closed reports" : "No open reports",
      text: "Reports appear here with the messages or event they're about.",
    }));
  }
}
