// Recommended workouts (C-5): one for the person first, generic ones below, and what was left out and why.

import { equipments, exerciseTypes, fitnessGoals, workoutPlaces } from "../client/registry.js";
import { emptyState, h } from "../kit/dom.js";
import { makeChips } from "../kit/fields.js";
import { count, distanceText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { Loader } from "../kit/loader.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { routeTo } from "../places/destinations.js";
import { knownPosition } from "../places/whereabouts.js";
import { makeSelect } from "./fields.js";
import { recommendationCard } from "./recommendation.js";
import { equipmentName, goalName, optionsOf, placeName, typeName } from "./words.js";

const offsetMax = 60;
const minuteChoices = [10, 20, 30, 45, 60, 90];
const waitMilliseconds = 300;

await loadStyles("/app/workouts/workouts.css");

/** Serves `/workouts/recommended`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/workouts/recommended")) return undefined;
  const page = new RecommendedPage(app);
  root.append(page.element);
  page.start();
  return () => page.close();
}

class RecommendedPage {
  element;

  #app; #net; #loader; #stopFollowing; #fields; #equipment;
  #ending = new AbortController();
  #timer = 0;
  #offset = 0;
  /** Whether the last request failed: then what is shown belongs to an earlier choice. */
  #isFailed = false;
  #position = null;

  #status = h("div", {});
  #first = h("div", {});
  #others = h("div", { class: "recommendation-list" });
  #about = h("div", { class: "stack" });
  #more = h("button", { class: "button wide", type: "button", id: "see-more", hidden: true, onclick: () => this.#loadMore() }, "See More");

  constructor(app) {
    this.#app = app;
    this.#net = app.net;
    this.#loader = new Loader({
      fetch: () => this.#fetch(0),
      loading: () => { this.#status.replaceChildren(loading(this.#net)); },
      loaded: (reply) => this.#draw(reply), failed: (error) => this.#fail(error),
    });
    const any = (label) => [{ id: "", label }];
    const changed = () => this.#changed();
    this.#fields = {
      type: makeSelect({ id: "type", label: "Type", options: [...any("Any type"), ...optionsOf(exerciseTypes, typeName)], changed }),
      goal: makeSelect({ id: "goal", label: "Goal", options: [...any("My goals"), ...optionsOf(fitnessGoals, goalName)], changed }),
      place: makeSelect({ id: "place", label: "Place", options: [...any("Anywhere"),
        ...optionsOf(workoutPlaces.filter((one) => one !== "anywhere"), placeName)], changed }),
      minutes: makeSelect({ id: "minutes", label: "Time", value: "30", options: minuteChoices.map((id) => ({ id: String(id),
        label: `${id} min` })), changed }),
    };
    this.#equipment = makeChips({ name: "equipment", label: "Equipment you have", hint: "Leave this empty to use what the place has.",
      most: equipments.length, options: optionsOf(equipments, equipmentName), changed });
    this.element = h("div", { class: "page stack workouts-page" }, h("p", {}, h("a", { href: "/workouts", class: "back" }, "← Workouts")),
      h("h1", { tabindex: "-1" }, "Recommended workouts"),
      h("div", { class: "filter-grid" }, ...Object.values(this.#fields).map(({ element }) => element)),
      h("details", {}, h("summary", {}, "Equipment"), this.#equipment.element),
      this.#status, this.#first, this.#others, this.#more, this.#about);
  }

  async start() {
    leaveWhenSignedOut(this.#app, this.#ending.signal);
    this.#stopFollowing = whenLive(this.#net, () => { if (!this.#loader.hasLoaded || this.#isFailed) this.#loader.load(); });
    this.#position = await knownPosition(this.#app);
    if (!this.#ending.signal.aborted) this.#loader.load();
  }

  close() {
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#loader.close();
    this.#stopFollowing();
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#loader.load(), waitMilliseconds);
  }

  #fetch(offset) {
    const { type, goal, place, minutes } = this.#fields;
    const equipment = this.#equipment.value;
    return this.#net.request("workouts.recommend", {
      ...(type.value && { type: type.value }), ...(goal.value && { goal: goal.value }), ...(place.value && { place: place.value }),
      minutes: Number(minutes.value), ...(equipment.length > 0 && { equipment }), ...(offset > 0 && { offset }),
      ...(this.#position && { lat: this.#position.lat, lon: this.#position.lon }),
    });
  }

  async #loadMore() {
    this.#more.disabled = true;
    try {
      const reply = await this.#fetch(this.#offset);
      if (this.#ending.signal.aborted) return;
      const before = this.#others.childElementCount;
      this.#add(reply);
      /** @type {HTMLElement | null | undefined} */ (this.#others.children[before]?.querySelector("summary"))?.focus();
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#fail(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  #fail(error) {
    this.#isFailed = true;
    if (isOnlyOffline(error, this.#net)) {
      this.#status.replaceChildren(h("p", { class: "notice", role: "status" }, icon("offline"),
        h("span", {}, "You're offline. Recommendations appear when you're back online.")));
      return;
    }
    this.#status.replaceChildren(loadProblem({
      id: "recommended-problem", title: "Couldn't load recommendations", text: error.message, again: () => this.#loader.load(),
    }));
  }

  #draw(reply) {
    this.#isFailed = false;
    const { recommended, others, guidelines, leftOut, place } = reply;
    const isEmpty = !recommended && others.length === 0;
    this.#status.replaceChildren(...(isEmpty ? [emptyState({ id: "recommended-empty", iconElement: icon("strength"),
      title: "No workouts found", text: "Try another type, place or equipment.",
      action: h("a", { class: "button", href: "/workouts/new" }, "Create your own") })] : []));
    this.#first.replaceChildren(...(recommended ? [recommendationCard(this.#app, recommended, { isFirst: true, level: "h2" })] : []));
    this.#offset = 0;
    this.#others.replaceChildren();
    this.#add(reply);
    this.#about.replaceChildren(...[placeCard(place), guidelinesCard(guidelines), leftOutCard(leftOut)].filter(Boolean));
  }

  #add({ others, hasMore }) {
    this.#others.append(...others.map((one) => recommendationCard(this.#app, one, { level: "h2" })));
    this.#offset += others.length;
    this.#more.hidden = !hasMore || this.#offset > offsetMax;
  }
}

const card = (id, title, ...content) => h("section", { class: "card stack tight", "aria-labelledby": id }, h("h2", { id }, title),
  ...content);

function placeCard(place) {
  if (!place) return null;
  const hints = [distanceText(place.metres), place.open === true ? "open now" : place.open === false ? "closed now" : null].filter(Boolean);
  return card("closest-title", "Closest suitable place", h("div", { class: "workout-place" }, icon("pin"),
    h("span", { class: "grow" }, h("a", { href: `/place/${place.destination}` }, place.name), h("span", { class: "muted small" },
      hints.join(" · "))),
    h("a", { class: "button small-button", href: routeTo({ id: place.destination }) }, icon("track"), "Directions")));
}

const guidelinesCard = (guidelines) => (guidelines.length === 0 ? null
  : card("safety-title", "Train safely", h("ul", { class: "plain-list" }, ...guidelines.map((text) => h("li", {}, text)))));

function leftOutCard(leftOut) {
  if (leftOut.length === 0) return null;
  return card("left-out-title", "Left out for you",
    h("p", { class: "muted small" }, `${count(leftOut.length, "exercise")} that don't suit your body data.`),
    h("ul", { class: "plain-list" }, ...leftOut.map(({ name, reason }) => h("li", {}, h("strong", {}, name), " ",
      h("span", { class: "muted" }, reason)))));
}
