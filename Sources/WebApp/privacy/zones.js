// Private zones: places around which the account is shown to nobody. A list and a map; a form to make, change and remove a zone.

import { followWaiting } from "../connection/waitingmethods.js";
import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { sizeWords } from "./words.js";
import { makeLoadable } from "../kit/loadable.js";
import { waitingLine } from "../kit/saved.js";
import { PrivateZoneForm, campusBounds } from "./zoneform.js";
import { makeZoneMap } from "./zonemap.js";

const zonesMax = 10;
const intro = "Hide your location around your home or anywhere else: on the map, in shares and in your routes. "
  + "Past sessions are covered, too. You still see everything.";
const secret = "The map shows a soft area. The exact size and centre are secret, even to you, so nobody can work out your address "
  + "from where your routes end.";

/** The card of private zones: `{element, returned(), close()}`; `changed()` after each change. */
export function makePrivateZones({ app, changed }) {
  return new PrivateZones(app, changed);
}

class PrivateZones {
  #app;
  #changed;
  #ended = new AbortController();
  #zones = [];
  /** The open form, or null while the list is shown. */
  #form = null;
  #map = null;
  #loadable;
  #list = h("ul", { class: "rows", id: "zone-list" });
  #empty = h("p", { class: "muted", id: "zones-empty" }, "You have no private zones. Most people add one around their home.");
  #full = h("p", { class: "muted small", hidden: true }, `You can have up to ${zonesMax} private zones. Delete one to add another.`);
  #add = h("button", { class: "button primary", type: "button", id: "add-zone", onclick: () => this.#open(null) }, icon("plus"),
    "Add private zone");
  #formPlace = h("div", { class: "zone-form-place" });
  #mapPlace = h("div", { class: "zone-map-place" });
  #body = h("div", { class: "stack", hidden: true }, this.#list, this.#empty, h("div", { class: "row" }, this.#add), this.#full,
    this.#formPlace, this.#mapPlace, h("p", { class: "hint", id: "zones-secret" }, secret));

  constructor(app, changed) {
    const { net } = app;
    this.#app = app;
    this.#changed = changed;
    this.#loadable = makeLoadable({ net, fetch: () => net.read("privacy.zones"), draw: ({ zones }) => {
      this.#zones = zones;
      this.#body.hidden = false;
      this.#draw();
    } });
    this.element = h("section", { class: "card stack", id: "zones", "aria-labelledby": "zones-title" },
      h("h2", { id: "zones-title" }, "Private zones"), h("p", { class: "muted" }, intro), this.#loadable.element, this.#body);
    followWaiting(net.writes, ({ method }) => method.startsWith("privacy.") && method.endsWith("Zone"), () => this.returned(),
      this.#ended.signal);
    this.#loadable.load();
  }

  /** The connection is back, or a change waits or was sent. */
  returned() {
    if (!this.#form) this.#loadable.load();
  }

  close() {
    this.#ended.abort();
    this.#loadable.close();
    this.#form?.close();
    this.#map?.close();
  }

  // MARK: drawing

  #draw() {
    const isEditing = this.#form !== null;
    const count = this.#zones.length;
    this.#list.replaceChildren(...this.#zones.map((zone) => this.#row(zone)));
    this.#empty.hidden = count > 0 || isEditing;
    this.#full.hidden = count < zonesMax;
    this.#list.hidden = isEditing;
    this.#add.parentElement.hidden = isEditing || count >= zonesMax;
    this.#drawMap();
  }

  #row(zone) {
    return h("li", { class: "row-item", dataset: { zone: zone.id } }, icon("zone"),
      h("div", { class: "grow" }, h("strong", {}, zone.name),
        h("p", { class: "muted small" }, sizeWords(zone.size, campusBounds(this.#app))), zone.isWaiting ? waitingLine() : null),
      h("button", { class: "button quiet", type: "button", "aria-label": `Edit ${zone.name}`, onclick: () => this.#open(zone) },
        icon("edit"), h("span", { class: "wide-only" }, "Edit")),
      h("button", { class: "icon-button", type: "button", "aria-label": `Delete ${zone.name}`, onclick: () => this.#remove(zone) },
        icon("bin")));
  }

  /** A map only where there is something to show. */
  #drawMap() {
    const form = this.#form;
    if (this.#zones.length > 0 || form) {
      this.#map ??= makeZoneMap({ app: this.#app, tapped: (where) => this.#form?.put(where, { goes: false }) });
      const { element } = this.#map;
      const place = form?.mapPlace ?? this.#mapPlace;
      if (element.parentElement !== place) place.append(element);
      element.hidden = false;
      element.classList.toggle("picks", form !== null);
    } else if (this.#map) this.#map.element.hidden = true;
    this.#map?.show(form ? this.#without(form.zone) : this.#zones, form?.value ?? null);
  }

  #without(zone) {
    return this.#zones.filter(({ id }) => id !== zone?.id);
  }

  // MARK: the form

  #open(zone) {
    this.#form = new PrivateZoneForm({
      app: this.#app, zone,
      moved: (value, options) => this.#map?.show(this.#without(zone), value, options),
      middle: () => this.#map?.middle() ?? null,
      saved: (result) => this.#saved(result, { isNew: !zone }),
      cancelled: () => this.#back(zone?.id),
    });
    this.#formPlace.replaceChildren(this.#form.element);
    this.#draw();
    this.#form.heading.focus({ preventScroll: true });
    this.#formPlace.scrollIntoView({ block: "nearest" });
  }

  /** `zone` is null when the change waits. */
  #saved(zone, { isNew }) {
    if (zone === null) {
      this.#back(null);
      this.#loadable.load();
      return;
    }
    this.#zones = [...this.#without(zone), zone].sort((one, other) => one.name.localeCompare(other.name));
    toast(isNew ? `You're now hidden around ${zone.name}.` : `${zone.name} saved.`);
    this.#back(zone.id);
    this.#changed();
  }

  /** Shows the list again, with the focus on the zone. */
  #back(id) {
    this.#form?.close();
    this.#form = null;
    this.#formPlace.replaceChildren();
    this.#draw();
    (this.#list.querySelector(`[data-zone="${id}"] button`) ?? this.#add).focus({ preventScroll: true });
  }

  /** Gives up a new zone that waits. The server may have it, under a number that this device does not know. */
  #giveUp({ clientId, name }) {
    if (this.#app.net.writes.drop("privacy.saveZone", clientId)) return true;
    throw new Error(`${name} may be saved already. Delete it when you're back online.`);
  }

  async #remove(zone) {
    const sure = await confirmDialog({ id: "delete-zone", title: `Delete ${zone.name}?`, danger: true, confirm: "Delete zone",
      text: "People you share with can see you there again, and past routes there become visible." });
    if (!sure) return;
    try {
      const isDone = zone.clientId ? this.#giveUp(zone) : await this.#app.net.writes.write("privacy.deleteZone", { zone: zone.id });
      if (isDone === null) return;
      this.#zones = this.#without(zone);
      toast(`${zone.name} deleted.`);
      announce(`${zone.name} deleted.`);
      this.#draw();
      this.#add.focus({ preventScroll: true });
      this.#changed();
    } catch (error) {
      toast(error.message);
      if (!error.isTransient) this.#loadable.load();
    }
  }
}
