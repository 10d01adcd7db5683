// The fields of an event's form, with their problems.

import { h, setText } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { longDayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { drawCharactersLeft, problemLine } from "./formparts.js";
import { capacityMax, descriptionCharactersMax, durationOf, titleCharactersMax } from "./formvalues.js";
import { LengthField } from "./lengthfield.js";
import { PlaceField } from "./placefield.js";
import { timeOf } from "./times.js";
import { audiences } from "./words.js";

const order = ["title", "audience", "date", "time", "length", "place", "position", "capacity", "description"];

/**
 * `{element, get values, setProblems(problems), set(values), close}`. A new event (`isNew`) has a choice of audiences, where `mayAnnounce`
 * adds the campus; of another one the audience is shown. `changed()` follows each change of the person.
 */
export function makeEventFields(given) {
  return new EventFields(given);
}

class EventFields {
  #values;
  /** Time of the server when the form was made. */
  #now;
  #changed;
  #title;
  #date;
  #time;
  #capacity;
  #length;
  #place;
  #description;
  #end = h("p", { class: "hint number", id: "event-end", role: "status" });
  #audienceProblem = problemLine("audience");

  constructor({ app, values, workouts, mayAnnounce, isNew, changed }) {
    const touched = () => this.#touched();
    this.#values = values;
    this.#now = app.net.clock.now();
    this.#changed = changed;
    this.#title = this.#field({
      name: "title", label: "Title", maxlength: titleCharactersMax * 2, autocomplete: "off", placeholder: "Easy evening run",
    });
    this.#date = this.#field({ name: "date", label: "Day", type: "date" });
    this.#time = this.#field({ name: "time", label: "Starts at", type: "time" });
    this.#capacity = this.#field({
      name: "capacity", label: "Spots", inputmode: "numeric", autocomplete: "off", placeholder: "No limit",
      maxlength: String(capacityMax).length,
      hint: "Including you. When it's full, others join a waiting list and move up automatically.",
    });
    this.#length = new LengthField(values, touched);
    this.#place = new PlaceField({ app, values, changed: touched });
    this.#description = new DescriptionField(values.description, touched);
    const offered = audiences.filter(({ id }) => id !== "campus" || mayAnnounce || values.audience === "campus");
    this.element = this.#layout(this.#kinds(workouts), isNew ? this.#audienceChoice(offered) : this.#audienceNote(offered));
    this.#drawEnd();
  }

  get values() {
    const chosen = (name) => this.element.querySelector(`input[name=${name}]:checked`)?.value;
    return {
      title: this.#title.input.value, audience: chosen("audience") ?? this.#values.audience, workout: chosen("workout") ?? "",
      date: this.#date.input.value, time: this.#time.input.value, ...this.#length.values, ...this.#place.values,
      capacity: this.#capacity.input.value, description: this.#description.value,
    };
  }

  set(next) {
    for (const field of [this.#title, this.#date, this.#time, this.#capacity]) field.input.value = next[field.name];
    this.#length.set(next);
    for (const input of this.element.querySelectorAll("input[type=radio]")) input.checked = input.value === next[input.name];
    this.#place.set(next);
    this.setProblems({}, { focuses: false });
    this.#drawEnd();
    this.#description.value = next.description;
  }

  /** Shows each problem at its field, and focuses the first. */
  setProblems(problems, { focuses = true } = {}) {
    for (const field of Object.values(this.#plain)) field.setProblem(problems[field.name] ?? null);
    this.#length.setProblem(problems.length);
    this.#audienceProblem.textContent = problems.audience ?? "";
    this.#place.setProblem(problems.position);
    this.#description.setProblem(problems.description);
    const first = order.find((name) => problems[name]);
    if (focuses && first) this.#focus(first);
  }

  close() {
    this.#place.close();
  }

  get #plain() {
    return { title: this.#title, date: this.#date, time: this.#time, place: this.#place.name, capacity: this.#capacity };
  }

  #field(given) {
    const made = makeField({ ...given, value: this.#values[given.name] });
    made.input.addEventListener("input", () => this.#touched());
    return made;
  }

  #touched() {
    this.#drawEnd();
    this.#changed();
  }

  #focus(name) {
    if (name === "length") this.#length.focus();
    else if (name === "description") this.#description.focus();
    else if (name === "position") this.element.querySelector("#mark-middle").focus();
    else if (name === "audience") this.element.querySelector("input[name=audience]")?.focus();
    else this.#plain[name].input.focus();
  }

  #layout(kinds, audience) {
    return h("div", { class: "stack" },
      h("section", { class: "card stack" }, this.#title.element, kinds),
      h("section", { class: "card stack" }, h("h2", {}, "When"),
        h("div", { class: "two-fields three" }, this.#date.element, this.#time.element, this.#length.element),
        this.#length.other, this.#end),
      h("section", { class: "card stack" }, h("h2", {}, "Place"), ...this.#place.elements),
      h("section", { class: "card stack" }, audience, this.#capacity.element),
      h("section", { class: "card stack" }, this.#description.element));
  }

  #audienceChoice(offered) {
    const changed = () => {
      this.#audienceProblem.textContent = "";
      this.#touched();
    };
    const choice = ({ id, label, hint }) => h("label", { class: "choice" },
      h("input", { type: "radio", name: "audience", value: id, checked: id === this.#values.audience, onchange: changed }),
      h("span", { class: "grow" }, h("strong", {}, label), h("span", { class: "hint" }, hint)));
    return h("fieldset", { class: "choices", dataset: { field: "audience" }, "aria-describedby": this.#audienceProblem.id },
      h("legend", { class: "legend" }, "Who is it for?"), ...offered.map(choice),
      h("p", { class: "hint" }, "You can't change this later."), this.#audienceProblem);
  }

  #audienceNote(offered) {
    const label = offered.find(({ id }) => id === this.#values.audience)?.label ?? "";
    return h("div", { class: "notice" }, icon("group"), h("div", {}, h("strong", {}, `For: ${label}. `), "You can't change this."));
  }

  #kinds(workouts) {
    const choice = ({ id, label, colour }) => {
      const checked = id === this.#values.workout;
      const element = h("label", { class: "kind-choice" },
        h("input", { type: "radio", name: "workout", value: id, checked, onchange: () => this.#touched() }),
        colour ? h("span", { class: "kind-dot", "aria-hidden": "true" }) : null, label);
      if (colour) element.style.setProperty("--kind", colour);
      return element;
    };
    return h("fieldset", { class: "chip-field", dataset: { field: "workout" } }, h("legend", { class: "legend" }, "Kind"),
      h("div", { class: "chip-buttons event-kind-choice" }, ...[{ id: "", label: "None" }, ...workouts].map(choice)));
  }

  #drawEnd() {
    const start = timeOf(this.#date.input.value, this.#time.input.value);
    const seconds = durationOf(this.#length.values);
    setText(this.#end, start !== null && seconds > 0 ? endText(start, start + seconds * 1_000, this.#now) : "");
  }
}

function endText(start, end, now) {
  const isSameDay = new Date(start).toDateString() === new Date(end).toDateString();
  return isSameDay ? `Ends at ${timeText(end)}.` : `Ends on ${longDayText(end, now)}, ${timeText(end)}.`;
}

/** The description, with the number of characters that are left. `changed()` follows each change. */
class DescriptionField {
  #input;
  #count = h("p", { class: "hint number", id: "description-count" });

  constructor(value, changed) {
    this.#input = h("textarea", {
      class: "input", id: "field-description", name: "description", rows: "5", "aria-describedby": "description-count", value,
      placeholder: "Pace, what to bring, where to meet.",
      oninput: () => {
        this.#drawCount();
        changed();
      },
    });
    this.element = h("div", { class: "field" }, h("label", { for: "field-description" }, "Description"), this.#input, this.#count);
    this.#drawCount();
  }

  get value() {
    return this.#input.value;
  }

  set value(text) {
    this.#input.value = text;
    this.#drawCount();
  }

  setProblem(message) {
    this.#count.classList.toggle("over", Boolean(message));
    if (message) setText(this.#count, message);
  }

  focus() {
    this.#input.focus();
  }

  #drawCount() {
    drawCharactersLeft(this.#count, this.#input.value, descriptionCharactersMax);
  }
}
