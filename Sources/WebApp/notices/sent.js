// One notice that was sent: its state and figures, its correction and its withdrawal.

import { confirmThen } from "../kit/dialog.js";
import { h, setText } from "../kit/dom.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { NoticeFigures } from "./figures.js";
import { noticeRow } from "./row.js";
import { stateTag } from "./sentlist.js";

/** Figures are requested at this interval while the page is visible. */
const refreshMilliseconds = 3_000;

/** Serves `/notices/sent/:id`. */
export function show(root, { id }, app) {
  if (!requireSignIn(app, `/notices/sent/${id}`)) return undefined;
  const page = new SentNoticePage(root, Number(id), app);
  return () => page.close();
}

class SentNoticePage {
  #app;
  #number;
  #end = new AbortController();
  #timer = 0;
  /** Status of the notice as of `notices.status`, or null before the first answer. */
  #sent = null;
  /** Everything but the figures, as it was drawn last. */
  #drawn = "";

  #heading = h("h1", { tabindex: "-1" }, "Notice");
  #badges = h("div", { class: "event-badges" });
  #look = h("div", {});
  #when = h("p", { class: "muted", id: "sent-when" });
  #figures = new NoticeFigures();
  #manage = h("div", { class: "manage-buttons" });
  #status;
  #content = h("div", { class: "stack", hidden: true }, this.#badges, this.#look, this.#when, this.#figures.element, this.#manage);

  constructor(root, number, app) {
    const { net } = app;
    const { signal } = this.#end;
    this.#app = app;
    this.#number = number;
    this.#status = h("div", {}, loading(net));
    root.append(h("div", { class: "page stack notices-page" },
      h("p", {}, h("a", { href: "/notices/sent", class: "back" }, "← Sent notices")), this.#heading, this.#status, this.#content));
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.#load(); }, { signal });
    net.addEventListener("state", () => this.#load(), { signal });
    leaveWhenSignedOut(app, signal);
    this.#load();
  }

  close() {
    this.#end.abort();
    clearTimeout(this.#timer);
  }

  get #isClosed() {
    return this.#end.signal.aborted;
  }

  // MARK: loading

  /** Requests the status, if the page is visible and connected, and again after a while. A failure without a status ends that. */
  async #load() {
    const { net } = this.#app;
    clearTimeout(this.#timer);
    if (document.visibilityState === "visible" && net.state === "live") {
      try {
        const found = await net.request("notices.status", { notice: this.#number });
        if (this.#isClosed) return;
        this.#sent = found;
        this.#draw();
      } catch (error) {
        if (this.#isClosed) return;
        if (!this.#sent) {
          this.#fail(error);
          return;
        }
        this.#figures.drawOffline();
      }
    }
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#load(), refreshMilliseconds);
  }

  #fail(error) {
    const isMissing = error.isNotFound || error.isInvalid;
    const wayOn = isMissing
      ? h("a", { class: "button", href: "/notices/sent" }, "See sent notices")
      : h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again");
    this.#status.replaceChildren(
      h("p", { class: "notice bad", role: "alert" }, icon("warning"),
        h("span", {}, isMissing ? "You have no such notice." : error.message)),
      h("p", { class: "event-retry" }, wayOn));
  }

  // MARK: drawing

  #draw() {
    const { notice, state, publishAt } = this.#sent;
    this.#status.replaceChildren();
    this.#content.hidden = false;
    this.#figures.draw(this.#sent);
    setText(this.#when, `${state === "scheduled" ? "Scheduled for" : "Sent"} ${momentText(publishAt)}`);
    const drawn = JSON.stringify([notice, state]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    setText(this.#heading, notice.title);
    this.#drawBadges(notice, state);
    this.#drawLook();
    this.#drawManage(notice, state);
  }

  #drawBadges({ revision, changedAt }, state) {
    const corrected = revision > 1 && changedAt
      ? [h("span", { class: "notice-mark" }, `Corrected ${momentText(changedAt)}`)]
      : [];
    this.#badges.replaceChildren(stateTag(state), ...corrected);
  }

  #drawLook() {
    const { notice, audience } = this.#sent;
    const known = () => {
      this.#drawn = "";
      this.#draw();
    };
    this.#look.replaceChildren(noticeRow({ ...notice, to: audience, readAt: "sent" }, {
      app: this.#app, now: this.#app.net.clock.now(), isOpen: true, tag: "div", isMine: false, heading: "h2", known,
    }));
  }

  #drawManage(notice, state) {
    this.#manage.hidden = state !== "scheduled" && state !== "published";
    // A correction bears the name of the notice's sender: only that account makes one.
    const isOwn = notice.from?.username === this.#app.net.account?.username;
    const path = `/notices/sent/${this.#number}/edit`;
    const correct = isOwn ? h("a", { class: "button", href: path, id: "correct-notice" }, icon("edit"), "Correct") : "";
    const withdraw = h("button", { class: "button danger", type: "button", id: "withdraw-notice", onclick: () => this.#withdraw() },
      icon("close"), "Withdraw");
    this.#manage.replaceChildren(correct, withdraw);
  }

  async #withdraw() {
    const isScheduled = this.#sent.state === "scheduled";
    const isDone = await confirmThen({
      id: "withdraw-dialog", title: "Withdraw this notice?", confirm: "Withdraw", danger: true, cancel: "Keep",
      text: isScheduled ? "It won't be sent." : "It disappears for everyone, even if they've read it.",
    }, async () => {
      this.#sent = await this.#app.net.request("notices.withdraw", { notice: this.#number });
    }, "Notice withdrawn.");
    if (!isDone || this.#isClosed) return;
    this.#draw();
    this.#heading.focus({ preventScroll: true });
  }
}
