// Drawing a zone, naming it, changing its outline, removing it.

import { areaOf, areaText, pointsOf, polygonOf, readText, rounded, shapeProblem, textOf } from "../map/shape.js";
import { announce, confirmDialog, h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeField, makeForm } from "../kit/form.js";
import { attempt } from "../kit/dialog.js";

const nameCharactersMax = 120;
const refCharactersMax = 20;
const stepsMax = 300;

/**
 * `{element, tapped, moved, close}`. `zone` is `{id, ref, name, geometry}` or null for a new one; `saved(zone)`,
 * `removed(zone, undo)` with what brings it back or null, `cancelled()`.
 */
export function makeZoneForm({ app, map, zone, saved, removed, cancelled }) {
  const { net } = app;
  const before = zone ? pointsOf(zone.geometry) : { points: [], isWhole: true };
  let points = before.points;
  let isClosed = zone !== null && points.length > 2;
  let isChanged = false;
  /** A zone's outline is touched only when one asks for it: a tap on the map is easily made. */
  let isDrawing = zone === null;
  const steps = [];

  const name = makeField({ name: "name", label: "Name", autocomplete: "off", maxlength: nameCharactersMax, value: zone?.name ?? "" });
  const ref = makeField({ name: "ref", label: "Short name", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
    maxlength: refCharactersMax, hint: "Letters, digits, - and _. It stays as it is for good." });
  const text = makeField({ name: "outline", label: "Corners, one a line: latitude, longitude", rows: 6, autocomplete: "off",
    spellcheck: "false", hint: "For the keyboard, and for figures from elsewhere." });
  const note = h("p", { class: "hint", role: "status", id: "outline-note" });
  const tool = (id, iconName, label, onclick) => h("button", { class: "button small-button", type: "button", id, onclick }, icon(iconName),
    label);
  const undo = tool("outline-undo", "undo", "Undo", () => {
    const step = steps.pop();
    if (step) {
      ({ points, isClosed } = step);
      isChanged = steps.length > 0;
      announce("Undone.");
    }
    draw();
  });
  const add = tool("outline-middle", "plus", "Corner in the middle", () => { const where = map.middle(); if (where) tapped(where); });
  const finish = tool("outline-close", "tick", "Close the outline", () => {
    keep();
    isClosed = true;
    draw();
    announce(problem.textContent || `The outline is closed: ${areaText(areaOf(points))}.`);
  });
  const anew = tool("outline-anew", "bin", "Start anew", () => {
    keep();
    points = [];
    isClosed = false;
    draw();
  });
  const begin = h("button", { class: "button", type: "button", id: "outline-change", onclick: () => {
    isDrawing = true;
    draw({ goes: true });
    (isClosed ? anew : add).focus();
  } }, icon("edit"), "Change the outline");
  const problem = h("p", { class: "problem", role: "alert", id: "outline-problem" });
  const tools = h("div", { class: "row outline-tools" }, finish, undo, add, anew);
  const drawing = h("div", { class: "stack outline" }, note, tools, problem,
    h("details", { class: "outline-text" }, h("summary", {}, "Type the coordinates"), text.element));

  function keep() {
    steps.push({ points: [...points], isClosed });
    if (steps.length > stepsMax) steps.shift();
    isChanged = true;
  }

  function draw({ goes = false, withText = true } = {}) {
    map.outline({ points, isClosed, isEditable: isDrawing }, { goes });
    begin.hidden = isDrawing;
    drawing.hidden = !isDrawing;
    undo.disabled = steps.length === 0;
    finish.hidden = isClosed;
    finish.disabled = points.length < 3;
    add.hidden = isClosed;
    anew.hidden = points.length === 0;
    const wrong = isClosed ? shapeProblem(points) : null;
    setText(problem, wrong ?? "");
    setText(note, isClosed ? `Closed, ${points.length} corners, ${areaText(areaOf(points))}. Drag a corner to move it.`
      : points.length === 0 ? "Tap the map for each corner, one after the other." : points.length < 3
      ? `${points.length} of at least 3 corners.` : `${points.length} corners. Tap on, or close the outline.`);
    if (withText) {
      text.input.value = textOf(points);
      text.setProblem(null);
    }
  }

  function tapped({ lat, lon }) {
    if (!isDrawing || isClosed) return;
    keep();
    points = [...points, [rounded(lat), rounded(lon)]];
    draw();
  }

  function moved(index, [lat, lon]) {
    keep();
    points = points.map((point, other) => (other === index ? [rounded(lat), rounded(lon)] : point));
    draw();
  }

  text.input.addEventListener("change", () => {
    const read = readText(text.input.value);
    text.setProblem(read.problem);
    if (read.problem) return;
    keep();
    points = read.points;
    isClosed = points.length > 2;
    draw({ goes: true, withText: false });
  });

  const fields = zone ? [name] : [name, ref];
  const form = makeForm({
    id: "zone-form", fields, submitLabel: zone ? "Save the zone" : "Add the zone",
    check(values) {
      const found = { ...(values.name === "" && { name: "Please give it a name." }),
        ...(!zone && !/^[A-Za-z0-9_-]+$/.test(values.ref) && { ref: "Give it a short name: letters, digits, - and _." }) };
      const wrong = zone && !isChanged ? null : isClosed ? shapeProblem(points) : "Close the outline first.";
      setText(problem, wrong ?? "");
      // There is no field of that name to go to.
      return wrong && Object.keys(found).length === 0 ? { outline: wrong } : found;
    },
    async send(values) {
      let result;
      try {
        result = await net.request("admin.saveZone",
          { ...(zone ? { zone: zone.id } : { ref: values.ref }), name: values.name,
            ...((!zone || isChanged) && { polygon: polygonOf(points) }) });
      } catch (error) {
        if (String(error.data?.field).startsWith("polygon")) setText(problem, error.message);
        throw error;
      }
      toast(zone ? `${result.name} is saved.` : `${result.name} is on the map.`);
      saved(result);
    },
  });
  form.querySelector("button[type=submit]")
    .before(h("fieldset", { class: "stack outline-field" }, h("legend", { class: "legend" }, "Outline"), zone && !before.isWhole
      ? h("p", { class: "notice warn" }, icon("warning"),
        "This zone has several parts or holes. Changing its outline replaces them by one shape.") : "", begin, drawing));

  async function remove() {
    const sure = await confirmDialog({ id: "delete-zone", title: `Remove ${zone.name}?`, danger: true, confirm: "Remove the zone",
      text: `Whoever is there now is in no zone from then on. Maps that follow ${zone.name} say that it ended, and notices to it reach `
        + `nobody any more. Runs, places and events there stay. An import of the campus does not bring it `
        + `back.${before.isWhole ? " You can undo it." : " It has several parts, so it cannot be undone here."}` });
    if (!sure) return;
    const undoable = before.isWhole
      ? () => net.request("admin.saveZone", { ref: zone.ref, name: zone.name, polygon: polygonOf(before.points) }) : null;
    if (await attempt(() => net.request("admin.deleteZone", { zone: zone.id }))) removed(zone, undoable);
  }

  const heading = h("h2", { tabindex: "-1" }, zone ? zone.name : "New zone");
  const element = h("section", { class: "card stack console-form", id: "zone-card" }, heading, zone ? h("p", { class: "hint" }, `Short name ${zone.ref}`) : "", form,
    h("div", { class: "row form-more" },
      h("button", { class: "button", type: "button", id: "cancel-zone", onclick: () => cancelled() }, "Cancel"), zone
      ? h("button", { class: "button danger", type: "button", id: "remove-zone", onclick: remove }, icon("bin"), "Remove the zone…")
      : null));
  draw({ goes: zone !== null });
  return { element, heading, tapped, moved, close: () => map.outline(null) };
}
