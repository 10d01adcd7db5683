// Destinations, as `search.find` gives them: buildings, rooms, places and zones. Pure.

import { capital, distanceText } from "../kit/format.js";

/** A saved place without a number is that destination when it is nearer than about a metre. */
const samePlaceDegrees = 1e-5;

const kinds = ["building", "room", "place", "zone"];

/** Names of kinds of places that are not their key in plain words. */
const classNames = { cafe: "Café", atm: "ATM", gym: "Gym", wc: "Toilets", toilet: "Toilets", bus_stop: "Bus stop" };
const kindNames = { building: "Building", room: "Room", place: "Place", zone: "Zone" };

/** `{kind, number}` of an id such as `place/56`, or null. */
export function readId(id) {
  const [, kind, digits] = /^([a-z]+)\/([1-9]\d{0,15})$/.exec(id) ?? [];
  const number = Number(digits);
  return kinds.includes(kind) && Number.isSafeInteger(number) ? { kind, number } : null;
}

/** The address of a destination's page. */
export const pathOf = ({ id }) => `/place/${id}`;

/** The address of the page that leads there. */
export const routeTo = ({ id }) => `/route?to=${encodeURIComponent(id)}`;

/** `lecture_hall` as a person reads it: `Lecture hall`. */
export const className = (name) => classNames[name] ?? capital(String(name).replaceAll("_", " "));

/** Kinds that are everywhere, and of which the nearest is wanted. */
const amenities = new Set(["toilets", "toilet", "wc", "drinking_water", "parking", "bicycle_parking", "waste_basket", "recycling", "bench",
  "vending_machine", "parking_entrance", "bicycle_rental", "charging_station", "fountain", "shelter", "telephone", "post_box"]);

/** The places with the first of each kind of amenity alone; `others` of it is the number of those left out. */
export function foldAmenities(places) {
  const firsts = new Map();
  const kept = [];
  for (const place of places) {
    const first = firsts.get(place.class);
    if (first) first.others = (first.others ?? 0) + 1;
    else {
      const copy = { ...place };
      if (amenities.has(place.class)) firsts.set(place.class, copy);
      kept.push(copy);
    }
  }
  return kept;
}

/** What a destination is: `Café`, `Room`. */
export function kindName({ kind, class: name }) {
  return name && name !== "yes" ? className(name) : kindNames[kind] ?? "Place";
}

/** `Level 2`; level 0 is the ground floor. */
export function levelName(level) {
  return String(level) === "0" ? "Ground floor" : `Level ${String(level).replace("-", "−")}`;
}

/** What stands below the name: what it is, its code, where it is, and how far. */
export function hintOf(destination) {
  const { name, code, building, level, metres, alternative } = destination;
  return [
    kindName(destination) === name ? null : kindName(destination),
    code && code !== name ? code : null, building && building !== name ? building : null,
    level === undefined ? null : levelName(level), alternative ? `also “${alternative}”` : null,
    metres === undefined ? null : distanceText(metres),
  ].filter(Boolean).join(" · ");
}

/** Whether one can get in with a wheelchair, in words; null where nothing is known. */
export const wheelchairText = (value) => (
  { yes: "Step-free", limited: "Partly step-free", no: "Not step-free" }[value] ?? null);

/** `4 min`, from seconds; at least a minute. */
export const walkText = (seconds) => `${Math.max(1, Math.round(seconds / 60))} min`;

/** `About 25 people around here now`: the server counts by areas that are larger than a place. */
export const peopleText = (people) => `About ${people.toLocaleString("en")} ${people === 1 ? "person" : "people"} around here now`;

/**
 * The parameters of `search.find` and `places.nearby` that a filter stands for. `kind` is `building` or `class:cafe`, for example.
 * @returns {{kinds?: string[], class?: string, openNow?: boolean, stepFree?: boolean, zone?: number}}
 */
export function filterParams({ kind = "", isOpen = false, isStepFree = false, zone = "" }) {
  return {
    ...(kind.startsWith("class:") ? { class: kind.slice("class:".length) } : kind && { kinds: [kind] }),
    ...(isOpen && { openNow: true }), ...(isStepFree && { stepFree: true }), ...(zone && { zone: Number(zone) }),
  };
}

/** Whether a filter leaves anything out. */
export const isFiltering = (filter) => Object.keys(filterParams(filter)).length > 0;

/** The line above results. `problem` is why the server did not answer, or null: then what is found is of the campus map. */
export function foundText({ found, text, isFiltered, problem }) {
  const isFailed = problem !== null;
  if (isFailed && found === 0) return problem;
  if (isFailed) return `${problem} These are from the campus map.`;
  if (found > 0) return `${found.toLocaleString("en")} ${found === 1 ? "result" : "results"}`;
  return isFiltered ? `No places match “${text}” with these filters.` : `No places match “${text}”.`;
}

/** The saved place that is this destination, or null. */
export function savedOf(places, { id, name, lat, lon }) {
  const { kind, number } = readId(id) ?? {};
  return places.find((saved) => (kind === "place" && saved.place === number)
    || (saved.name === name && Math.abs(saved.lat - lat) < samePlaceDegrees && Math.abs(saved.lon - lon) < samePlaceDegrees)) ?? null;
}
