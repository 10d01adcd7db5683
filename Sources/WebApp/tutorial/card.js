// The card of the tutorial and the highlight of the control that it points at, in one modal dialog over the whole page.

import { h, setText } from "../kit/dom.js";
import { highlightBox, isInside, placeCard } from "./placement.js";

/** The dialog. It follows its target while the page moves. */
export class TutorialCard {
  #count;
  #step = null;
  /** The elements that the step points at; none while their page loads. */
  #targets = [];
  #frame = 0;
  #drawn = "";
  #progress = h("p", { class: "tutorial-progress muted small" });
  #dots;
  #title = h("h2", { id: "tutorial-title" });
  #text = h("p", { id: "tutorial-text" });
  #highlight = h("div", { class: "tutorial-highlight", "aria-hidden": "true", hidden: true });
  #skip; #back; #next; #card; #dialog;

  /** `actions` are `{next(), back(), skip()}`; `count` is the number of steps. */
  constructor({ count, actions }) {
    this.#count = count;
    this.#dots = h("div", { class: "tutorial-dots", "aria-hidden": "true" }, ...Array.from({ length: count }, () => h("i")));
    this.#skip = button("tutorial-skip", "quiet", "Skip", actions.skip);
    this.#back = button("tutorial-back", "", "Back", actions.back);
    this.#next = button("tutorial-next", "primary", "Next", actions.next);
    this.#card = h("div", { class: "tutorial-card" },
      h("div", { class: "stack tight", "aria-live": "polite", "aria-atomic": "true" }, this.#progress, this.#title, this.#text),
      this.#dots, h("div", { class: "tutorial-actions" }, this.#skip, this.#back, this.#next));
    this.#dialog = h("dialog", { class: "tutorial", id: "tutorial", "aria-labelledby": "tutorial-title",
      "aria-describedby": "tutorial-text" }, this.#highlight, this.#card);
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      actions.skip();
    });
    // A browser closes a dialog at the second Escape whatever the page says.
    this.#dialog.addEventListener("close", () => actions.skip());
  }

  /** Shows the dialog with the focus on the button that goes on. */
  open() {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#next.focus({ preventScroll: true });
    this.#follow();
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.#dialog.close();
    this.#dialog.remove();
  }

  /** Draws a step. The highlight appears when its control does. */
  show(index, step) {
    const { title, text } = step;
    [this.#step, this.#targets, this.#drawn] = [step, [], ""];
    const isLast = index === this.#count - 1;
    setText(this.#progress, `Step ${index + 1} of ${this.#count}`);
    setText(this.#title, title);
    setText(this.#text, text);
    [...this.#dots.children].forEach((dot, number) => dot.classList.toggle("is-done", number <= index));
    setText(this.#next, index === 0 ? "Start" : isLast ? "Done" : "Next");
    this.#back.hidden = index === 0;
    this.#skip.hidden = isLast;
    // The button with the focus may be hidden now.
    if (this.#dialog.open && !this.#dialog.contains(document.activeElement)) this.#next.focus({ preventScroll: true });
  }

  #follow() {
    this.#draw();
    this.#frame = requestAnimationFrame(() => this.#follow());
  }

  #draw() {
    if (this.#targets.length === 0 || !this.#targets.every(({ isConnected }) => isConnected)) this.#targets = this.#find();
    const view = { width: document.documentElement.clientWidth, height: window.innerHeight };
    const frame = this.#frameBox(view);
    const boxes = this.#targets.map((target) => target.getBoundingClientRect());
    const card = { width: this.#card.offsetWidth, height: this.#card.offsetHeight };
    const drawn = JSON.stringify([boxes, card, view, frame]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    // The page above the target has grown, or the target is new.
    if (!boxes.every((box) => isInside(box, frame))) this.#scroll();
    const box = boxes.length > 0 ? highlightBox(this.#targets.map((target) => target.getBoundingClientRect()), frame) : null;
    this.#place(card, box, view);
  }

  #place(card, box, view) {
    this.#highlight.hidden = !box;
    this.#dialog.classList.toggle("has-target", Boolean(box));
    const { left, top } = placeCard(card, box, view);
    Object.assign(this.#card.style, { left: `${left}px`, top: `${top}px` });
    if (!box) return;
    Object.assign(this.#highlight.style, {
      left: `${box.left}px`, top: `${box.top}px`, width: `${box.right - box.left}px`, height: `${box.bottom - box.top}px`,
    });
  }

  /** The box in which the targets are seen: the page's between the bars, or the window. */
  #frameBox({ width, height }) {
    const main = document.getElementById("view");
    if (this.#targets.some((target) => main.contains(target))) return main.getBoundingClientRect();
    return { left: 0, top: 0, right: width, bottom: height };
  }

  #scroll() {
    const [first, last] = this.#targets;
    first?.scrollIntoView({ block: "center" });
    last?.scrollIntoView({ block: "nearest" });
  }

  /** The elements of the step, once its page shows them. */
  #find() {
    const { page, targets, until = null } = this.#step;
    if (page !== null && document.getElementById("view").dataset.view !== page) return [];
    const seen = (selector) => {
      const element = document.querySelector(selector);
      return element?.getClientRects().length > 0 ? element : null;
    };
    const first = targets.map(seen).find(Boolean);
    const last = until && seen(until);
    return [first, last].filter(Boolean);
  }
}

function button(id, kind, label, onclick) {
  return h("button", { class: `button ${kind}`, type: "button", id, onclick }, label);
}
