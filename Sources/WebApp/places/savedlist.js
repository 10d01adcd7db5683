// The saved places of the account: chosen, renamed and removed.

import { announce, confirmDialog, emptyState, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeLoadable } from "../kit/loadable.js";
import { openSavePlace } from "./savedialog.js";
import { withWaiting } from "./waitingplaces.js";

/** The list of saved places. */
export class SavedPlaces {
  element;

  #net; #chosen; #changed; #sent; #removed;
  #ending = new AbortController();
  /** As the server has them; null until it is known. */
  #listed = null;
  /** With the changes that wait. */
  #places = [];
  /** Ids of changes that waited when the list was drawn last. */
  #waitingIds = new Set();
  #list = h("div", { id: "saved-places" });
  #loadable;

  /**
   * `chosen(place)` is called for a row, `changed(place)` with a place that was saved or renamed, or with null when the list was loaded;
   * `sent(clientId, place)` with a place that waited as `clientId` and is saved now; `removed(place, next)` with a place that was removed
   * and the first button of the list, or null when none is left.
   */
  constructor({ net, chosen, changed, sent, removed }) {
    this.#net = net;
    this.#chosen = chosen;
    this.#changed = changed;
    this.#sent = sent;
    this.#removed = removed;
    this.#loadable = makeLoadable({ net, fetch: () => net.read("saved.list"), draw: ({ places }) => {
      this.#listed = places;
      this.#drawAll();
    } });
    const { signal } = this.#ending;
    net.writes.addEventListener("change", () => this.#waitingChanged(), { signal });
    net.writes.addEventListener("sent", ({ detail: { method, params, reply } }) => {
      if (method === "saved.save" && params.clientId) this.#isSaved(params.clientId, reply);
    }, { signal });
    this.element = h("section", { class: "stack tight", "aria-labelledby": "saved-title" },
      h("h2", { id: "saved-title" }, "Saved"), this.#loadable.element, this.#list);
  }

  /** The places, the latest first. */
  get places() { return this.#places; }

  load() {
    return this.#loadable.load();
  }

  /** Asks for a name and saves `where`, or renames it. */
  save(where) {
    openSavePlace({ net: this.#net, where, saved: (place) => this.#take(place) });
  }

  close() {
    this.#ending.abort();
    this.#loadable.close();
  }

  #take(place) {
    if (!place.isWaiting) this.#listed = [place, ...(this.#listed ?? []).filter(({ id }) => id !== place.id)];
    this.#drawAll();
    this.#changed(place);
  }

  #isSaved(clientId, place) {
    this.#listed = [place, ...(this.#listed ?? []).filter(({ id }) => id !== place.id)];
    this.#sent(clientId, place);
    this.#drawAll();
  }

  /** When a change of places waits no longer, it was perhaps sent by another tab: the list is loaded. */
  #waitingChanged() {
    const before = this.#waitingIds;
    this.#drawAll();
    if ([...before].some((id) => !this.#waitingIds.has(id)) && this.#net.state === "live") this.load();
  }

  #drawAll() {
    const { waiting } = this.#net.writes;
    this.#waitingIds = new Set(waiting.filter(({ method }) => method.startsWith("saved.")).map(({ id }) => id));
    if (this.#listed === null && waiting.length === 0) return;
    this.#places = withWaiting(this.#listed ?? [], waiting);
    this.#draw();
    this.#changed(null);
  }

  #draw() {
    if (this.#places.length > 0) {
      this.#list.replaceChildren(h("ul", { class: "place-list saved-list" }, ...this.#places.map((place) => this.#row(place))));
      return;
    }
    const empty = emptyState({
      id: "saved-empty", iconElement: icon("bookmark"), title: "No saved places yet",
      text: "Tap the map or search for a place to save it. Only you see saved places.",
    });
    empty.classList.add("small-empty");
    this.#list.replaceChildren(empty);
  }

  #row(place) {
    const button = (label, iconName, onclick) => (
      h("button", { class: "icon-button", type: "button", "aria-label": label, onclick }, icon(iconName)));
    return h("li", { class: "saved-row", dataset: { saved: place.id } },
      h("button", { class: "place-row", type: "button", onclick: () => this.#chosen(place) }, icon("bookmark"),
        h("span", { class: "grow" }, h("strong", {}, place.name),
          place.isWaiting ? h("span", { class: "muted small" }, "Waits until you're back online") : null)),
      button(`Rename ${place.name}`, "edit", () => this.save(place)),
      button(`Remove ${place.name}`, "bin", () => this.#remove(place)));
  }

  async #removeFrom({ id, isWaiting, name, lat, lon }) {
    const { writes } = this.#net;
    const isNeverSent = isWaiting && writes.drop("saved.save", id);
    const isNumber = typeof id === "number";
    if (isNeverSent && !isNumber) return;
    // The server perhaps has the place, under a number that this device does not know.
    const params = isNumber ? { id } : { saved: { clientId: id, name, lat, lon } };
    if (!(await writes.write("saved.remove", params))) return;
    if (isNumber) this.#listed = (this.#listed ?? []).filter((place) => place.id !== id);
    else this.load();
  }

  async #remove(place) {
    const sure = await confirmDialog({
      id: "remove-saved", title: `Remove ${place.name}?`, text: "It's removed from your saved places.", confirm: "Remove", danger: true,
    });
    if (!sure) return;
    try {
      await this.#removeFrom(place);
      announce(`${place.name} removed.`);
      this.#drawAll();
      this.#removed(place, this.#list.querySelector("button"));
    } catch (error) {
      toast(error.message);
      if (!error.isTransient) this.load();
    }
  }
}
