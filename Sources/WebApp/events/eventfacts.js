// The facts of an event on its page: time, place with a small map, host and description.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeKeyedContents } from "../kit/keyed.js";
import { avatar, personName } from "../kit/person.js";
import { makePlaceMap } from "../map/picker.js";
import { zoneName } from "./row.js";
import { lengthOf, spanOf, untilOf } from "./times.js";

/** A card; `close` ends its map. */
export class EventFacts {
  #app;
  #scope;
  #when = h("div", { class: "event-fact", id: "event-when" });
  #where = h("div", { class: "event-fact", id: "event-where" });
  #mapPlace = h("div", { class: "event-map-place" });
  #owner = h("div", { class: "event-fact", id: "event-owner" });
  #workout = h("div", { class: "event-fact", id: "event-workout", hidden: true });
  #description = h("p", { class: "event-description", id: "event-description" });
  // The page draws every few seconds: links that stay the same keep the focus.
  #showWhere = makeKeyedContents(this.#where);
  #showOwner = makeKeyedContents(this.#owner);
  #showWorkout = makeKeyedContents(this.#workout);
  #map = null;
  #mapKey = null;

  /** `scope` is that of the page's pictures. */
  constructor(app, scope) {
    this.#app = app;
    this.#scope = scope;
    this.element = h("section", { class: "card stack" }, this.#when, this.#where, this.#mapPlace, this.#owner, this.#workout,
      this.#description);
  }

  draw(event, { workouts, now }) {
    this.#drawWhen(event, now);
    this.#drawWhere(event);
    this.#drawMap(event.details, workouts);
    this.#drawOwner(event);
    this.#drawWorkout(event.mine.workout);
    this.#description.hidden = !event.details.description;
    setText(this.#description, event.details.description ?? "");
  }

  close() {
    this.#map?.close();
  }

  #drawWhen(event, now) {
    const { details } = event;
    const length = lengthOf(details.duration);
    this.#when.replaceChildren(icon("clock"), h("div", {},
      h("p", {}, h("time", { datetime: details.startsAt }, h("strong", {}, spanOf(event, now)))),
      h("p", { class: "muted", id: "event-until" }, event.state === "cancelled" ? length : `${length} · ${untilOf(event, now)}`)));
  }

  #drawWhere(event) {
    const { place } = event.details;
    const zone = zoneName(event, this.#app.net.campus ?? this.#app.lastCampus());
    const area = zone ? `Zone ${zone}` : Number.isFinite(place.lat) ? "Outside all zones" : "Not marked on the map";
    const hasDirections = Number.isFinite(place.lat) && event.state !== "cancelled";
    this.#showWhere(JSON.stringify([event.id, place.name, area, hasDirections]), () => [icon("pin"),
      h("div", {}, h("p", {}, h("strong", {}, place.name)), h("p", { class: "muted" }, area), hasDirections
        ? h("p", {}, h("a", { class: "link", id: "event-directions", href: `/route?to=event/${event.id}` }, "Directions")) : null)]);
  }

  #drawMap({ place, workout }, workouts) {
    const key = JSON.stringify([place.lat, place.lon, workout]);
    if (key === this.#mapKey) return;
    this.#mapKey = key;
    this.#map?.close();
    const colour = workouts.find(({ id }) => id === workout)?.colour;
    this.#map = Number.isFinite(place.lat) ? makePlaceMap({ app: this.#app, place, colour }) : null;
    this.#mapPlace.replaceChildren(...(this.#map ? [this.#map.element] : []));
  }

  /** The person's own workout that is planned at the event. */
  #drawWorkout(id) {
    this.#workout.hidden = !id;
    this.#showWorkout(id ?? null, () => (id ? [icon("strength"),
      h("p", {}, h("a", { class: "link", href: `/workouts/${id}` }, "Your workout for this event"))] : []));
  }

  #drawOwner({ id, owner }) {
    const { account } = this.#app.net;
    this.#owner.hidden = !owner && Boolean(account);
    // A person is drawn each time: a picture that could not be loaded is loaded then.
    this.#showOwner(owner ? Symbol("owner") : id, () => (owner
      ? [avatar(this.#scope, owner, { size: 40 }), h("div", {}, h("p", { class: "muted small" }, "Hosted by"),
        h("p", {}, h("strong", {}, personName(owner, account?.id ?? null))))]
      : [icon("account"), h("p", {}, h("a", { href: `/login?next=/events/${id}` }, "Log in"), " to see who hosts it.")]));
  }
}
