// The figures of a notice that was sent: on how many devices it is, and how many people have read it.

import { h, setText } from "../kit/dom.js";
import { reachText, shareOf } from "./words.js";

/** A card with a bar for each figure. */
export class NoticeFigures {
  #title = h("h2", {}, "Delivery");
  #received = new FigureBar("received", "On a device");
  #read = new FigureBar("read", "Read");
  #note = h("p", { class: "hint", role: "status" });
  element = h("section", { class: "card stack", id: "sent-figures", "aria-label": "Delivery" },
    this.#title, this.#received.element, this.#read.element, this.#note);

  /** `status` as of `notices.status`. */
  draw(status) {
    const { audience, state, recipients, received, read } = status;
    const isScheduled = state === "scheduled";
    const hasFigures = !isScheduled && received !== undefined;
    this.#received.element.hidden = this.#read.element.hidden = !hasFigures;
    if (hasFigures) {
      this.#received.draw(received, recipients);
      this.#read.draw(read, recipients);
    }
    setText(this.#title, isScheduled ? "Audience" : "Delivery");
    setText(this.#note, isScheduled ? `${reachText(audience.kind, status)}.` : figuresText(state, hasFigures, audience.kind));
  }

  /** Notes that the figures are those of the last answer. */
  drawOffline() {
    setText(this.#note, "You're offline. These numbers may be old.");
  }
}

class FigureBar {
  #figure;
  #share = h("span", { class: "muted number" });
  #fill = h("span", {});
  #bar;

  constructor(name, label) {
    const labelId = `${name}-label`;
    this.#figure = h("strong", { class: "number", dataset: { figure: name } });
    this.#bar = h("div", {
      class: "sent-bar", role: "progressbar", "aria-labelledby": labelId, "aria-valuemin": 0, "aria-valuemax": 100,
    }, this.#fill);
    this.element = h("div", { class: "sent-figure", dataset: { kind: name } },
      h("p", { class: "sent-label" }, h("span", { id: labelId }, label), h("span", {}, this.#figure, " ", this.#share)), this.#bar);
  }

  draw(value, whole) {
    const percent = shareOf(value, whole);
    setText(this.#figure, value.toLocaleString("en"));
    setText(this.#share, `of ${whole.toLocaleString("en")}, ${percent} %`);
    this.#fill.style.setProperty("width", `${percent}%`);
    this.#bar.setAttribute("aria-valuenow", percent);
    this.#bar.setAttribute("aria-valuetext", `${value.toLocaleString("en")} of ${whole.toLocaleString("en")}`);
  }
}

/** The note below the figures, or in their place. */
function figuresText(state, hasFigures, kind) {
  if (!hasFigures) {
    return "To protect privacy, receipts are only counted for notices to the whole campus or a role, with at least 20 people. "
    + "For a role they appear 24 hours after sending.";
  }
  const rule = "Rounded to five. People who turned off receipts aren't counted.";
  if (kind === "role") return `Counted once, 24 hours after sending. ${rule}`;
  return state === "published" ? `Updates live. ${rule}` : rule;
}
