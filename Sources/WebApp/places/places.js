// Places: looking for one, those that were saved, those one was at most often; beside a map.

import { announce, confirmDialog, emptyState, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeAdminMap } from "../map/editmap.js";
import { makeLoadable } from "../kit/loadable.js";
import { makePlaceSearch } from "./search.js";
import { openSavePlace } from "./savedialog.js";

/** Serves `/map/places`. */
export function show(root, _params, app) {
  const { net, router } = app;
  if (!net.account) {
    router.go("/login?next=/map/places", { replace: true });
    return undefined;
  }
  let saved = [];
  /** What is marked on the map: `{name?, lat, lon, place?}`, or a saved one with its `id`. */
  let marked = null;
  let closed = false;

  const map = makeAdminMap({ app, tapped: (where) => mark(where), chosen: (place) => mark(place), moved: () => {} });
  const search = makePlaceSearch({ app, id: "places-search", label: "Search a place", remembers: true, chosen: (place) => mark(place, { goes: true }), changed: (isEmpty) => { lists.hidden = !isEmpty; } });
  const card = h("div", { class: "marked-place", role: "status", id: "marked-place" });
  const savedList = h("div", { id: "saved-places" });
  const visitedList = h("div", { id: "visited-places" });
  const savedLoad = makeLoadable({ net, fetch: () => net.request("saved.list"), draw(result) {
    saved = result.places;
    drawSaved();
  } });
  const visitedLoad = makeLoadable({ net, fetch: () => Promise.all([net.request("visits.most"), net.request("privacy.settings")]), draw: ([{ places }, { visits }]) => drawVisited(places, visits) });
  const lists = h("div", { class: "stack" },
    h("section", { class: "stack tight", "aria-labelledby": "saved-title" }, h("h2", { id: "saved-title" }, "Saved"), savedLoad.element, savedList),
    h("section", { class: "stack tight", "aria-labelledby": "visited-title" }, h("h2", { id: "visited-title" }, "Most visited"), visitedLoad.element, visitedList));
  const middle = h("button", { class: "button small-button", type: "button", id: "mark-middle", onclick: () => { const where = map.middle(); if (where) mark(where); } }, icon("pin"), "Mark the middle of the map");
  root.append(h("div", { class: "page stack places-page" }, h("p", {}, h("a", { href: "/map", class: "back" }, "← Map")), h("h1", { tabindex: "-1" }, "Places"),
    h("div", { class: "places-grid" }, h("div", { class: "stack places-side" }, search.element, lists),
      h("div", { class: "stack tight places-map" }, map.element, card, h("div", { class: "row" }, middle)))));

  // MARK: the mark

  function mark(where, { goes = false } = {}) {
    marked = where;
    map.mark(where, { goes });
    drawCard();
    if (!where) return;
    if (!where.name) nameIt(where);
    // On a phone the map is far below the list.
    if (goes) map.element.scrollIntoView({ block: "nearest" });
  }

  /** A point of the map is called by the zone it is in, until somebody gives it a name. */
  async function nameIt(where) {
    try {
      const { zone } = await net.request("campus.locate", { lat: where.lat, lon: where.lon });
      if (closed || marked !== where || !zone) return;
      marked = { ...where, zone: zone.name };
      drawCard();
    } catch {
      // It is a place without a zone's name, too.
    }
  }

  function drawCard() {
    if (!marked) {
      card.replaceChildren(h("p", { class: "hint" }, "Tap the map, or search, to save a place. With the keyboard: move the map with the arrow keys, then mark its middle."));
      return;
    }
    const { name, zone, id } = marked;
    const isSaved = saved.some((place) => place.id === id);
    const point = marked;
    card.replaceChildren(h("div", { class: "row between" }, h("div", { class: "grow" }, h("strong", {}, name ?? "A point on the map"), h("p", { class: "muted small" }, isSaved ? "Saved" : zone ? `In ${zone}` : "Marked on the map")),
      isSaved ? h("a", { class: "button", href: `/map?saved=${id}` }, icon("map"), "On the live map")
        : h("button", { class: "button primary", type: "button", id: "save-marked", onclick: () => openSavePlace({ net, where: { name: name ?? null, lat: point.lat, lon: point.lon, ...(point.place && { place: point.place }) }, saved: taken }) }, icon("bookmark"), "Save")));
  }

  function taken(place) {
    saved = [place, ...saved.filter(({ id }) => id !== place.id)].sort((a, b) => Date.parse(b.savedAt) - Date.parse(a.savedAt));
    marked = place;
    drawSaved();
    drawCard();
  }

  // MARK: saved

  function drawSaved() {
    map.showPlaces(saved, marked?.id ?? null);
    savedList.replaceChildren(saved.length === 0
      ? emptyState({ id: "saved-empty", iconElement: icon("bookmark"), title: "Nothing saved yet", text: "Tap the map or search for a place, then save it. Only you see what you save." })
      : h("ul", { class: "place-list saved-list" }, ...saved.map((place) => h("li", { class: "saved-row", dataset: { saved: place.id } },
        h("button", { class: "place-row", type: "button", onclick: () => mark(place, { goes: true }) }, icon("bookmark"), h("span", { class: "grow" }, h("strong", {}, place.name))),
        h("button", { class: "icon-button", type: "button", "aria-label": `Rename ${place.name}`, onclick: () => openSavePlace({ net, where: place, saved: taken }) }, icon("edit")),
        h("button", { class: "icon-button", type: "button", "aria-label": `Remove ${place.name}`, onclick: () => remove(place) }, icon("bin"))))));
    savedList.querySelector("#saved-empty")?.classList.add("small-empty");
  }

  async function remove(place) {
    const sure = await confirmDialog({ id: "remove-saved", title: `Remove ${place.name}?`, text: "It is forgotten.", confirm: "Remove", danger: true });
    if (!sure) return;
    try {
      await net.request("saved.remove", { id: place.id });
      saved = saved.filter(({ id }) => id !== place.id);
      if (marked?.id === place.id) mark(null);
      announce(`${place.name} is removed.`);
      drawSaved();
      (savedList.querySelector("button") ?? search.input).focus({ preventScroll: true });
    } catch (error) {
      toast(error.message);
      if (!error.isTransient) savedLoad.load();
    }
  }

  // MARK: most visited

  function drawVisited(places, isOn) {
    if (!isOn) {
      visitedList.replaceChildren(h("div", { class: "notice", id: "visited-off" }, icon("info"), h("span", { class: "grow" }, "This is off: where you are is not noted. ", h("a", { href: "/settings/privacy" }, "Switch it on in Privacy"), " to see here where you are most often; only you see it.")));
      return;
    }
    visitedList.replaceChildren(places.length === 0
      ? h("p", { class: "muted", id: "visited-empty" }, "Nothing yet. A place counts when you spend five minutes there while Campanile is open and may know where you are.")
      : h("div", { class: "stack tight" }, h("ul", { class: "place-list" }, ...places.map(({ place, lat, lon, visits, lastDay }) => {
        const name = place.name ?? "A building without a name";
        return h("li", { class: "saved-row" }, h("button", { class: "place-row", type: "button", onclick: () => mark({ name, lat, lon, ...(place.kind === "place" && { place: place.id }) }, { goes: true }) }, icon("pin"),
          h("span", { class: "grow" }, h("strong", {}, name), h("span", { class: "muted small" }, `On ${count(visits, "day")}, last on ${dayText(lastDay)}`))));
      })), h("div", { class: "row" }, h("button", { class: "button quiet danger", type: "button", id: "erase-visits", onclick: eraseVisits }, "Forget where I was"))));
  }

  async function eraseVisits() {
    const sure = await confirmDialog({ id: "erase-visits-dialog", title: "Forget where you were?", text: "All of it is forgotten at once; this cannot be undone. New visits are noted until you switch that off in Privacy.", confirm: "Forget all", danger: true });
    if (!sure) return;
    try {
      await net.request("visits.erase");
      announce("Forgotten.");
    } catch (error) {
      toast(error.message);
    }
    visitedLoad.load();
  }

  drawCard();
  savedLoad.load();
  visitedLoad.load();
  let wasLive = net.state === "live";
  const returned = () => {
    const isLive = net.state === "live";
    if (isLive && !wasLive) for (const part of [savedLoad, visitedLoad, search]) (part.load ?? part.reload)();
    wasLive = isLive;
  };
  const leaveIfSignedOut = () => { if (!net.account) router.go("/map", { replace: true }); };
  net.addEventListener("state", returned);
  net.addEventListener("account", leaveIfSignedOut);
  return () => {
    closed = true;
    for (const part of [search, savedLoad, visitedLoad, map]) part.close();
    net.removeEventListener("state", returned);
    net.removeEventListener("account", leaveIfSignedOut);
  };
}

/** A day such as `2026-11-20`, month first (U-5), whatever the reader's time zone is. */
function dayText(day) {
  const [year, month, date] = day.split("-").map(Number);
  return `${month}/${date}/${year}`;
}
