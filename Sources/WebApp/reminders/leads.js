// The choice of how long before an event a reminder comes.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { leadChoices, leadLabel, leadsMax } from "./words.js";

/** Buttons with a hint. `changed(leads)` gets the chosen minutes after a change, `refused(text)` why one cannot be chosen. */
export class LeadChoices {
  #changed;
  #refused;
  #buttons = h("div", { class: "chip-buttons", role: "group", "aria-label": "How long before an event" });
  #note = h("p", { class: "hint" });
  elements = [this.#note, this.#buttons];

  constructor({ changed, refused }) {
    this.#changed = changed;
    this.#refused = refused;
  }

  /** Draws the chosen minutes, among the usual ones. The focus stays on its button. */
  draw(chosen) {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const focused = this.#buttons.contains(active) ? active.dataset.minutes : null;
    const all = [...new Set([...leadChoices.map(({ minutes }) => minutes), ...chosen])].sort((a, b) => a - b);
    this.#note.textContent = chosen.length === 0
      ? "No reminders before events."
      : `${chosen.length} of ${leadsMax} chosen.`;
    this.#buttons.replaceChildren(...all.map((minutes) => this.#button(minutes, chosen)));
    if (focused) this.#buttons.querySelector(`[data-minutes="${focused}"]`)?.focus({ preventScroll: true });
  }

  #button(minutes, chosen) {
    const isChosen = chosen.includes(minutes);
    const isFull = !isChosen && chosen.length >= leadsMax;
    const pressed = () => {
      if (isFull) this.#refused(`You can choose up to ${leadsMax}. Remove one first.`);
      else this.#changed((isChosen ? chosen.filter((other) => other !== minutes) : [...chosen, minutes]).sort((a, b) => b - a));
    };
    return h("button", {
      class: "chip-button", type: "button", dataset: { minutes }, "aria-pressed": String(isChosen), "aria-disabled": isFull ? "true" : null,
      onclick: pressed,
    }, icon("tick"), leadLabel(minutes));
  }
}
