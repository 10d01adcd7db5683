// Tiles of the console's first page: each loads a short list by itself and leads to the page with all of it.

import { h } from "../kit/dom.js";
import { count, momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isAbsent, trouble } from "./frame.js";
import { auditRow } from "./auditrow.js";
import { loading } from "../kit/loading.js";
import { reasonName } from "./reportrow.js";

const listedMax = 4;
const eventsAskedMax = 20;
const noticesAskedMax = 50;
const auditShown = 6;

const emptyText = (iconName, text) => h("p", { class: "muted tile-empty" }, icon(iconName), text);
const figure = (number, text) => h("p", { class: "tile-figure" }, h("strong", { class: "number" }, number), text);
const rows = (list) => h("ul", { class: "tile-rows" }, ...list.map(({ key, path, title, hint }) => h("li", { dataset: { key } },
  h("a", { href: path }, h("span", { class: "tile-title" }, title), h("span", { class: "muted small number" }, hint)))));

/** Reports that wait for an admin. */
export function reportsTile({ net }) {
  return new Tile(net, {
    id: "open-reports", title: "Open reports", path: "/reports", more: "All reports",
    load: () => net.request("reports.list", { closed: false, limit: listedMax }),
    draw({ reports, open }) {
      if (reports.length === 0) return [emptyText("flag", "No open reports.")];
      return [figure(open.toLocaleString("en"), " to review"), rows(reports.map(({ id, at, reason, reported }) => ({
        key: id, path: "/reports", title: `${reasonName(reason)}: ${reported?.name ?? "account deleted"}`, hint: momentText(at),
      })))];
    },
  });
}

/** Latest actions of admins. */
export function auditTile({ net }) {
  return new Tile(net, {
    id: "latest-audit", title: "Admin log", path: "/admin/audit", more: "Full log",
    load: () => net.request("admin.audit", { limit: auditShown }),
    draw({ entries }) {
      return [entries.length === 0 ? emptyText("log", "Nothing yet.")
        : h("ul", { class: "audit-list" }, ...entries.map((entry) => auditRow(entry)))];
    },
  });
}

/** The next events. */
export function eventsTile({ net }, { title }) {
  return new Tile(net, {
    id: "next-events", title, path: "/events", more: "All events", action: { path: "/events/new", label: "New event" },
    load: () => net.request("events.list", { limit: eventsAskedMax }),
    draw({ events }) {
      if (events.length === 0) return [emptyText("events", "No upcoming events.")];
      const isCancelled = ({ state }) => state === "cancelled";
      // A cancelled event stays listed, behind those that take place.
      const listed = [...events.filter((event) => !isCancelled(event)), ...events.filter(isCancelled)].slice(0, listedMax);
      return [rows(listed.map((event) => {
        const { id, details, going } = event;
        const people = isCancelled(event) ? "cancelled" : `${count(going ?? 0, "person", "people")} going`;
        return { key: id, path: `/events/${id}`, title: details.title, hint: `${momentText(details.startsAt)} · ${people}` };
      }))];
    },
  });
}

/** Notices that are scheduled, or the last ones that were published. */
export function noticesTile({ net }) {
  const rowsOf = (sent, hintOf) => rows(sent.slice(0, listedMax).map((one) => (
    { key: one.notice.number, path: "/notices/sent", title: one.notice.title, hint: hintOf(one) })));
  return new Tile(net, {
    id: "scheduled-notices", title: "Notices", path: "/notices/sent", more: "Sent notices",
    action: { path: "/notices/new", label: "New notice" },
    load: () => net.request("notices.sent", { limit: noticesAskedMax }),
    draw({ notices }) {
      const scheduled = notices.filter(({ state }) => state === "scheduled")
        .sort((one, other) => Date.parse(one.publishAt) - Date.parse(other.publishAt));
      if (scheduled.length > 0) {
        return [figure(String(scheduled.length), " scheduled"), rowsOf(scheduled, ({ publishAt, recipients }) =>
          `scheduled for ${momentText(publishAt)} · ${count(recipients, "person", "people")}`)];
      }
      const published = notices.filter(({ state }) => state === "published");
      if (published.length === 0) return [emptyText("bell", "Nothing scheduled.")];
      return [h("p", { class: "muted" }, "Nothing scheduled. Recently sent:"), rowsOf(published, ({ publishAt, recipients, read }) =>
        `${momentText(publishAt)} · read by ${read} of ${recipients}`)];
    },
  });
}

class Tile {
  #net;
  #load;
  #draw;
  #isLoaded = false;
  #closed = new AbortController();
  #body;

  /** `load()` asks the server; `draw(result)` gives elements. `action` (`{path, label}`) leads to a page that makes a new one. */
  constructor(net, { id, title, path, more, action = null, load, draw }) {
    this.#net = net;
    this.#load = load;
    this.#draw = draw;
    this.#body = h("div", { class: "tile-body" }, loading(net));
    this.element = h("section", { class: "card tile", id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title),
      this.#body,
      h("p", { class: "row tile-links" }, h("a", { class: "button small-button", href: path }, more),
        action ? h("a", { class: "button small-button", href: action.path }, icon("plus"), action.label) : null));
    net.addEventListener("state", () => { if (net.state === "live") this.load(); }, { signal: this.#closed.signal });
    this.load();
  }

  async load() {
    const isClosed = () => this.#closed.signal.aborted;
    try {
      const result = await this.#load();
      if (isClosed()) return;
      this.#isLoaded = true;
      this.#body.replaceChildren(...this.#draw(result));
    } catch (error) {
      if (!isClosed() && !this.#isLoaded) this.#body.replaceChildren(isAbsent(error) ? trouble(error) : this.#failure(error));
    }
  }

  close() {
    this.#closed.abort();
  }

  #failure(error) {
    const again = () => {
      this.#body.replaceChildren(loading(this.#net));
      this.load();
    };
    return h("div", { class: "stack tile-trouble" }, h("p", { class: "muted", role: "alert" }, error.message),
      h("p", {}, h("button", { class: "button small-button", type: "button", onclick: again }, "Try again")));
  }
}
