// The table of what a person is reminded of, and by which ways.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { channels, kinds, switched } from "./words.js";

/** A table with a note; `changed(kinds)` gets the choices of the settings after a change. */
export class ReminderMatrix {
  #changed;
  #settings = null;
  /** Kind and channel → checkbox. */
  #boxes = new Map();
  #table;
  #note = h("p", { class: "hint", id: "matrix-note" });

  constructor(changed) {
    this.#changed = changed;
    const column = ({ id, label, icon: name }) => h("th", { scope: "col", dataset: { channel: id } }, icon(name), h("span", {}, label));
    const head = h("tr", {}, h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "About")), ...channels.map(column));
    this.#table = h("table", { class: "matrix", id: "reminder-matrix" }, h("thead", {}, head),
      h("tbody", {}, ...kinds.map((kind) => this.#row(kind))));
    this.elements = [h("div", { class: "matrix-wrap" }, this.#table), this.#note];
  }

  draw(settings) {
    this.#settings = settings;
    const stateOf = (id) => settings.channels.find(({ channel }) => channel === id)?.state ?? "unavailable";
    for (const choice of settings.kinds) {
      for (const { id } of channels) {
        const box = this.#boxes.get(`${choice.kind}-${id}`);
        if (!box) continue;
        box.checked = choice.channels.includes(id);
        box.disabled = stateOf(id) === "unavailable";
      }
    }
    for (const cell of this.#table.querySelectorAll("[data-channel]")) {
      cell.classList.toggle("is-off", stateOf(cell.dataset.channel) !== "on");
    }
    this.#note.textContent = noteText(stateOf);
  }

  #row(kind) {
    return h("tr", {}, h("th", { scope: "row" }, h("strong", {}, kind.label), h("span", { class: "hint" }, kind.hint)),
      ...channels.map((channel) => this.#cell(kind, channel)));
  }

  #cell(kind, channel) {
    const input = h("input", {
      type: "checkbox", id: `remind-${kind.id}-${channel.id}`, "aria-label": `${kind.label} by ${channel.label.toLowerCase()}`,
      onchange: () => this.#changed(switched(this.#settings.kinds, kind.id, channel.id, input.checked)),
    });
    this.#boxes.set(`${kind.id}-${channel.id}`, input);
    return h("td", { dataset: { channel: channel.id } }, h("label", { class: "box" }, input));
  }
}

function noteText(stateOf) {
  const isNone = channels.every(({ id }) => stateOf(id) === "unavailable");
  if (isNone) return "Reminders aren't set up on this server.";
  const idle = channels.filter(({ id }) => !["on", "unavailable"].includes(stateOf(id))).map(({ label }) => label.toLowerCase());
  return idle.length === 0 ? "" : `To use ${idle.join(" and ")}, turn it on above.`;
}
