// The search field for destinations: an editable combobox with its results below (WAI-ARIA), and former searches.

import { announce, h, setText } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { askOrDrawn } from "./asking.js";
import { filterParams, foundText, hintOf, isFiltering, readId } from "./destinations.js";
import { searchDrawing } from "./drawing.js";
import { Finder } from "./finder.js";
import { RecentSearches } from "./recents.js";
import { knownPosition } from "./whereabouts.js";

const charactersMax = 120;
const resultsMax = 20;

/**
 * Makes the field with its results. `chosen({id, name, lat, lon, place?, …})` gets the chosen destination, and the text is removed then,
 * except with `keepsText`. `changed(isEmpty)` is called when the text changes. With `remembers`, searches are kept for an account that
 * wants that, and offered again. `filter` is as of `filterParams`, and `clearFilter()` removes it; `shown(results)` and `pointed(index)`
 * are for a map with the numbers of the results.
 */
export function makePlaceSearch({ app, id, label, chosen, ...options }) {
  return new PlaceSearch(app, { id, label, chosen, ...options });
}

/** A search field for destinations. */
class PlaceSearch {
  element; input;

  #app; #id; #options; #recents; #finder;
  #filter;
  #status = h("p", { class: "muted small", role: "status" });
  #list; #clear;
  #none = h("div", { class: "stack tight search-none", hidden: true });
  #results = [];
  /** The index of the active result, or -1. */
  #active = -1;
  /** The text that the results are for, or null. */
  #foundFor = null;
  /** Whether the first result is taken as soon as it is there. */
  #takesFirst = false;
  /** Where the reader is, or null; asked for with the first letter. */
  #here = null;
  #asksHere = false;

  constructor(app, { id, label, chosen, changed = (_isEmpty) => {}, remembers = false, hint = label, text = "", filter = {},
    isNumbered = false, keepsText = false, clearFilter = () => {}, shown = (_results) => {}, pointed = (_index) => {} }) {
    this.#app = app;
    this.#id = id;
    this.#options = { chosen, changed, remembers, isNumbered, keepsText, clearFilter, shown, pointed };
    this.#filter = filter;
    this.#list = h("ul", {
      class: "place-list", role: "listbox", id: `${id}-results`, "aria-label": "Results", hidden: true, dataset: { results: id },
    });
    this.input = h("input", {
      class: "input search-input", type: "text", inputmode: "search", enterkeyhint: "search", id, role: "combobox", "aria-label": label,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.#list.id, placeholder: hint, maxlength: charactersMax,
      autocomplete: "off", autocapitalize: "none", spellcheck: "false", value: text, oninput: () => this.#typed(),
      onkeydown: (event) => this.#pressed(event),
    });
    this.#clear = h("button", { class: "icon-button search-clear", type: "button", "aria-label": "Clear search", hidden: true,
      onclick: () => this.#again("") }, icon("close"));
    this.#recents = new RecentSearches({ net: app.net, onAgain: (former) => this.#again(former), fallback: () => this.input });
    this.#finder = new Finder({
      ask: (wish) => this.#ask(wish), began: () => setText(this.#status, "Searching…"), found: (reply, wish) => this.#found(reply, wish),
      failed: (error, wish) => this.#found({ results: [], problem: sentence(error.message) }, wish),
    });
    this.element = h("div", { class: "place-search stack tight" },
      h("div", { class: "search-box" }, icon("search"), this.input, this.#clear), this.#status, this.#none, this.#list,
      this.#recents.element);
    this.reload();
    if (text) this.#typed({ isUrgent: true });
  }

  /** Whether the field has no text. */
  get isEmpty() { return this.#text === ""; }

  /** The text that is searched for. */
  get text() { return this.#text; }

  /** Searches with another filter. */
  set filter(filter) {
    this.#filter = filter;
    if (!this.isEmpty) this.#typed({ isUrgent: true });
  }

  /** Loads the former searches, where they are kept, and searches again. */
  reload() {
    if (this.#options.remembers) this.#recents.load();
    if (this.#foundFor !== null) this.#typed({ isUrgent: true });
  }

  /** Takes a result, as of a tap on its mark. */
  take(index) {
    const found = this.#results[index];
    if (!found) return;
    const text = this.#text;
    const { id, name, lat, lon } = found;
    const { kind, number } = readId(id) ?? {};
    announce(`${name} chosen.`);
    if (!this.#options.keepsText) this.clear();
    if (this.#options.remembers) this.#recents.note(text, kind === "place" ? number : undefined);
    this.#options.chosen({ ...found, id, name, lat, lon, ...(kind === "place" && { place: number }) });
  }

  /** Removes the text. */
  clear() {
    this.input.value = "";
    this.#typed();
  }

  close() {
    this.#recents.close();
    this.#finder.close();
  }

  get #text() { return this.input.value.trim(); }

  // MARK: typing

  #typed({ isUrgent = false } = {}) {
    const text = this.#text;
    this.#takesFirst = false;
    this.#clear.hidden = this.input.value === "";
    this.#recents.element.hidden = text !== "";
    this.#options.changed(text === "");
    this.#finder.want(text === "" ? null : { text, filter: this.#filter }, { isUrgent });
    if (text !== "") {
      if (!this.#asksHere) this.#learnHere();
      return;
    }
    this.#foundFor = null;
    this.#none.hidden = true;
    setText(this.#status, "");
    this.#draw([]);
  }

  #again(text) {
    this.input.value = text;
    this.#typed({ isUrgent: true });
    this.input.focus();
  }

  #pressed(event) {
    const count = this.#results.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing) return;
    if (step && count > 0) {
      event.preventDefault();
      // Between the last and the first result is the field itself.
      const next = this.#active + step;
      this.#point(next < -1 ? count - 1 : next >= count ? -1 : next);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#entered();
    } else if (event.key === "Escape" && (this.#active >= 0 || this.input.value !== "")) {
      event.preventDefault();
      event.stopPropagation();
      if (this.#active >= 0) this.#point(-1);
      else this.clear();
    }
  }

  /** Takes the active result, or the first one, also of an answer that is on its way. */
  #entered() {
    if (this.isEmpty) return;
    if (this.#active >= 0) this.#taken(this.#active);
    else if (this.#foundFor === this.#text && !this.#finder.isWaiting) this.#taken(0);
    else {
      this.#finder.want({ text: this.#text, filter: this.#filter }, { isUrgent: true });
      this.#takesFirst = true;
    }
  }

  #taken(index) {
    if (!this.#results[index]) return;
    this.take(index);
  }

  // MARK: results

  async #ask({ text, filter }) {
    const params = filterParams(filter);
    const here = this.#here && { lat: this.#here.lat, lon: this.#here.lon };
    const { reply, drawn, problem } = await askOrDrawn(this.#app, "search.find", { text, ...params, ...here, limit: resultsMax });
    return reply ? { ...reply, problem } : { results: searchDrawing(drawn, text, params), problem };
  }

  /** A position that comes late counts for later searches. */
  async #learnHere() {
    this.#asksHere = true;
    this.#here = await knownPosition(this.#app);
  }

  #found({ results, suggestion = null, problem }, { text, filter }) {
    const takesFirst = this.#takesFirst;
    this.#takesFirst = false;
    this.#foundFor = text;
    this.#draw(results);
    const isFiltered = isFiltering(filter);
    setText(this.#status, foundText({ found: results.length, text, isFiltered, problem }));
    this.#drawNone({ isNone: results.length === 0 && problem === null, suggestion, isFiltered });
    if (takesFirst && results.length > 0) this.#taken(0);
  }

  #drawNone({ isNone, suggestion, isFiltered }) {
    const button = (id, label, run) => h("button", { class: "button small-button", type: "button", id, onclick: run }, label);
    this.#none.hidden = !isNone && !suggestion;
    this.#none.replaceChildren(
      suggestion ? h("p", { class: "row" }, "Did you mean", button(`${this.#id}-suggestion`, suggestion, () => this.#again(suggestion)))
        : isFiltered ? "" : h("p", { class: "muted small" }, "Check the spelling, try fewer letters, or search for a room code."),
      isNone && isFiltered ? h("p", {}, button(`${this.#id}-unfiltered`, "Clear filters", () => this.#options.clearFilter())) : "");
  }

  #draw(results) {
    this.#results = results;
    this.#list.replaceChildren(...results.map((one, index) => this.#row(one, index)));
    this.#list.hidden = results.length === 0;
    this.input.setAttribute("aria-expanded", String(results.length > 0));
    this.#point(-1);
    this.#options.shown(results);
  }

  #row(destination, index) {
    const { name, open } = destination;
    return h("li", {
      class: "place-row", role: "option", id: `${this.#id}-result-${index}`, "aria-selected": "false",
      dataset: { destination: destination.id },
      // The field keeps the focus.
      onmousedown: (event) => event.preventDefault(), onclick: () => this.#taken(index),
    }, this.#options.isNumbered ? h("span", { class: "number-mark", "aria-hidden": "true" }, String(index + 1)) : null,
    h("span", { class: "grow" }, h("strong", {}, name), h("span", { class: "muted small" }, hintOf(destination))),
    open === undefined ? null : h("span", { class: open ? "tag good" : "tag quiet" }, open ? "Open" : "Closed"));
  }

  #point(index) {
    this.#list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const row = this.#list.children[index];
    if (row) {
      row.setAttribute("aria-selected", "true");
      row.scrollIntoView({ block: "nearest" });
      this.input.setAttribute("aria-activedescendant", row.id);
    } else this.input.removeAttribute("aria-activedescendant");
    this.#options.pointed(index);
  }
}
