// The live map's part about people: those who share with the reader, and everybody on campus who wants to be seen.

import { h, keepFocus, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "../map/animation.js";
import { peopleNote } from "./peoplewords.js";
import { fillFace } from "../kit/person.js";
import { makePeopleLayer } from "../sharing/peoplelayer.js";
import { People } from "../sharing/people.js";
import { ageText, placeText } from "../sharing/words.js";
import { runnerColour } from "../map/palette.js";
import { currentTheme } from "../kit/theme.js";
import { KeyedChildren } from "../kit/keyed.js";
import { openShareSheet } from "../sharing/sharesheet.js";

const campusKey = "campanile.peopleOnMap";
const personZoomMin = 16;
const rowsMax = 60;
/** The runners are below: of many people only some are listed at first. */
const rowsFirst = 4;

/**
 * Makes the part about people; for a guest one without an element. `offset()` gives the middle of the part of the map that the panel
 * leaves; `onMove()` is called before the map moves, labels stay off `obstacles()`.
 */
export function makeMapPeople(app, { offset, onMove = () => {}, obstacles = () => [] }) {
  return app.net.account ? new MapPeople(app, { offset, onMove, obstacles }) : nobody;
}

/** The part of a guest. */
const nobody = { element: null, attach() {}, look() {}, show() {}, shown: () => [], boxes: () => [], close() {} };

/** People in the panel and on the map. */
class MapPeople {
  /** Goes into the panel. */
  element;

  #app; #net; #sharing; #offset; #onMove; #obstacles;
  #people; #scope;
  #ending = new AbortController();
  #view = null;
  #layer = null;
  #isOpen = false;

  #list = h("ul", { class: "people-list", id: "people-list" });
  #rows = new KeyedChildren(this.#list);
  #note = h("p", { class: "muted small people-note", id: "people-note", role: "status" });
  #more = h("button", {
    class: "button quiet small-button people-more", type: "button", id: "people-more", hidden: true, onclick: () => this.#toggle(),
  });

  constructor(app, { offset, onMove, obstacles }) {
    this.#app = app;
    this.#net = app.net;
    this.#sharing = app.sharing;
    this.#offset = offset;
    this.#onMove = onMove;
    this.#obstacles = obstacles;
    this.#people = new People(app.net, app.sharing);
    this.#scope = app.pictures.scope();
    const campus = this.#campusSwitch();
    this.element = this.#panel(campus);
    for (const [emitter, type] of [[this.#people, "change"], [this.#sharing, "change"], [this.#net, "state"]]) {
      emitter.addEventListener(type, () => this.#draw(), { signal: this.#ending.signal });
    }
    if (campus.checked) this.#people.setCampus(true);
    this.#draw();
  }

  /** Gives it the map, once that is there. */
  attach(view) {
    this.#view = view;
    this.#layer = makePeopleLayer(view.L, view.map, {
      clock: this.#net.clock, scope: this.#scope, onSelect: ({ share }) => this.#centre(share), obstacles: this.#obstacles,
    });
    view.whenThemeChanges(() => this.#layer.redraw());
    this.#draw();
  }

  /** Sets the visible part of the map. */
  look(box) {
    this.#people.look(box);
  }

  /** Moves the map to a person who shares, as soon as there is a position. */
  show(share) {
    this.#sharing.setHidden(share, false);
    const waiting = new AbortController();
    const go = () => {
      if (!this.#view || !isOnMap(this.#entry(share))) return;
      waiting.abort();
      this.#centre(share);
    };
    this.#people.addEventListener("change", go, { signal: waiting.signal });
    go();
  }

  /** The marks drawn, for tests. */
  shown() {
    return this.#layer?.shown() ?? [];
  }

  /** The boxes of the people's marks and labels, in the map's pixels. */
  boxes() {
    return this.#layer?.boxes() ?? [];
  }

  close() {
    this.#ending.abort();
    this.#people.close();
    this.#layer?.remove();
    this.#scope.close();
  }

  // MARK: the panel

  #campusSwitch() {
    const campus = h("input", { type: "checkbox", id: "people-campus", role: "switch", onchange: () => {
      localStorage.setItem(campusKey, String(campus.checked));
      this.#people.setCampus(campus.checked);
    } });
    campus.checked = localStorage.getItem(campusKey) === "true";
    return campus;
  }

  #panel(campus) {
    const share = h("button", {
      class: "button small-button", type: "button", id: "share-open", onclick: () => openShareSheet(this.#app),
    }, icon("share"), "Share my location");
    return h("section", { class: "people-panel", "aria-label": "People" },
      h("div", { class: "people-head" }, h("h2", {}, h("a", { href: "/sharing" }, "People")), share),
      this.#list, this.#more, this.#note,
      h("label", { class: "switch people-switch" },
        h("span", { class: "grow" }, "Show people sharing with everyone"), campus,
        h("span", { class: "switch-track", "aria-hidden": "true" })));
  }

  #toggle() {
    this.#isOpen = !this.#isOpen;
    this.#draw();
  }

  #draw() {
    const { entries } = this.#people;
    this.#layer?.draw(entries, { isLive: this.#net.state === "live" });
    const direct = entries.filter(({ isDirect }) => isDirect);
    const shown = direct.slice(0, this.#isOpen ? rowsMax : rowsFirst);
    // A hidden person is shown again on the page that the heading leads to.
    keepFocus(this.#list, () => this.#rows.draw(shown.map((entry) => this.#keyedRow(entry))), () => this.element.querySelector("h2 a"));
    this.#more.hidden = direct.length <= rowsFirst;
    setText(this.#more, this.#isOpen ? "Show fewer" : `Show all ${direct.length}`);
    this.#more.setAttribute("aria-expanded", String(this.#isOpen));
    setText(this.#note, this.#noteText(entries, direct));
    this.#note.hidden = this.#note.textContent === "";
  }

  #keyedRow(entry) {
    const { share, person, location } = entry;
    const isLive = this.#net.state === "live";
    const age = ageText(entry, location ? this.#net.clock.age(location.at) : 0);
    const colour = runnerColour(person.account, currentTheme());
    const state = [placeText(entry), isLive || !age ? age : `${age}, offline`].filter(Boolean).join(" · ");
    return {
      key: share, sig: JSON.stringify([person.name, person.picture, isOnMap(entry), colour]),
      make: () => this.#row(entry, colour), set: (row) => setText(row.querySelector(".runner-state"), state),
    };
  }

  #row(entry, colour) {
    const { share, person } = entry;
    const face = h("span", { class: "person-face", "aria-hidden": "true" });
    fillFace(face, this.#scope, person);
    face.style.setProperty("--person", colour.fill);
    face.style.setProperty("--person-ink", colour.ink);
    const state = `person-state-${share}`;
    const words = h("span", { class: "runner-who" },
      h("span", { class: "runner-name" }, person.name), h("span", { class: "runner-state", id: state }));
    const go = isOnMap(entry)
      ? h("button", {
        class: "people-go", type: "button", "aria-label": `Show ${person.name} on the map`, "aria-describedby": state,
        onclick: () => this.#centre(share),
      }, face, words)
      : h("div", { class: "people-go" }, face, words);
    const hide = h("button", {
      class: "icon-button", type: "button", "aria-label": `Hide ${person.name}`, title: "Hide",
      onclick: () => this.#sharing.setHidden(share, true),
    }, icon("unseen"));
    return h("li", { class: "people-row", dataset: { share } }, go, hide);
  }

  #noteText(entries, direct) {
    const { withMe, hidden, problem, isLoaded } = this.#sharing;
    const people = this.#people;
    return peopleNote({
      shares: withMe.length, hidden: withMe.filter(({ id }) => hidden.has(id)).length, direct: direct.length,
      isFailed: Boolean(problem) && !isLoaded, isOffline: !isLoaded && this.#app.net.state === "offline",
      campus: people.isCampus ? {
        others: entries.length - direct.length, problem: people.problem, isWhole: people.isWhole,
        more: people.more + (this.#layer?.left ?? 0),
      } : null,
    });
  }

  // MARK: the map

  #entry(share) {
    return this.#people.entries.find((entry) => entry.share === share);
  }

  #centre(share) {
    const entry = this.#entry(share);
    if (!this.#view || !isOnMap(entry)) return;
    const { lat, lon } = entry.location;
    const { map } = this.#view;
    this.#onMove();
    const zoom = Math.max(map.getZoom(), personZoomMin);
    map.setView(map.unproject(map.project([lat, lon], zoom).subtract(this.#offset()), zoom), zoom, { animate: mayAnimate() });
  }
}

/** Whether a person, or undefined, has a position to show. */
function isOnMap(entry) {
  return Number.isFinite(entry?.location?.lat);
}
