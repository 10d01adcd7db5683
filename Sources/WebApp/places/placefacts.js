// The parts of the page of a place: pictures, hours, details, access, contact, events. Each is null where nothing is known.

import { h } from "../kit/dom.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { levelName, wheelchairText } from "./destinations.js";
import { weekOf } from "./hours.js";
import { webAddress } from "./words.js";

function card(id, title, ...content) {
  const titleId = `${id}-title`;
  return h("section", { class: "card stack tight", id, "aria-labelledby": titleId }, h("h2", { id: titleId }, title), ...content);
}

/** The pictures, in a row that scrolls. `scope` is of `Pictures`. */
export function picturesPart({ pictures = [], destination }, scope) {
  if (pictures.length === 0) return null;
  const { name } = destination;
  return h("ul", { class: "place-pictures", id: "place-pictures", tabindex: "0", "aria-label": `Pictures of ${name}` },
    ...pictures.map((id, index) => {
      const item = h("li", {});
      const img = h("img", { alt: pictures.length > 1 ? `${name}, picture ${index + 1}` : name });
      const onMissing = () => item.replaceChildren(h("p", { class: "muted small" }, "Couldn't load this picture."));
      scope.show(img, id, { thumb: false, onMissing });
      item.append(img);
      return item;
    }));
}

/** The hours of the coming week, or the words of the source where they cannot be evaluated. */
export function hoursCard({ openingHours, openings }, now, clock) {
  if (!openings && !openingHours) return null;
  if (!openings) return card("place-hours", "Opening hours", h("p", { class: "verbatim" }, openingHours));
  const rows = weekOf(openings, now, clock).map(({ day, hours }, index) => h("div", { class: index === 0 ? "is-today" : "" },
    h("dt", {}, index === 0 ? "Today" : day),
    h("dd", { class: "number" }, ...(hours.length > 0 ? hours.map((text) => h("span", {}, text)) : ["Closed"]))));
  return card("place-hours", "Opening hours", h("dl", { class: "hours" }, ...rows),
    clock.isElsewhere ? h("p", { class: "hint" }, "Times are those of the campus.") : null);
}

/** The description and the menu. */
export function detailsCard({ details, menu }) {
  if (!details && !menu) return null;
  return h("div", { class: "stack" }, details ? card("place-details", "About", h("p", { class: "verbatim" }, details)) : null,
    menu ? card("place-menu", "Menu", h("p", { class: "verbatim" }, menu)) : null);
}

/** Wheelchair access, entrances and floors. */
export function accessCard({ destination, entrances = [], floors = [] }) {
  const access = wheelchairText(destination.wheelchair);
  if (!access && entrances.length === 0 && floors.length === 0) return null;
  return card("place-access", "Getting in",
    access ? h("p", { class: "row" }, tagOf(destination.wheelchair), h("span", { class: "visually-hidden" }, "for wheelchairs")) : null,
    entrances.length > 0 ? h("h3", { class: "small-title" }, "Entrances") : null,
    entrances.length > 0 ? h("ul", { class: "plain-rows" }, ...entrances.map(entranceRow)) : null,
    floors.length > 0 ? h("h3", { class: "small-title" }, "Floors") : null,
    floors.length > 0 ? h("ul", { class: "floor-list" }, ...floors.map(floorItem)) : null);
}

const floorItem = (level) => h("li", { class: "tag quiet" }, levelName(level));

function tagOf(wheelchair) {
  const text = wheelchairText(wheelchair);
  return text ? h("span", { class: `tag ${{ yes: "good", limited: "warn" }[wheelchair] ?? "quiet"}` }, text) : null;
}

function entranceRow({ name, level, wheelchair }) {
  return h("li", {}, h("span", { class: "grow" }, name ?? "Entrance", level === undefined || level === "0" ? null
    : h("span", { class: "muted small" }, ` ${levelName(level)}`)), tagOf(wheelchair));
}

/** Telephone and website. */
export function contactCard({ website, phone, manager }) {
  const site = webAddress(website);
  if (!site && !phone && !manager) return null;
  return card("place-contact", "Contact", h("ul", { class: "plain-rows" },
    phone ? h("li", {}, icon("phone"), h("a", { class: "link", href: `tel:${phone.replace(/[^+\d]/g, "")}` }, phone)) : null,
    site ? h("li", {}, icon("link"), h("a", { class: "link", href: site.href, target: "_blank", rel: "noopener noreferrer" },
      `${site.hostname}${site.pathname === "/" ? "" : site.pathname}`)) : null,
    manager ? h("li", { id: "place-manager" }, icon("account"), h("span", {}, `Managed by ${manager}`)) : null));
}

/** Events there. */
export function eventsCard({ events = [] }) {
  if (events.length === 0) return null;
  return card("place-events", "Coming up here", h("ul", { class: "place-list" }, ...events.map(({ id, title, starts }) => h("li", {},
    h("a", { class: "place-row", href: `/events/${id}` }, icon("events"),
      h("span", { class: "grow" }, h("strong", {}, title), h("span", { class: "muted small" }, momentText(starts))))))));
}
