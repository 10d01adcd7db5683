// Notices that the account sent, and for admins those of all senders, with their state, newest first.

import { emptyState, h } from "../kit/dom.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { loading } from "../kit/loading.js";
import { requireSignIn } from "../kit/signedin.js";
import { maySend } from "./list.js";
import { audienceText, levelTag } from "./row.js";
import { stateNames } from "./words.js";

const pageSize = 20;
const stateLooks = { scheduled: ["warn", "clock"], published: ["good", "tick"], withdrawn: ["bad", "close"], expired: ["", "clock"] };

/** The state as a tag. */
export function stateTag(state) {
  const [tone, name] = stateLooks[state] ?? ["", "question"];
  return h("span", { class: `event-tag ${tone}`, dataset: { state } }, icon(name), stateNames[state] ?? state);
}

/** Serves `/notices/sent`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/notices/sent")) return undefined;
  const page = new SentListPage(root, app);
  return () => page.close();
}

class SentListPage {
  #app;
  #isClosed = false;
  /** The `before` of the next older page; null when there is none. */
  #next = null;
  #list = h("ul", { class: "notice-rows", id: "sent-notices" });
  #status = h("div", { class: "event-status" });
  #more = h("button", { class: "button wide", type: "button", hidden: true, onclick: () => this.#load(this.#next) }, "Show older");

  constructor(root, app) {
    this.#app = app;
    root.append(h("div", { class: "page stack notices-page" }, h("p", {}, h("a", { href: "/notices", class: "back" }, "← Notices")),
      h("header", { class: "notices-head" }, h("h1", { tabindex: "-1" }, "Sent notices"), maySend(app.net.account) ? newLink() : null),
      this.#list, this.#status, this.#more));
    this.#load();
  }

  close() {
    this.#isClosed = true;
  }

  async #load(before = null) {
    const { net } = this.#app;
    this.#more.disabled = true;
    if (this.#list.children.length === 0) this.#status.replaceChildren(loading(net));
    try {
      const reply = await net.request("notices.sent", { limit: pageSize, ...(before && { before }) });
      if (this.#isClosed) return;
      this.#list.append(...reply.notices.map((sent) => this.#row(sent)));
      this.#next = reply.next ?? null;
      this.#more.hidden = this.#next === null;
      this.#status.replaceChildren(this.#list.children.length > 0 ? "" : nothingSent());
    } catch (error) {
      if (this.#isClosed) return;
      this.#status.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message),
        h("button", { class: "button", type: "button", onclick: () => this.#load(before) }, "Try again"));
    }
    this.#more.disabled = false;
  }

  #row(sent) {
    const { notice, state, publishAt } = sent;
    const mark = notice.revision > 1 && state !== "withdrawn" ? h("span", { class: "notice-mark" }, "Corrected") : null;
    return h("li", { class: "notice-row sent-row", dataset: { sent: notice.number, level: notice.level } },
      h("a", { class: "sent-link", href: `/notices/sent/${notice.number}` },
        h("span", { class: "notice-top" }, levelTag(notice.level), stateTag(state), mark),
        h("strong", { class: "notice-title" }, notice.title),
        h("span", { class: "notice-facts muted small" }, h("span", { class: "number" }, momentText(publishAt)),
          this.#sender(notice.from), this.#audience(sent.audience), figures(sent))));
  }

  /** The sender, unless it is the account itself. */
  #sender(from) {
    const { net, known } = this.#app;
    return from?.username && from.username !== net.account?.username ? h("span", {}, `By ${known.nameOf(from.username)}`) : null;
  }

  #audience(audience) {
    const element = h("span", {});
    const draw = () => element.replaceChildren(`To: ${audienceText(audience, this.#app, { isMine: false, known: draw }).text}`);
    draw();
    return element;
  }
}

function figures({ state, recipients, received, read }) {
  if (state === "scheduled" || received === undefined) return null;
  const [all, some, readers] = [recipients, received, read].map((number) => number.toLocaleString("en"));
  return h("span", { class: "number" }, `About ${some} of ${all} received it, ${readers} read it`);
}

function newLink() {
  return h("a", { class: "button primary small-button", href: "/notices/new", id: "new-notice" }, icon("plus"), "New notice");
}

function nothingSent() {
  return emptyState({
    id: "sent-empty", iconElement: icon("send"), title: "Nothing sent yet",
    text: "Notices you send appear here. For large audiences you see about how many people received and read them.",
  });
}
