// The live map's part about people: who shares with the reader, everybody on campus who wants to be seen, and where the reader is.

import { h, keepFocus, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "../map/mapview.js";
import { fillFace, makePeopleLayer } from "../sharing/peoplelayer.js";
import { People } from "../sharing/people.js";
import { ageText, placeText } from "../sharing/words.js";
import { runnerColour } from "../map/palette.js";
import { currentTheme } from "../kit/theme.js";
import { KeyedChildren } from "../kit/keyed.js";
import { openShareSheet } from "../sharing/sharesheet.js";

const campusKey = "campanile.peopleOnMap";
const personZoomMin = 16;
const rowsMax = 60;
/** The runners are below: of many people one sees some first. */
const rowsFirst = 4;

/**
 * `{element, attach(view), look(box), shown(), close}`: `element` goes into the panel; empty for a guest. `offset()` gives the middle of
 * the part of the map that the panel leaves; `onMove()` is called before the map moves, labels stay off `obstacles()`.
 */
export function makeMapPeople(app, { offset, onMove = () => {}, obstacles = () => [] }) {
  const { net, sharing } = app;
  if (!net.account) return { element: null, attach() {}, look() {}, show() {}, shown: () => [], boxes: () => [], close() {} };
  const people = new People(net, sharing);
  const scope = app.pictures.scope();
  let view = null;
  let layer = null;

  const list = h("ul", { class: "people-list", id: "people-list" });
  const rows = new KeyedChildren(list);
  const note = h("p", { class: "muted small people-note", id: "people-note", role: "status" });
  let isOpen = false;
  const more = h("button", { class: "button quiet small-button people-more", type: "button", id: "people-more", hidden: true, onclick: () => {
    isOpen = !isOpen;
    draw();
  } });
  const campus = h("input", { type: "checkbox", id: "people-campus", role: "switch", onchange: () => {
    localStorage.setItem(campusKey, String(campus.checked));
    people.setCampus(campus.checked);
  } });
  campus.checked = localStorage.getItem(campusKey) === "true";
  const element = h("section", { class: "people-panel", "aria-label": "People" },
    h("div", { class: "people-head" }, h("h2", {}, h("a", { href: "/sharing" }, "People")),
      h("button", { class: "button small-button", type: "button", id: "share-open", onclick: () => openShareSheet(app) }, icon("share"), "Share where I am")),
    list, more, note,
    h("label", { class: "switch people-switch" }, h("span", { class: "grow" }, "Everyone on campus who wants to be seen"), campus, h("span", { class: "switch-track", "aria-hidden": "true" })));

  function draw() {
    const entries = people.entries;
    const isLive = net.state === "live";
    layer?.draw(entries, { isLive });
    const direct = entries.filter(({ isDirect }) => isDirect);
    // Whoever is hidden is shown again by the page that the heading leads to.
    keepFocus(list, () => rows.draw(direct.slice(0, isOpen ? rowsMax : rowsFirst).map((entry) => {
      const age = ageText(entry, entry.location ? net.clock.age(entry.location.at) : 0);
      const colour = runnerColour(entry.person.account, currentTheme());
      return {
        key: entry.share, sig: JSON.stringify([entry.person.name, entry.person.picture, isOnMap(entry), colour]), make: () => row(entry, colour),
        set: (made) => setText(made.querySelector(".runner-state"), [placeText(entry), isLive || !age ? age : `${age}, offline`].filter(Boolean).join(" · ")),
      };
    })), () => element.querySelector("h2 a"));
    more.hidden = direct.length <= rowsFirst;
    setText(more, isOpen ? "Show fewer" : `Show all ${direct.length}`);
    more.setAttribute("aria-expanded", String(isOpen));
    setText(note, noteText(entries, direct));
    note.hidden = note.textContent === "";
  }

  const isOnMap = ({ location }) => Number.isFinite(location?.lat);

  function row(entry, colour) {
    const face = h("span", { class: "person-face", "aria-hidden": "true" });
    fillFace(face, scope, entry.person);
    face.style.setProperty("--person", colour.fill);
    face.style.setProperty("--person-ink", colour.ink);
    const state = `person-state-${entry.share}`;
    const words = h("span", { class: "runner-who" }, h("span", { class: "runner-name" }, entry.person.name), h("span", { class: "runner-state", id: state }));
    return h("li", { class: "people-row", dataset: { share: entry.share } },
      isOnMap(entry) ? h("button", { class: "people-go", type: "button", "aria-label": `Show ${entry.person.name} on the map`, "aria-describedby": state, onclick: () => centre(entry.share) }, face, words) : h("div", { class: "people-go" }, face, words),
      h("button", { class: "icon-button", type: "button", "aria-label": `Hide ${entry.person.name}`, title: "Hide", onclick: () => sharing.setHidden(entry.share, true) }, icon("unseen")));
  }

  function noneText(hidden) {
    if (sharing.withMe.length > 0) return hidden > 0 ? "" : "Waiting for what is shared with you…";
    return sharing.problem && !sharing.isLoaded ? "What is shared with you could not be loaded. It is tried again by itself." : "Nobody shares with you now.";
  }

  function noteText(entries, direct) {
    const parts = [];
    const hidden = sharing.withMe.filter(({ id }) => sharing.hidden.has(id)).length;
    if (direct.length === 0) parts.push(noneText(hidden));
    if (hidden > 0) parts.push(`${count(hidden, "person", "people")} hidden by you: see Sharing.`);
    if (people.isCampus) {
      const others = entries.length - direct.length;
      parts.push(people.problem ? people.problem.message : others === 0 ? "Nobody else is to be seen here." : `${count(others, "other")} to be seen here.`);
      if (!people.isWhole) parts.push("Zoom in to see everybody: of so wide a view only the middle is looked at.");
      const more = people.more + (layer?.left ?? 0);
      if (more > 0) parts.push(`${count(more, "more person", "more people")} here: zoom in.`);
    }
    return parts.filter(Boolean).join(" ");
  }

  function centre(share) {
    const entry = people.entries.find((one) => one.share === share);
    if (!view || !Number.isFinite(entry?.location?.lat)) return;
    const { map } = view;
    onMove();
    const zoom = Math.max(map.getZoom(), personZoomMin);
    map.setView(map.unproject(map.project([entry.location.lat, entry.location.lon], zoom).subtract(offset()), zoom), zoom, { animate: mayAnimate() });
  }

  people.addEventListener("change", draw);
  sharing.addEventListener("change", draw);
  net.addEventListener("state", draw);
  if (campus.checked) people.setCampus(true);
  draw();
  return {
    element,
    attach(made) {
      view = made;
      layer = makePeopleLayer(view.L, view.map, { clock: net.clock, scope, onSelect: ({ share }) => centre(share), obstacles });
      view.whenThemeChanges(() => layer.redraw());
      draw();
    },
    look: (box) => people.look(box),
    /** Goes to somebody who shares, as soon as there is a position. */
    show(share) {
      sharing.setHidden(share, false);
      const go = () => {
        if (!view || !Number.isFinite(people.entries.find((one) => one.share === share)?.location?.lat)) return;
        people.removeEventListener("change", go);
        centre(share);
      };
      people.addEventListener("change", go);
      go();
    },
    shown: () => layer?.shown() ?? [],
    /** What the people's marks and labels cover, in the map's pixels. */
    boxes: () => layer?.boxes() ?? [],
    close() {
      people.removeEventListener("change", draw);
      sharing.removeEventListener("change", draw);
      net.removeEventListener("state", draw);
      people.close();
      layer?.remove();
      scope.close();
    },
  };
}
