// The actions of a place's page: go there, save it, share it, and edit it for those who manage it.

import { confirmDialog, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { readId, routeTo, savedOf } from "./destinations.js";
import { openSavePlace } from "./savedialog.js";
import { withWaiting } from "./waitingplaces.js";

/** The row of actions; `edited(page)` gets the page after a change. */
export class PlaceActions {
  element = h("div", { class: "row place-actions", id: "place-actions" });

  #app; #edited;
  #ending = new AbortController();
  #page = null;
  /** Saved places as the server has them; null while they are not known. */
  #saved = null;
  #save = h("button", { class: "button", type: "button", id: "save-place-button", onclick: () => this.#toggleSaved() });

  constructor(app, { edited }) {
    this.#app = app;
    this.#edited = edited;
    const { signal } = this.#ending;
    app.net.writes.addEventListener("change", () => this.#drawSave(), { signal });
  }

  show(page) {
    this.#page = page;
    const { destination, canEdit } = page;
    const { kind, number } = readId(destination.id);
    this.element.replaceChildren(
      h("a", { class: "button primary", href: routeTo(destination), id: "navigate" }, icon("arrow"), "Directions"),
      this.#save,
      h("button", { class: "button", type: "button", id: "share-place-button", onclick: () => this.#share() }, icon("share"), "Share"),
      ...(canEdit && kind === "place" ? [this.#editButton(number)] : []));
    this.#drawSave();
    this.#loadSaved();
  }

  #editButton(place) {
    return h("button", { class: "button", type: "button", id: "edit-place", onclick: () => this.#edit(place) }, icon("edit"), "Edit");
  }

  close() {
    this.#ending.abort();
  }

  async #loadSaved() {
    const { net } = this.#app;
    if (!net.account) return;
    try {
      this.#saved = (await net.read("saved.list")).places;
    } catch {
      // It can be saved all the same.
      return;
    }
    this.#drawSave();
  }

  get #mine() {
    return savedOf(withWaiting(this.#saved ?? [], this.#app.net.writes.waiting), this.#page.destination);
  }

  #drawSave() {
    if (!this.#page) return;
    const isSaved = this.#mine !== null;
    this.#save.setAttribute("aria-pressed", String(isSaved));
    this.#save.replaceChildren(icon("bookmark", { filled: isSaved }), isSaved ? "Saved" : "Save");
  }

  async #toggleSaved() {
    const { net, router } = this.#app;
    if (!net.account) {
      router.go(`/login?next=${encodeURIComponent(location.pathname)}`);
      return;
    }
    const mine = this.#mine;
    if (mine) return void this.#remove(mine);
    const { id, name, lat, lon } = this.#page.destination;
    const { kind, number } = readId(id);
    openSavePlace({ net, where: { name, lat, lon, ...(kind === "place" && { place: number }) }, saved: (place) => {
      if (!place.isWaiting) this.#saved = [...(this.#saved ?? []).filter((other) => other.id !== place.id), place];
      this.#drawSave();
    } });
  }

  async #remove({ id, name, isWaiting, lat, lon }) {
    const { writes } = this.#app.net;
    const sure = await confirmDialog({
      id: "remove-saved", title: `Remove ${name}?`, text: "It's removed from your saved places.", confirm: "Remove", danger: true,
    });
    if (!sure) return;
    try {
      const isNeverSent = isWaiting && writes.drop("saved.save", id);
      if (!isNeverSent || typeof id === "number") {
        await writes.write("saved.remove", typeof id === "number" ? { id } : { saved: { clientId: id, name, lat, lon } });
        this.#saved = (this.#saved ?? []).filter((place) => place.id !== id);
      }
    } catch (error) {
      toast(error.message);
    }
    this.#drawSave();
  }

  async #share() {
    const { openSharePlace } = await import("./shareplace.js");
    openSharePlace(this.#app, this.#page.destination);
  }

  async #edit(place) {
    try {
      const { openPlaceEdit } = await import("./placeedit.js");
      openPlaceEdit(this.#app, { place, page: this.#page, saved: (page) => this.#edited(page) });
    } catch (error) {
      toast(error.message);
    }
  }
}
