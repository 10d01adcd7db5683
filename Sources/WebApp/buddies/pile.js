// The cards of a deck on the page: the top one follows the pointer, and flies away when it is decided on.

import { h } from "../kit/dom.js";
import { Swipe } from "./swipe.js";
import { makeBuddyCard } from "./card.js";

/** Cards that are drawn: the top one, and the one behind it. */
const cardsDrawn = 2;
const flyMilliseconds = 220;
const leanDegreesMax = 8;
const pixelsPerDegree = 25;
const flyDegrees = 14;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** The pile; `decide(isAccepted)` is called after a swipe and returns false when the card must stay. */
export class Pile {
  element = h("div", { class: "pile", id: "deck" });

  #options;
  #scope;
  #decide;

  /** `options` is `buddies.options`; `scope` shows pictures. */
  constructor({ options, scope, decide }) {
    this.#options = options;
    this.#scope = scope;
    this.#decide = decide;
  }

  /** Draws the top of a `CardQueue`. */
  draw(queue) {
    const wanted = queue.top(cardsDrawn);
    for (const child of Array.from(this.element.children)) {
      const isWanted = wanted.some(({ account }) => String(account) === child.dataset.account);
      if (!child.classList.contains("leaving") && !isWanted) child.remove();
    }
    for (const [index, card] of wanted.entries()) {
      const holder = this.#holderOf(card) ?? this.#add(card);
      holder.classList.toggle("top", index === 0);
      // The lower card is a picture of the next suggestion, not yet something to read.
      holder.inert = index > 0;
      holder.setAttribute("aria-hidden", String(index > 0));
    }
  }

  /** Lets a card fly to its side. */
  fly(card, isAccepted) {
    const holder = this.#holderOf(card);
    if (!holder) return;
    if (reducedMotion.matches) {
      holder.remove();
      return;
    }
    holder.classList.add("leaving");
    holder.classList.remove("top");
    holder.inert = true;
    holder.dataset.side = isAccepted ? "accept" : "pass";
    holder.style.setProperty("--progress", 1);
    holder.style.transform = isAccepted ? `translateX(120%) rotate(${flyDegrees}deg)` : `translateX(-120%) rotate(${-flyDegrees}deg)`;
    setTimeout(() => holder.remove(), flyMilliseconds);
  }

  /** The element of a card that is not leaving, or undefined. */
  #holderOf({ account }) {
    const isHolder = (child) => child.dataset.account === String(account) && !child.classList.contains("leaving");
    return [...this.element.children].find(isHolder);
  }

  #add(card) {
    const holder = h("div", { class: "pile-card", dataset: { account: card.account } },
      makeBuddyCard(card, this.#options, this.#scope),
      h("span", { class: "stamp accept", "aria-hidden": "true" }, "Accept"),
      h("span", { class: "stamp pass", "aria-hidden": "true" }, "Pass"));
    followPointer(holder, this.#decide);
    this.element.prepend(holder);
    return holder;
  }
}

/** Lets a card follow the pointer while it is on top; letting it go far enough to a side decides. */
function followPointer(holder, decide) {
  let swipe = null;
  const letGo = () => {
    swipe = null;
    holder.classList.remove("held");
  };
  holder.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !holder.classList.contains("top") || event.target.closest("a, button")) return;
    swipe = new Swipe(holder.clientWidth);
    swipe.begin(event.clientX, event.clientY);
  });
  holder.addEventListener("pointermove", (event) => {
    const state = swipe?.move(event.clientX, event.clientY);
    if (!state) return;
    if (!holder.hasPointerCapture(event.pointerId)) holder.setPointerCapture(event.pointerId);
    holder.classList.add("held");
    lean(holder, state);
  });
  holder.addEventListener("pointerup", () => {
    const side = swipe?.end() ?? null;
    letGo();
    if (side === null || !decide(side === "accept")) lean(holder, null);
  });
  holder.addEventListener("pointercancel", () => {
    letGo();
    lean(holder, null);
  });
}

/** Draws the state of a swipe; null for a card at rest. */
function lean(holder, state) {
  const degrees = state && Math.max(-leanDegreesMax, Math.min(leanDegreesMax, state.dx / pixelsPerDegree));
  holder.style.transform = state ? `translateX(${state.dx}px) rotate(${degrees}deg)` : "";
  holder.style.setProperty("--progress", state?.progress ?? 0);
  if (state?.side) holder.dataset.side = state.side;
  else delete holder.dataset.side;
  holder.classList.toggle("decides", state?.decides ?? false);
}
