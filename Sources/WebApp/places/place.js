// The page of a building, room, place or zone.

import { emptyState, h, keepFocus, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeLoadable } from "../kit/loadable.js";
import { loadStyles } from "../kit/styles.js";
import { makePlaceMap } from "../map/picker.js";
import { hintOf, peopleText, readId } from "./destinations.js";
import { campusClock, openState, openText } from "./hours.js";
import { PlaceActions } from "./placeactions.js";
import { makeRoomMap } from "./roommap.js";
import { accessCard, contactCard, detailsCard, eventsCard, hoursCard, picturesPart } from "./placefacts.js";

/** How many people are there, and whether a place is open, change while the page is read. */
const liveMilliseconds = 60_000;

await loadStyles("/app/places/places.css");

/** Serves `/place/:kind/:id`. */
export function show(root, { kind, id }, app) {
  const destination = `${kind}/${id}`;
  if (!readId(destination)) {
    root.append(h("div", { class: "page" }, missing()));
    return undefined;
  }
  const page = new PlacePage(app, destination);
  root.append(page.element);
  page.start();
  return () => page.close();
}

function missing() {
  const state = emptyState({
    id: "place-missing", iconElement: icon("pin"), title: "This place isn't here",
    text: "It may have been removed, or the address is mistyped.",
    action: h("a", { class: "button", href: "/search" }, icon("search"), "Search"),
  });
  // The page has no other heading.
  state.querySelector("h2").replaceWith(h("h1", { tabindex: "-1" }, "This place isn't here"));
  return state;
}

class PlacePage {
  element;

  #app; #destination; #scope; #loadable; #actions;
  #ticker = 0;
  #page = null;
  #clock = campusClock(undefined);
  #placeMap = null;
  #isClosed = false;
  #heading = h("h1", { tabindex: "-1" }, "Place");
  #hint = h("p", { class: "muted", id: "place-hint" });
  #open = h("span", { class: "state-chip", id: "place-open", hidden: true });
  #people = h("span", { class: "state-chip", id: "place-people", hidden: true });
  #head; #content = h("div", { class: "place-page-grid", id: "place-content" });

  constructor(app, destination) {
    this.#app = app;
    this.#destination = destination;
    this.#scope = app.pictures.scope();
    this.#actions = new PlaceActions(app, { edited: (page) => this.#draw(page) });
    this.#head = h("header", { class: "stack tight" }, this.#heading, this.#hint,
      h("div", { class: "row" }, this.#open, this.#people), this.#actions.element);
    this.#loadable = makeLoadable({ net: app.net, fetch: () => this.#fetch(), draw: (page) => this.#draw(page) });
    this.element = h("div", { class: "page stack place-page" },
      h("p", {}, h("a", { href: "/search", class: "back" }, "← Search")), this.#loadable.element, this.#content);
  }

  start() {
    this.#loadable.load();
    this.#ticker = setInterval(() => this.#renew(), liveMilliseconds);
  }

  close() {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    this.#actions.close();
    this.#loadable.close();
    this.#placeMap?.close();
    this.#scope.close();
  }

  async #fetch() {
    try {
      return await this.#app.net.read("places.page", { destination: this.#destination });
    } catch (error) {
      if (error.isNotFound) return null;
      throw error;
    }
  }

  /** Draws what changes by itself. */
  async #renew() {
    if (!this.#page) return;
    this.#drawLive(this.#page);
    const { net } = this.#app;
    if (net.state !== "live" || document.visibilityState !== "visible") return;
    try {
      const page = await net.request("places.page", { destination: this.#destination });
      if (!this.#isClosed) this.#drawLive(page);
    } catch {
      // The page stays as it is until the next time.
    }
  }

  #draw(page) {
    if (this.#isClosed) return;
    if (!page) {
      this.#head.remove();
      this.#content.replaceChildren(missing());
      return;
    }
    const { name } = page.destination;
    this.#clock = campusClock(page.timeZone);
    setText(this.#heading, name);
    document.title = this.#app.titled(name);
    setText(this.#hint, [hintOf(page.destination), page.zone].filter(Boolean).join(" · "));
    this.#drawLive(page);
    this.#actions.show(page);
    // The shell moves the focus to the heading when it is added.
    if (!this.#head.isConnected) this.#loadable.element.before(this.#head);
    this.#placeMap?.close();
    this.#placeMap = page.destination.kind === "room" ? makeRoomMap({ app: this.#app, room: page.destination })
      : makePlaceMap({ app: this.#app, place: page.destination, colour: null });
    keepFocus(this.#content, () => this.#content.replaceChildren(...this.#parts(page)), () => this.#heading);
  }

  #parts(page) {
    const now = this.#app.net.clock.now();
    const main = [picturesPart(page, this.#scope), hoursCard(page, now, this.#clock), detailsCard(page), eventsCard(page)].filter(Boolean);
    const side = [h("section", { class: "card stack tight", "aria-labelledby": "place-map-title" },
      h("h2", { id: "place-map-title" }, "Where it is"), this.#placeMap.element), accessCard(page), contactCard(page)].filter(Boolean);
    return [main, side].filter((cards) => cards.length > 0).map((cards) => h("div", { class: "stack" }, ...cards));
  }

  #drawLive(page) {
    this.#page = page;
    const now = this.#app.net.clock.now();
    const { openings, destination } = page;
    const text = openText({ openings, open: destination.open }, now, this.#clock);
    const isOpen = openState(openings, now)?.isOpen ?? destination.open;
    this.#open.hidden = text === null;
    this.#open.dataset.state = isOpen ? "moving" : "";
    this.#open.replaceChildren(icon("clock"), text ?? "");
    this.#people.hidden = page.people === undefined;
    this.#people.replaceChildren(icon("group"), page.people === undefined ? "" : peopleText(page.people));
  }
}
