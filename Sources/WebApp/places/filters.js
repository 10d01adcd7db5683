// The filters of a search for places: kind, open now, step-free, zone.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { className } from "./destinations.js";

const kindOptions = [["", "Any kind"], ["building", "Buildings"], ["room", "Rooms"], ["place", "Places"], ["zone", "Zones"]];
const none = { kind: "", isOpen: false, isStepFree: false, zone: "" };

/** A button that is on or off. */
export function makeToggle({ id, label, isOn, changed }) {
  const button = h("button", {
    class: "chip-button", type: "button", id, "aria-pressed": String(isOn), onclick: () => {
      const next = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(next));
      changed(next);
    },
  }, icon("tick"), label);
  return button;
}

/**
 * `{element, value, setClasses(names), setZones(zones), clear()}`; `changed(value)` gets each change. A value is as of
 * `filterParams`.
 */
export function makeFilters({ value = none, changed }) {
  let chosen = { ...none, ...value };
  const set = (part) => {
    chosen = { ...chosen, ...part };
    changed(chosen);
  };
  const option = (id, label, selected) => h("option", { value: id, selected: id === selected }, label);
  const classes = h("optgroup", { label: "Kinds of places" });
  const kind = h("select", { id: "filter-kind", "aria-label": "Kind", onchange: () => set({ kind: kind.value }) },
    ...kindOptions.map(([id, label]) => option(id, label, chosen.kind)));
  const zone = h("select", { id: "filter-zone", "aria-label": "Zone", hidden: true, onchange: () => set({ zone: zone.value }) });
  const open = makeToggle({ id: "filter-open", label: "Open now", isOn: chosen.isOpen, changed: (isOpen) => set({ isOpen }) });
  const stepFree = makeToggle({
    id: "filter-step-free", label: "Step-free", isOn: chosen.isStepFree, changed: (isStepFree) => set({ isStepFree }),
  });
  return {
    element: h("div", { class: "place-filters", role: "group", "aria-label": "Filters" }, kind, zone, open, stepFree),
    get value() { return chosen; },
    setClasses(names) {
      if (names.length === 0) return;
      classes.replaceChildren(...names.map((name) => option(`class:${name}`, className(name), chosen.kind)));
      kind.append(classes);
    },
    setZones(zones) {
      zone.hidden = zones.length < 2;
      zone.replaceChildren(option("", "Any zone", chosen.zone), ...zones.map(({ id, name }) => option(String(id), name, chosen.zone)));
    },
    clear() {
      chosen = none;
      kind.value = zone.value = "";
      for (const button of [open, stepFree]) button.setAttribute("aria-pressed", "false");
      changed(chosen);
    },
  };
}
