// What the page of a workout says before the start: its facts, its place, and its parts with their exercises.

import { h } from "../kit/dom.js";
import { count, distanceText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { routeTo } from "../places/destinations.js";
import { askPosition, knownPosition } from "../places/whereabouts.js";
import { exerciseDiagram } from "./diagram.js";
import { entriesOf, sectionOrder, sectionSeconds } from "./plan.js";
import { equipmentText, intensityHint, intensityName, minutesText, placeName, secondsText, sectionName, setsText,
  typeName } from "./words.js";

/** Places of the campus suit workouts that are made for these. */
const placesWithDestination = new Set(["gym", "pool", "track", "outdoors"]);

const fact = (label, ...content) => h("div", {}, h("dt", {}, label), h("dd", {}, ...content));

/** Type, intensity, duration, equipment and place. */
export function planFacts(plan) {
  return h("dl", { class: "facts workout-facts" },
    fact("Duration", minutesText(plan.minutes)), fact("Type", typeName(plan.type)),
    fact("Intensity", intensityName(plan.intensity), h("span", { class: "hint" }, intensityHint(plan.intensity))),
    fact("Equipment", equipmentText(plan.equipment)));
}

function placeRow({ id, name, metres = undefined, open = undefined }) {
  const hints = [metres === undefined ? null : distanceText(metres), open === true ? "Open now" : open === false ? "Closed now" : null];
  return h("div", { class: "workout-place" }, icon("pin"),
    h("span", { class: "grow" }, h("a", { href: `/place/${id}` }, name), h("span", { class: "muted small" },
      hints.filter(Boolean).join(" · "))),
    h("a", { class: "button small-button", href: routeTo({ id }) }, icon("track"), "Directions"));
}

/** The place of a plan, with the way there, or the closest one that suits it. */
export function makePlaceCard(app, plan) {
  const found = h("div", { class: "stack tight" });
  const element = h("section", { class: "card stack tight", "aria-labelledby": "place-title" },
    h("h2", { id: "place-title" }, "Where"), found);
  if (plan.destination) {
    found.append(placeRow({ id: plan.destination, name: plan.destinationName ?? "The place on the map" }));
    return element;
  }
  found.append(h("p", {}, placeName(plan.place)));
  if (placesWithDestination.has(plan.place)) addClosest(app, plan, found);
  return element;
}

async function addClosest(app, plan, found) {
  const line = h("div", { "aria-live": "polite" });
  found.append(line);
  const search = async (position) => {
    try {
      const { place } = await app.net.request("workouts.recommend", { place: plan.place, type: plan.type, lat: position.lat,
        lon: position.lon });
      line.replaceChildren(...(place ? [h("p", { class: "muted small" }, "Closest suitable place"),
        placeRow({ ...place, id: place.destination })]
        : [h("p", { class: "muted small" }, "There's no suitable place on the campus map.")]));
    } catch {
      line.replaceChildren(h("p", { class: "muted small" }, "The closest place appears here when you're online."));
    }
  };
  const known = await knownPosition(app);
  if (known) return search(known);
  const ask = h("button", { class: "button small-button", type: "button", onclick: async () => {
    ask.disabled = true;
    try {
      await search(await askPosition());
    } catch (error) {
      line.replaceChildren(h("p", { class: "problem" }, error.message), ask);
      ask.disabled = false;
    }
  } }, icon("here"), "Find the closest place");
  line.replaceChildren(ask);
  return undefined;
}

function entryRow(entry, exercises) {
  const exercise = exercises.find(({ id }) => id === entry.exercise);
  const name = exercise?.name ?? "An exercise that is no longer available";
  const path = `/exercises/${entry.exercise.split("/").map(encodeURIComponent).join("/")}`;
  return h("li", { class: "entry-row" }, h("div", { class: "entry-diagram" }, exerciseDiagram(exercise ?? {})),
    h("div", { class: "entry-what" }, exercise ? h("a", { href: path }, name) : h("strong", {}, name),
      h("span", {}, setsText(entry.sets)),
      h("span", { class: "muted small" }, [entry.restSeconds > 0 ? `${secondsText(entry.restSeconds)} rest after each set` : null,
        exercise?.isUnilateral ? "each side" : null].filter(Boolean).join(" · ")),
      entry.note ? h("span", { class: "small" }, entry.note) : null,
      exercise?.exclusion ? h("span", { class: "notice warn small" }, icon("warning"), exercise.exclusion.reason) : null));
}

const groupRow = ({ entries }, exercises) => (entries.length === 1 ? entryRow(entries[0], exercises)
  : h("li", { class: "superset" }, h("p", { class: "superset-title" }, `Superset: alternate these ${entries.length}`),
    h("ul", { class: "entry-list" }, ...entries.map((entry) => entryRow(entry, exercises)))));

/** The parts of a plan, each with its time. */
export function planSections({ sections }, exercises) {
  return sectionOrder.map((kind) => sections.find((section) => section.kind === kind)).filter(Boolean).map((section) => (
    h("section", { class: "card stack tight", "aria-labelledby": `section-${section.kind}` },
      h("div", { class: "section-head" }, h("h2", { id: `section-${section.kind}` }, sectionName(section.kind)),
        h("span", { class: "muted small" },
          `${count(entriesOf(section).length, "exercise")} · about ${secondsText(roundedSeconds(section))}`)),
      h("ul", { class: "entry-list" }, ...section.groups.map((group) => groupRow(group, exercises))))));
}

/** An estimate is given in whole minutes. */
const roundedSeconds = (section) => Math.max(60, Math.round(sectionSeconds(section) / 60) * 60);
