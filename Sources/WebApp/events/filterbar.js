// The filters above the list of events: which events, search, zone, kind of workout.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { searchCharactersMax, views } from "./listmodel.js";

const searchAfterMilliseconds = 350;

/** A row of filters; `close` ends its timer. `changed(filter)` gets the filter with each change, `campus()` the campus or null. */
export class FilterBar {
  /** As of `filterOf`. */
  filter;

  #changed;
  #campus;
  #searchTimer = 0;
  #search;
  #zone = h("select", { id: "event-zone", "aria-label": "Zone", onchange: () => this.change({ zone: this.#zone.value }) });
  #whichRow = h("div", { class: "event-views", role: "group", "aria-label": "Which events" });
  #kindRow = h("div", { class: "event-kinds", role: "group", "aria-label": "Kind of workout" });

  constructor({ filter, isGuest, campus, changed }) {
    this.filter = filter;
    this.#changed = changed;
    this.#campus = campus;
    this.#search = h("input", {
      class: "input search-input", type: "search", id: "event-search", placeholder: "Search", "aria-label": "Search events",
      maxlength: searchCharactersMax, autocomplete: "off", value: filter.text, oninput: () => this.#searchSoon(),
    });
    this.element = h("div", { class: "event-filters" }, isGuest ? null : this.#whichRow,
      h("div", { class: "event-find" }, h("div", { class: "search-box" }, icon("search"), this.#search), this.#zone), this.#kindRow);
  }

  close() {
    clearTimeout(this.#searchTimer);
  }

  /** Changes members of the filter. */
  change(part) {
    clearTimeout(this.#searchTimer);
    this.filter = { ...this.filter, ...part };
    this.#changed(this.filter);
  }

  /** Leaves only the choice of the list. */
  clear() {
    this.#search.value = "";
    this.change({ workout: "", zone: "", text: "" });
  }

  /** `invitations` is the number of open ones. The focus stays on its button. */
  draw({ workouts, invitations }) {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const focused = active?.closest?.(".event-views, .event-kinds") ? active.dataset : null;
    this.#drawViews(invitations);
    this.#drawKinds(workouts);
    reveal(this.#whichRow);
    this.#drawZones();
    if (focused) this.#focus(focused);
  }

  #searchSoon() {
    clearTimeout(this.#searchTimer);
    this.#searchTimer = setTimeout(() => this.change({ text: this.#search.value.trim() }), searchAfterMilliseconds);
  }

  #drawViews(invitations) {
    this.#whichRow.replaceChildren(...views.map(({ id, label }) => toggleButton({
      label, isOn: this.filter.which === id, data: { which: id }, number: id === "invited" ? invitations : 0,
      onclick: () => this.change({ which: id }),
    })));
  }

  #drawKinds(workouts) {
    const hasSameKinds = this.#kindRow.childElementCount === workouts.length + 1;
    const left = this.#kindRow.scrollLeft;
    const { workout } = this.filter;
    const kinds = workouts.map(({ id, label, colour }) => toggleButton({
      label, colour, isOn: workout === id, data: { kind: id },
      onclick: () => this.change({ workout: this.filter.workout === id ? "" : id }),
    }));
    const all = toggleButton({ label: "All kinds", isOn: workout === "", data: { kind: "" }, onclick: () => this.change({ workout: "" }) });
    this.#kindRow.replaceChildren(...(workouts.length === 0 ? [] : [all, ...kinds]));
    if (hasSameKinds) this.#kindRow.scrollLeft = left;
    else reveal(this.#kindRow);
  }

  #drawZones() {
    const zones = this.#campus()?.zones ?? [];
    this.#zone.replaceChildren(h("option", { value: "" }, "All zones"),
      ...zones.map(({ id, name }) => h("option", { value: id, selected: String(id) === this.filter.zone }, name)));
  }

  /** @param {DOMStringMap} dataset Of the button that had the focus. */
  #focus({ which, kind }) {
    const button = which === undefined
      ? this.#kindRow.querySelector(`[data-kind="${CSS.escape(kind)}"]`)
      : this.#whichRow.querySelector(`[data-which="${CSS.escape(which)}"]`);
    button?.focus({ preventScroll: true });
  }
}

function toggleButton({ label, isOn, onclick, data, colour = null, number = 0 }) {
  const button = h("button", { class: "chip-button", type: "button", "aria-pressed": String(isOn), dataset: data, onclick },
    colour ? h("span", { class: "kind-dot", "aria-hidden": "true" }) : null, label,
    number > 0 ? h("span", { class: "unread number" }, String(number), h("span", { class: "visually-hidden" }, " open")) : null);
  if (colour) button.style.setProperty("--kind", colour);
  return button;
}

/** Scrolls the chosen button into a row that scrolls sideways; the page stays where it is. */
function reveal(row) {
  const chosen = row.querySelector("[aria-pressed=true]")?.getBoundingClientRect();
  const box = row.getBoundingClientRect();
  if (chosen && (chosen.left < box.left || chosen.right > box.right)) {
    row.scrollLeft += chosen.left - box.left - (box.width - chosen.width) / 2;
  }
}
