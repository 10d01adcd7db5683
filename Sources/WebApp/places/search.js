// Looking for a place of the campus by name: named places and buildings, and what was looked for before.

import { announce, confirmDialog, h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { kindWords } from "./words.js";
import { namedPlaces } from "../map/picker.js";
import { attempt } from "../kit/dialog.js";

const afterMilliseconds = 250;
const charactersMax = 120;
const placesMax = 20;
const buildingsMax = 10;
const recentMax = 6;

/**
 * `{element, input, isEmpty, reload(), close()}`. `chosen({name, lat, lon, place?})` gets what was tapped; `changed(isEmpty)` hears of the
 * field. With `remembers`, what was chosen is kept for who wants that, and offered again.
 */
export function makePlaceSearch({ app, id, label, chosen, changed = () => {}, remembers = false }) {
  const { net } = app;
  const input = h("input", { class: "input search-input", type: "search", id, "aria-label": label, placeholder: label, maxlength: charactersMax, autocomplete: "off", oninput: typed,
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        results.querySelector("button")?.click();
      } else if (event.key === "ArrowDown" && results.childElementCount > 0) {
        event.preventDefault();
        results.querySelector("button").focus();
      }
    } });
  const status = h("p", { class: "muted small", role: "status" });
  const results = h("ul", { class: "place-list", dataset: { results: id } });
  const recents = h("div", { class: "recents" });
  let timer = 0;
  let generation = 0;
  let searches = [];
  let closed = false;

  function typed() {
    clearTimeout(timer);
    const text = input.value.trim();
    changed(text === "");
    recents.hidden = text !== "";
    if (text === "") {
      generation += 1;
      results.replaceChildren();
      setText(status, "");
      return;
    }
    timer = setTimeout(() => find(text), afterMilliseconds);
  }

  async function find(text) {
    const mine = ++generation;
    setText(status, "Searching…");
    // The buildings are in the drawing, which is here without a network, too.
    const [places, drawn] = await Promise.allSettled([net.request("places.list", { text, limit: placesMax }), namedPlaces(app)]);
    if (closed || mine !== generation) return;
    const found = places.status === "fulfilled" ? places.value.places.map((place) => ({ name: place.name, lat: place.lat, lon: place.lon, place: place.id, hint: kindWords(place.class) })) : [];
    const words = text.toLowerCase().split(/\s+/);
    const known = new Set(found.map(({ name }) => name));
    const buildings = drawn.status === "fulfilled" ? [...drawn.value].filter(([name]) => !known.has(name) && words.every((word) => name.toLowerCase().includes(word))) : [];
    found.push(...buildings.slice(0, buildingsMax).map(([name, where]) => ({ name, ...where, hint: "On the map" })));
    results.replaceChildren(...found.map((one) => h("li", {}, h("button", { class: "place-row", type: "button", onclick: () => take(one, text) },
      h("span", { class: "grow" }, h("strong", {}, one.name), h("span", { class: "muted small" }, one.hint)), icon("pin")))));
    if (places.status === "rejected") setText(status, `${places.reason.message}${found.length > 0 ? " These are from the drawing of the campus." : ""}`);
    else setText(status, found.length === 0 ? "No place of the campus has these words in its name." : `${count(found.length, "place")}${places.value.more ? ", and more: say more of the name" : ""}`);
  }

  function take({ name, lat, lon, place }, text) {
    input.value = "";
    typed();
    announce(`${name} is chosen.`);
    chosen({ name, lat, lon, place });
    if (remembers && net.account) {
      net.request("searches.note", { text, ...(place && { place }) }).then(({ kept }) => { if (kept) reload(); }, () => {});
    }
  }

  // MARK: what was looked for

  async function reload() {
    if (!remembers || !net.account) return;
    try {
      ({ searches } = await net.request("searches.list"));
    } catch {
      // The field works without them.
      return;
    }
    if (!closed) drawRecents();
  }

  function drawRecents() {
    const hadFocus = recents.contains(document.activeElement);
    recents.replaceChildren(...(searches.length === 0 ? [] : [
      h("div", { class: "row between recents-head" }, h("h2", { class: "small-title" }, "Searched for lately"), h("button", { class: "button quiet", type: "button", id: "erase-searches", onclick: eraseAll }, "Erase all")),
      h("ul", { class: "recent-list" }, ...searches.slice(0, recentMax).map((one) => h("li", { dataset: { search: one.id } },
        h("button", { class: "recent", type: "button", onclick: () => again(one) }, icon("history"), h("span", {}, one.text)),
        h("button", { class: "icon-button", type: "button", "aria-label": `Forget “${one.text}”`, onclick: () => erase(one) }, icon("close"))))),
    ]));
    if (hadFocus && !recents.contains(document.activeElement)) (recents.querySelector("button.icon-button") ?? input).focus({ preventScroll: true });
  }

  function again({ text }) {
    input.value = text;
    typed();
    input.focus();
  }

  async function erase({ id: search }) {
    if (await attempt(() => net.request("searches.erase", { id: search }))) {
      searches = searches.filter((one) => one.id !== search);
      announce("Forgotten.");
      drawRecents();
    }
  }

  async function eraseAll() {
    const sure = await confirmDialog({ id: "erase-searches-dialog", title: "Forget all searches?", text: "They are not offered again. This cannot be undone.", confirm: "Forget all", danger: true });
    if (sure && (await attempt(() => net.request("searches.erase", {}), "All searches are forgotten."))) {
      searches = [];
      drawRecents();
    }
  }

  reload();
  return {
    element: h("div", { class: "place-search stack tight" }, h("div", { class: "search-box" }, icon("search"), input), status, results, recents),
    input,
    get isEmpty() { return input.value.trim() === ""; },
    reload,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
