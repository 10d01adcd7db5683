// Searching a place of the campus by name: named places and buildings, and former searches.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { RecentSearches } from "./recents.js";
import { kindWords, searchState } from "./words.js";
import { namedPlaces } from "../map/picker.js";

const afterMilliseconds = 250;
const charactersMax = 120;
const placesMax = 20;
const buildingsMax = 10;

/**
 * Makes the field with its results. `chosen({name, lat, lon, place?})` gets the chosen place; `changed(isEmpty)` is called when the text
 * changes. With `remembers`, searches are kept for an account that wants that, and offered again.
 */
export function makePlaceSearch({ app, id, label, chosen, changed = () => {}, remembers = false }) {
  return new PlaceSearch(app, { id, label, chosen, changed, remembers });
}

/** A search field for places. */
class PlaceSearch {
  element; input;

  #app; #net; #chosen; #changed;
  #recents; #remembers;
  #status = h("p", { class: "muted small", role: "status" });
  #results;
  #timer = 0;
  #generation = 0;
  #isClosed = false;

  constructor(app, { id, label, chosen, changed, remembers }) {
    this.#app = app;
    this.#net = app.net;
    this.#chosen = chosen;
    this.#changed = changed;
    this.input = h("input", {
      class: "input search-input", type: "search", id, "aria-label": label, placeholder: label, maxlength: charactersMax,
      autocomplete: "off", oninput: () => this.#typed(), onkeydown: (event) => this.#pressed(event),
    });
    this.#results = h("ul", { class: "place-list", dataset: { results: id } });
    this.#recents = new RecentSearches({ net: app.net, onAgain: (text) => this.#again(text), fallback: () => this.input });
    this.#remembers = remembers;
    this.element = h("div", { class: "place-search stack tight" },
      h("div", { class: "search-box" }, icon("search"), this.input), this.#status, this.#results, this.#recents.element);
    this.reload();
  }

  /** Whether the field has no text. */
  get isEmpty() { return this.#text === ""; }

  /** Loads the former searches, where they are kept. */
  reload() {
    if (this.#remembers) this.#recents.load();
  }

  close() {
    this.#isClosed = true;
    this.#recents.close();
    clearTimeout(this.#timer);
  }

  get #text() { return this.input.value.trim(); }

  #typed() {
    clearTimeout(this.#timer);
    const text = this.#text;
    this.#changed(text === "");
    this.#recents.element.hidden = text !== "";
    if (text === "") {
      this.#generation += 1;
      this.#results.replaceChildren();
      setText(this.#status, "");
      return;
    }
    this.#timer = setTimeout(() => this.#find(text), afterMilliseconds);
  }

  #pressed(event) {
    const first = this.#results.querySelector("button");
    if (event.key === "Enter") {
      event.preventDefault();
      first?.click();
    } else if (event.key === "ArrowDown" && first) {
      event.preventDefault();
      first.focus();
    }
  }

  async #find(text) {
    const mine = ++this.#generation;
    setText(this.#status, "Searching…");
    // The buildings are in the drawing, which is here without a network, too.
    const [places, drawn] = await Promise.allSettled([
      this.#net.request("places.list", { text, limit: placesMax }), namedPlaces(this.#app),
    ]);
    if (this.#isClosed || mine !== this.#generation) return;
    const reply = places.status === "fulfilled" ? places.value : { places: [], more: false };
    const named = reply.places
      .map((place) => ({ name: place.name, lat: place.lat, lon: place.lon, place: place.id, hint: kindWords(place.class) }));
    const found = named.concat(drawn.status === "fulfilled" ? buildings(drawn.value, text, named) : []);
    this.#results.replaceChildren(...found.map((place) => this.#row(place, text)));
    const problem = places.status === "rejected" ? places.reason : null;
    setText(this.#status, searchState({ found: found.length, problem, isMore: reply.more }));
  }

  #row(place, text) {
    return h("li", {}, h("button", { class: "place-row", type: "button", onclick: () => this.#take(place, text) },
      h("span", { class: "grow" }, h("strong", {}, place.name), h("span", { class: "muted small" }, place.hint)), icon("pin")));
  }

  #take({ name, lat, lon, place }, text) {
    this.input.value = "";
    this.#typed();
    announce(`${name} chosen.`);
    this.#chosen({ name, lat, lon, place });
    if (this.#remembers) this.#recents.note(text, place);
  }

  #again(text) {
    this.input.value = text;
    this.#typed();
    this.input.focus();
  }
}

/** Buildings of the drawing with all words of `text` in their names, without those that are among `known` already. */
function buildings(drawn, text, known) {
  const words = text.toLowerCase().split(/\s+/);
  const names = new Set(known.map(({ name }) => name));
  return [...drawn].filter(([name]) => !names.has(name) && words.every((word) => name.toLowerCase().includes(word)))
    .slice(0, buildingsMax).map(([name, where]) => ({ name, ...where, hint: "On the map" }));
}
