// The fields of a workout's plan.

import { equipments, exerciseTypes, workoutIntensities, workoutPlaces } from "../client/registry.js";
import { announce, h, toast } from "../kit/dom.js";
import { makeChips, makeRadios } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { makeDestinationField } from "./destinationfield.js";
import { makeSelect, readNumber } from "./fields.js";
import { openExercisePicker } from "./picker.js";
import { countSets, entriesOf, neighbourOf, newEntry, placeOf, planLimits, withChangedEntry, withEntry, withJoined, withMoved,
  withSplit, withoutEntry } from "./plan.js";
import { SectionList } from "./sectionlist.js";
import { makeTags } from "./tagfield.js";
import { makeVideoFields } from "./videofields.js";
import { equipmentName, intensityHint, intensityName, optionsOf, placeName, sectionName, typeName } from "./words.js";

const card = (id, title, ...content) => h("section", { class: "card stack", "aria-labelledby": id }, h("h2", { id }, title), ...content);

const done = { move: "Moved.", join: "Added to the superset.", split: "Taken out of the superset." };
const refusals = {
  move: "It can't move further.", join: `A superset has at most ${planLimits.entriesOfGroup} exercises.`,
  split: "It isn't in a superset.",
};

/** All fields in `element`; `changed()` follows each change. */
export class PlanFields {
  element = h("div", { class: "stack" });
  /** Exercises that are known, each once, as `exercises.get` or a list gives them. */
  exercises = [];

  #app; #changed; #sectionsOf;
  #parts;
  #lists = [];

  constructor(app, { plan, exercises, changed }) {
    this.#app = app;
    this.#changed = changed;
    this.set(plan, exercises);
  }

  /** The plan as the fields have it. */
  get plan() {
    const { title, description, type, intensity, minutes, place, destination, equipment, tags, videos } = this.#parts;
    return {
      title: title.input.value, ...(description.input.value.trim() && { description: description.input.value }), type: type.value,
      intensity: intensity.value, minutes: Math.round(readNumber(minutes.input.value) ?? NaN), place: place.value,
      ...(destination.value && { destination: destination.value.id }), equipment: equipment.value, tags: tags.value, videos: videos.value,
      sections: this.#sectionsOf,
    };
  }

  get destinationName() { return this.#parts.destination.value?.name ?? null; }

  set(plan, exercises = []) {
    this.close();
    this.#learn(exercises);
    this.#sectionsOf = plan.sections;
    const changed = () => this.#changed();
    const oninput = changed;
    this.#parts = {
      title: makeField({ name: "title", label: "Name", value: plan.title, maxlength: planLimits.title * 2, autocomplete: "off",
        placeholder: "Full body, 30 minutes", oninput }),
      description: makeField({ name: "description", label: "Description", rows: 3, value: plan.description ?? "",
        maxlength: planLimits.description * 2, oninput }),
      type: makeSelect({ id: "type", label: "Type", value: plan.type, options: optionsOf(exerciseTypes, typeName), changed }),
      intensity: makeRadios({ name: "intensity", label: "Intensity", value: plan.intensity,
        options: workoutIntensities.map((id) => ({ id, label: h("span", {}, intensityName(id),
          h("span", { class: "hint" }, intensityHint(id))) })), isColumn: true, changed }),
      minutes: makeField({ name: "minutes", label: "Duration in minutes", type: "number", inputmode: "numeric", min: 1,
        max: planLimits.minutes, value: String(plan.minutes), oninput }),
      place: makeSelect({ id: "place", label: "Kind of place", value: plan.place, options: optionsOf(workoutPlaces, placeName), changed }),
      destination: makeDestinationField(this.#app, { value: plan.destination
        ? { id: plan.destination, name: plan.destinationName ?? "The chosen place" } : null, changed }),
      equipment: makeChips({ name: "equipment", label: "Equipment at hand", most: equipments.length, value: plan.equipment,
        options: optionsOf(equipments, equipmentName), changed }),
      tags: makeTags({ value: plan.tags, changed }),
      videos: makeVideoFields({ value: plan.videos, changed }),
    };
    this.#draw();
  }

  setProblems(problems) {
    const { title, description, minutes, videos } = this.#parts;
    for (const field of [title, description, minutes]) field.setProblem(problems[field.name] ?? null);
    videos.setProblems(problems);
    for (const list of this.#lists) list.setProblems(problems);
    this.#sectionsProblem.textContent = problems.sections ?? "";
    const [first] = Object.keys(problems);
    const named = { title, description, minutes }[first];
    if (named) named.input.focus();
    else if (first?.startsWith("video-")) videos.focus(Number(first.slice("video-".length)));
    else if (first) {
      const problem = /** @type {HTMLElement | null} */ (this.element.querySelector("[data-bad='true']") ?? this.#sectionsProblem);
      problem.scrollIntoView({ block: "center" });
      problem.focus();
    }
  }

  close() {
    this.#parts?.destination.close();
  }

  #sectionsProblem = h("p", { class: "problem", role: "alert", id: "sections-problem", tabindex: "-1" });

  #learn(exercises) {
    const known = new Set(this.exercises.map(({ id }) => id));
    this.exercises = [...this.exercises, ...exercises.filter(({ id }) => !known.has(id) && known.add(id))];
  }

  #draw() {
    const { title, description, type, intensity, minutes, place, destination, equipment, tags, videos } = this.#parts;
    this.#lists = this.#sectionsOf.map(({ kind }) => new SectionList({
      kind, nameOf: (id) => this.exercises.find((one) => one.id === id) ?? null, act: (action, ...details) => this.#act(action, ...details),
    }));
    this.#drawSections();
    this.element.replaceChildren(
      card("basics-title", "About", title.element, description.element, h("div", { class: "two-fields" }, type.element, minutes.element),
        intensity.element, tags.element),
      card("place-equipment-title", "Place and equipment", place.element, destination.element,
        h("details", { open: equipment.value.length > 0 }, h("summary", {}, "Equipment"), equipment.element)),
      ...this.#lists.map((list) => h("section", { class: "card stack", "aria-labelledby": `edit-${list.kind}` },
        h("h2", { id: `edit-${list.kind}` }, sectionName(list.kind)), list.element,
        h("div", {}, h("button", { class: "button", type: "button", dataset: { add: list.kind }, onclick: () => this.#pick(list.kind) },
          icon("plus"), "Add exercise")))),
      this.#sectionsProblem, card("videos-title", "Videos", videos.element));
  }

  #drawSections() {
    for (const list of this.#lists) list.draw(this.#sectionsOf.find(({ kind }) => kind === list.kind));
  }

  #pick(kind) {
    openExercisePicker({ net: this.#app.net, title: `Add to ${sectionName(kind).toLowerCase()}`, chosen: (exercise) => {
      if (entriesOf({ sections: this.#sectionsOf }).length >= planLimits.entries) {
        return `Not added: a workout has at most ${planLimits.entries} exercises.`;
      }
      this.#learn([exercise]);
      this.#change((plan) => withEntry(plan, kind, newEntry(exercise, kind)));
      return null;
    } });
  }

  #change(change) {
    const { sections } = change({ sections: this.#sectionsOf });
    if (sections === this.#sectionsOf) return false;
    this.#sectionsOf = sections;
    this.#sectionsProblem.textContent = countSets({ sections }) > planLimits.sets ? `A workout has at most ${planLimits.sets} sets.` : "";
    this.#drawSections();
    this.#changed();
    return true;
  }

  /** `action` of an entry: `move`, `join`, `split`, `remove`, `change`. */
  #act(action, id, value) {
    const changes = {
      move: (all) => withMoved(all, id, value), join: (all) => withJoined(all, id), split: (all) => withSplit(all, id),
      remove: (all) => withoutEntry(all, id), change: (all) => withChangedEntry(all, id, value),
    };
    const plan = { sections: this.#sectionsOf };
    const entry = entriesOf(plan).find((one) => one.id === id);
    const before = { kind: placeOf(plan, id)?.kind, next: neighbourOf(plan, id), sets: entry?.sets.length };
    const isDone = this.#change(changes[action]);
    if (action === "change") {
      // A row with another number of sets is drawn again.
      if (value.sets.length !== before.sets) this.#focus(id, "add-set");
    } else if (action === "remove") {
      announce("Removed.");
      if (before.next) this.#focus(before.next, "remove");
      else /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-add="${before.kind}"]`))?.focus();
    } else {
      // Nothing on the page shows a refusal.
      if (isDone) announce(done[action]);
      else toast(refusals[action], { key: "plan-refusal" });
      this.#focus(id, action, value);
    }
  }

  #focus(id, action, value = undefined) {
    for (const list of this.#lists) list.focus(id, action, value);
  }
}
