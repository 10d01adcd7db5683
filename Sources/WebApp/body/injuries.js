// Injuries: the list, and the dialog that adds or changes one.

import { today, wordsOf } from "../charts/days.js";
import { uuid } from "../client/uuid.js";
import { textLengths } from "../client/registry.js";
import { openDialog } from "../kit/dialog.js";
import { confirmDialog, h, keepFocus } from "../kit/dom.js";
import { makeField, makeForm } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { makeSaved } from "../kit/saved.js";
import { bodyAreas, injuryTime, injuryTitle, injuryTypes, isHealed } from "./words.js";

/** `{element, draw(injuries), close()}`; `write(note, method, params)` saves, `signal` ends it. */
export function makeInjuryCard({ writes, write, signal }) {
  return new InjuryCard(writes, write, signal);
}

class InjuryCard {
  element;

  #write;
  #drawn = null;
  #dialog = null;
  #note = makeSaved();
  #list = h("ul", { class: "injury-list", id: "injuries" });
  #none = h("p", { class: "muted" }, "No injuries.");
  #add = h("button", { class: "button", type: "button", id: "injury-add", onclick: () => this.#open() }, icon("plus"), "Add an injury");

  constructor(writes, write, signal) {
    this.#write = write;
    this.#note.follow(writes, ({ method }) => method.endsWith("Injury"), signal);
    this.element = h("section", { class: "card stack", id: "injury-card", "aria-labelledby": "injury-title" },
      h("h2", { id: "injury-title" }, "Injuries"),
      h("p", { class: "hint" }, "Workouts leave out exercises that could make an injury worse, until it has healed."),
      this.#none, this.#list, h("div", { class: "row" }, this.#add), this.#note.element);
  }

  draw(injuries) {
    const key = JSON.stringify(injuries);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#none.hidden = injuries.length > 0;
    keepFocus(this.#list, () => this.#list.replaceChildren(...injuries.map((injury) => this.#row(injury))), () => this.#add);
  }

  close() {
    if (this.#dialog?.open) this.#dialog.close();
  }

  #row(injury) {
    const title = injuryTitle(injury);
    const healed = isHealed(injury, today());
    const action = (label, run) => h("button", { class: "button quiet small-button", type: "button", "aria-label": `${label}: ${title}`,
      onclick: run }, label);
    return h("li", { class: healed ? "injury is-healed" : "injury", dataset: { injury: injury.id } },
      h("div", { class: "grow" }, h("strong", {}, title), healed ? h("span", { class: "tag" }, "Healed") : null,
        h("p", { class: "muted small" }, injuryTime(injury)), injury.note ? h("p", { class: "small" }, injury.note) : null),
      h("div", { class: "row injury-actions" },
        healed || injury.until ? null : action("Healed", () => this.#heal(injury)),
        action("Edit", () => this.#open(injury)), action("Remove", () => this.#remove(injury))));
  }

  /** From tomorrow on it does not count: today is its last day, or the day before if that is not before the first. */
  #heal(injury) {
    const day = today();
    const { from } = injury;
    const yesterday = new Date(new Date(`${day}T12:00:00`).getTime() - 86_400_000);
    const before = today(yesterday.getTime());
    this.#write(this.#note, "body.saveInjury", { ...injury, until: before >= from ? before : day });
  }

  async #remove(injury) {
    const sure = await confirmDialog({ id: "remove-injury", title: "Remove this injury?", confirm: "Remove", danger: true,
      text: `“${injuryTitle(injury)}” is deleted. If it has healed, choose Healed instead to keep it in your records.` });
    if (sure) await this.#write(this.#note, "body.removeInjury", { id: injury.id });
  }

  #open(injury = null) {
    const fields = {
      type: selectField({ name: "type", label: "Type", options: injuryTypes, value: injury?.type }),
      area: selectField({ name: "area", label: "Where", options: bodyAreas, value: injury?.area }),
      from: makeField({ name: "from", id: "injury-from", label: "Since", type: "date", value: injury?.from ?? today(), max: today() }),
      until: makeField({ name: "until", id: "injury-until", label: "Last day (optional)", type: "date", value: injury?.until ?? "",
        hint: "Leave this empty until it has healed." }),
      note: makeField({ name: "note", id: "injury-note", label: "Note (optional)", value: injury?.note ?? "", rows: 2,
        maxlength: textLengths.injuryNote.max }),
    };
    const id = injury?.id ?? uuid();
    const form = makeForm({
      id: "injury-form", fields: Object.values(fields), submitLabel: injury ? "Save" : "Add injury", check: injuryProblems,
      send: async ({ type, area, from, until, note }) => {
        this.#dialog.close();
        await this.#write(this.#note, "body.saveInjury", { id, type, area, from, ...(until && { until }), ...(note && { note }) });
      },
    });
    this.#dialog = openDialog({ id: "injury-dialog", title: injury ? "Edit injury" : "Add an injury", content: form });
  }
}

/** A field of a form that chooses one of several. */
function selectField({ name, label, options, value = "" }) {
  const id = `injury-${name}`;
  const problem = h("p", { class: "problem", id: `${id}-problem`, dataset: { problem: name } });
  const input = h("select", { id, name, "aria-describedby": problem.id, onchange: () => { problem.textContent = ""; } },
    h("option", { value: "" }, "Choose…"), ...options.map((one) => h("option", { value: one.id }, one.label)));
  input.value = value;
  return {
    name, input, problemId: problem.id, setProblem: (message) => { problem.textContent = message ?? ""; },
    element: h("div", { class: "field" }, h("label", { for: id }, label), input, problem),
  };
}

/** What is wrong with a form's values: `{field: message}`. */
function injuryProblems({ type, area, from, until }) {
  const problems = {};
  const day = today();
  if (!type) problems.type = "Choose a type.";
  if (!area) problems.area = "Choose a part of the body.";
  if (!from) problems.from = "Choose the first day.";
  else if (from > day) problems.from = `Choose ${wordsOf(day)} or an earlier day.`;
  else if (until && until < from) problems.until = "The last day is before the first.";
  return problems;
}
