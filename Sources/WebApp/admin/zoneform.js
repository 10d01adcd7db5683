// Drawing a zone, naming it, changing its outline, removing it.

import { pointsOf, polygonOf } from "../map/shape.js";
import { confirmDialog, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeField, makeForm } from "../kit/form.js";
import { attempt } from "../kit/dialog.js";
import { Outline } from "./outline.js";
import { OutlineTools } from "./outlinetools.js";

const nameCharactersMax = 120;
const refCharactersMax = 20;

/**
 * The form of a zone: `{element, heading, tapped(where), moved(index, point), close()}`. `zone` is `{id, ref, name, geometry}` or null for
 * a new one; `saved(zone)`, `removed(zone, undo)` with what brings it back or null, `cancelled()`.
 */
export function makeZoneForm(options) {
  return new ZoneForm(options);
}

class ZoneForm {
  #net;
  #map;
  #zone;
  #saved;
  #removed;
  /** The outline at the beginning; not whole when the zone has more parts or holes. */
  #before;
  #outline;
  #tools;

  constructor({ app, map, zone, saved, removed, cancelled }) {
    this.#net = app.net;
    this.#map = map;
    this.#zone = zone;
    this.#saved = saved;
    this.#removed = removed;
    this.#before = zone ? pointsOf(zone.geometry) : { points: [], isWhole: true };
    this.#outline = new Outline(this.#before.points);
    this.#tools = new OutlineTools(map, this.#outline, { isDrawing: zone === null, warning: this.#before.isWhole ? ""
      : h("p", { class: "notice warn" }, icon("warning"),
        "This zone has several parts or holes. A new outline replaces them with one shape.") });
    this.heading = h("h2", { tabindex: "-1" }, zone ? zone.name : "New zone");
    this.element = h("section", { class: "card stack console-form", id: "zone-card" }, this.heading,
      zone ? h("p", { class: "hint" }, `Short name ${zone.ref}`) : "", this.#form(),
      h("div", { class: "row form-more" },
        h("button", { class: "button", type: "button", id: "cancel-zone", onclick: () => cancelled() }, "Cancel"),
        zone ? h("button", { class: "button danger", type: "button", id: "remove-zone", onclick: () => this.#remove() }, icon("bin"),
          "Remove…") : null));
    this.#tools.draw({ goes: zone !== null });
  }

  tapped(where) {
    this.#tools.tapped(where);
  }

  /** A corner was dragged. */
  moved(index, point) {
    this.#tools.moved(index, point);
  }

  close() {
    this.#map.outline(null);
  }

  #form() {
    const zone = this.#zone;
    const name = makeField({ name: "name", label: "Name", autocomplete: "off", maxlength: nameCharactersMax, value: zone?.name ?? "" });
    const ref = makeField({ name: "ref", label: "Short name", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      maxlength: refCharactersMax, hint: "Letters, digits, - and _. You can't change it later." });
    const form = makeForm({
      id: "zone-form", fields: zone ? [name] : [name, ref], submitLabel: zone ? "Save zone" : "Add zone",
      check: (values) => this.#check(values),
      send: (values) => this.#save(values),
    });
    form.querySelector("button[type=submit]").before(this.#tools.element);
    return form;
  }

  #check({ name, ref }) {
    const outline = this.#outline;
    const problems = {
      ...(name === "" && { name: "Enter a name." }),
      ...(!this.#zone && !/^[A-Za-z0-9_-]+$/.test(ref) && { ref: "Enter a short name: letters, digits, - and _." }),
    };
    const isKept = this.#zone && !outline.isChanged;
    const wrong = isKept ? null : outline.isClosed ? outline.problem : "Close the outline first.";
    this.#tools.showProblem(wrong);
    // There is no field of that name to go to.
    return wrong && Object.keys(problems).length === 0 ? { outline: wrong } : problems;
  }

  async #save({ name, ref }) {
    const zone = this.#zone;
    const outline = this.#outline;
    let result;
    try {
      result = await this.#net.request("admin.saveZone", { ...(zone ? { zone: zone.id } : { ref }), name,
        ...((!zone || outline.isChanged) && { polygon: polygonOf(outline.points) }) });
    } catch (error) {
      if (String(error.data?.field).startsWith("polygon")) this.#tools.showProblem(error.message);
      throw error;
    }
    toast(zone ? `${result.name} saved.` : `${result.name} added to the map.`);
    this.#saved(result);
  }

  async #remove() {
    const { id, ref, name } = this.#zone;
    const { points, isWhole } = this.#before;
    const sure = await confirmDialog({ id: "delete-zone", title: `Remove ${name}?`, danger: true, confirm: "Remove zone",
      text: `Notices to ${name} no longer reach anyone, and people there are in no zone. `
        + "Sessions, places and events there stay. A campus import doesn't bring it back."
        + `${isWhole ? " You can undo it." : " It has several parts, so you can't undo this."}` });
    if (!sure) return;
    const undo = isWhole ? () => this.#net.request("admin.saveZone", { ref, name, polygon: polygonOf(points) }) : null;
    if (await attempt(() => this.#net.request("admin.deleteZone", { zone: id }))) this.#removed(this.#zone, undo);
  }
}
