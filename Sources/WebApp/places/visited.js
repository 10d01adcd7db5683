// The places where the account was most often, if it has that noted.

import { followWaiting } from "../connection/waitingmethods.js";
import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeLoadable } from "../kit/loadable.js";
import { waitingLine } from "../kit/saved.js";
import { visitDay } from "./words.js";

/** The list of most visited places. */
export class VisitedPlaces {
  element;

  #net; #chosen;
  #ending = new AbortController();
  #list = h("div", { id: "visited-places" });
  #loadable;

  /** `chosen({name, lat, lon, place?})` is called for a row. */
  constructor({ net, chosen }) {
    this.#net = net;
    this.#chosen = chosen;
    this.#loadable = makeLoadable({
      net, fetch: () => Promise.all([net.read("visits.most"), net.read("privacy.settings")]),
      draw: ([{ places }, { visits: isOn }]) => this.#list.replaceChildren(isOn ? this.#drawn(places) : switchedOff()),
    });
    followWaiting(net.writes, isErasure, () => this.load(), this.#ending.signal);
    this.element = h("section", { class: "stack tight", "aria-labelledby": "visited-title" },
      h("h2", { id: "visited-title" }, "Most visited"), this.#loadable.element, this.#list);
  }

  load() {
    return this.#loadable.load();
  }

  close() {
    this.#ending.abort();
    this.#loadable.close();
  }

  #drawn(places) {
    if (this.#net.writes.waiting.some(isErasure)) {
      return h("div", {}, h("p", { class: "muted" }, "Your visits are deleted when you're back online."), waitingLine("visits-waiting"));
    }
    if (places.length === 0) {
      return h("p", { class: "muted", id: "visited-empty" },
        "Nothing yet. A place counts after five minutes there with Campanile open and location allowed.");
    }
    const erase = h("button", {
      class: "button quiet danger", type: "button", id: "erase-visits", onclick: () => this.#erase(),
    }, "Delete visits");
    return h("div", { class: "stack tight" },
      h("ul", { class: "place-list" }, ...places.map((visited) => this.#row(visited))), h("div", { class: "row" }, erase));
  }

  #row({ place, lat, lon, visits, lastDay }) {
    const name = place.name ?? "Unnamed building";
    const choose = () => this.#chosen({ name, lat, lon, ...(place.kind === "place" && { place: place.id }) });
    return h("li", { class: "saved-row" }, h("button", { class: "place-row", type: "button", onclick: choose }, icon("pin"),
      h("span", { class: "grow" }, h("strong", {}, name),
        h("span", { class: "muted small" }, `On ${count(visits, "day")}, last on ${visitDay(lastDay)}`))));
  }

  async #erase() {
    const sure = await confirmDialog({
      id: "erase-visits-dialog", title: "Delete all visits?", confirm: "Delete visits", danger: true,
      text: "This can't be undone. New visits are still recorded. You can turn that off in Privacy.",
    });
    if (!sure) return;
    try {
      if (await this.#net.writes.write("visits.erase", { at: new Date(this.#net.clock.now()).toISOString() })) announce("Visits deleted.");
    } catch (error) {
      toast(error.message);
    }
    this.load();
  }
}

const isErasure = ({ method }) => method === "visits.erase";

function switchedOff() {
  return h("div", { class: "notice", id: "visited-off" }, icon("info"),
    h("span", { class: "grow" }, "Visits aren't recorded. ",
      h("a", { class: "link", href: "/settings/privacy" }, "Turn this on in Privacy"),
      " to see the places you visit most. Only you see them."));
}
