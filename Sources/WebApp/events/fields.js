// The fields of an event's form, tied to their messages.

import { h, setText } from "../kit/dom.js";
import { characters } from "../kit/choices.js";
import { capacityMax, descriptionCharactersMax, durationOf, lengths, titleCharactersMax } from "./formvalues.js";
import { lengthOf, timeOf } from "./times.js";
import { audiences } from "./words.js";
import { longDayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makePlacePicker, namedPlaces } from "../map/picker.js";
import { makeField } from "../kit/form.js";

/**
 * `{element, get values, setProblems(problems), set(values), close}`. `audience` null offers a choice (`mayAnnounce` adds the campus), else
 * it is said and stays.
 */
export function makeEventFields({ app, values, workouts, mayAnnounce, isNew, changed }) {
  const now = app.net.clock.now();
  const touched = () => {
    drawEnd();
    changed();
  };
  const field = (given) => {
    const made = makeField({ ...given, value: values[given.name] });
    made.input.addEventListener("input", touched);
    return made;
  };
  const title = field({ name: "title", label: "Title", maxlength: titleCharactersMax * 2, autocomplete: "off", placeholder: "Easy evening run" });
  const date = field({ name: "date", label: "Day", type: "date" });
  const time = field({ name: "time", label: "Begins at", type: "time" });
  const hours = field({ name: "hours", label: "Hours", type: "number", inputmode: "numeric", min: 0, max: 336 });
  const minutes = field({ name: "minutes", label: "Minutes", type: "number", inputmode: "numeric", min: 0, max: 59 });
  const place = field({ name: "place", label: "Where", maxlength: titleCharactersMax * 2, autocomplete: "off", list: "place-names", placeholder: "Boathouse, main door" });
  const capacity = field({ name: "capacity", label: "How many can come?", inputmode: "numeric", autocomplete: "off", placeholder: "No limit", maxlength: String(capacityMax).length, hint: "You count, too. When it's full, others join a waiting list and move up automatically." });
  const names = h("datalist", { id: "place-names" });

  const lengthProblem = problemLine("length");
  const length = h("select", { id: "field-length", name: "length", "aria-describedby": `${lengthProblem.id} event-end`, onchange: () => {
    other.hidden = length.value !== "other";
    setProblem(length, lengthProblem, null);
    touched();
  } }, ...lengths.map((one) => h("option", { value: one, selected: String(one) === values.length }, lengthOf(one * 60))), h("option", { value: "other", selected: values.length === "other" }, "Another length"));
  const other = h("div", { class: "two-fields length-other", hidden: values.length !== "other" }, hours.element, minutes.element);
  const end = h("p", { class: "hint number", id: "event-end", role: "status" });

  const description = h("textarea", { class: "input", id: "field-description", name: "description", rows: "5", "aria-describedby": "description-count", value: values.description, placeholder: "What should somebody know who comes? How fast, what to bring, where to meet.", oninput: () => {
    drawCount();
    touched();
  } });
  const descriptionCount = h("p", { class: "hint number", id: "description-count" });

  const audienceProblem = problemLine("audience");
  const offered = audiences.filter(({ id }) => id !== "campus" || mayAnnounce || values.audience === "campus");
  const audience = isNew
    ? h("fieldset", { class: "choices", dataset: { field: "audience" }, "aria-describedby": audienceProblem.id }, h("legend", { class: "legend" }, "Who is it for?"),
      ...offered.map(({ id, label, hint }) => h("label", { class: "choice" }, h("input", { type: "radio", name: "audience", value: id, checked: id === values.audience, onchange: () => {
        audienceProblem.textContent = "";
        touched();
      } }), h("span", { class: "grow" }, h("strong", {}, label), h("span", { class: "hint" }, hint)))), h("p", { class: "hint" }, "This cannot be changed later."), audienceProblem)
    : h("div", { class: "notice" }, icon("group"), h("div", {}, h("strong", {}, `For: ${offered.find(({ id }) => id === values.audience)?.label ?? ""}. `), "This stays as it is."));

  const kinds = h("fieldset", { class: "chip-field", dataset: { field: "workout" } }, h("legend", { class: "legend" }, "Kind"), h("div", { class: "chip-buttons event-kind-choice" },
    ...[{ id: "", label: "None" }, ...workouts].map(({ id, label, colour }) => {
      const choice = h("label", { class: "kind-choice" }, h("input", { type: "radio", name: "workout", value: id, checked: id === values.workout, onchange: touched }), colour ? h("span", { class: "kind-dot", "aria-hidden": "true" }) : null, label);
      if (colour) choice.style.setProperty("--kind", colour);
      return choice;
    })));

  const positionProblem = problemLine("position");
  let places = new Map();
  /** A mark that a name put there, not a finger: another name may move it. */
  let isMarkByName = values.position === null;
  const picker = makePlacePicker({ app, value: values.position, changed: (position) => {
    isMarkByName = position === null;
    positionProblem.textContent = "";
    touched();
  } });
  place.input.addEventListener("input", () => {
    const known = places.get(place.input.value.trim());
    if (!known || !isMarkByName) return;
    picker.set(known);
    touched();
  });
  namedPlaces(app).then((found) => {
    places = found;
    names.replaceChildren(...[...found.keys()].sort((a, b) => a.localeCompare(b)).map((name) => h("option", { value: name })));
  }, () => {});

  const plain = { title, date, time, place, capacity };

  function drawEnd() {
    const start = timeOf(date.input.value, time.input.value);
    const seconds = durationOf(read());
    if (start === null || !(seconds > 0)) return setText(end, "");
    const stop = start + seconds * 1_000;
    const isSameDay = new Date(start).toDateString() === new Date(stop).toDateString();
    return setText(end, `Ends ${isSameDay ? `at ${timeText(stop)}` : `on ${longDayText(stop, now)}, ${timeText(stop)}`}.`);
  }

  function drawCount() {
    const left = descriptionCharactersMax - characters(description.value);
    setText(descriptionCount, left >= 0 ? `${left.toLocaleString("en")} characters left` : `${(-left).toLocaleString("en")} characters too many`);
    descriptionCount.classList.toggle("over", left < 0);
  }

  function read() {
    const chosen = (name) => element?.querySelector(`input[name=${name}]:checked`)?.value;
    return {
      title: title.input.value, audience: chosen("audience") ?? values.audience, workout: chosen("workout") ?? "", date: date.input.value, time: time.input.value, length: length.value,
      hours: hours.input.value, minutes: minutes.input.value, place: place.input.value, position: picker.value, capacity: capacity.input.value, description: description.value,
    };
  }

  function set(next) {
    for (const [name, { input }] of Object.entries({ ...plain, hours, minutes })) input.value = next[name];
    length.value = next.length;
    other.hidden = next.length !== "other";
    description.value = next.description;
    for (const input of element.querySelectorAll("input[type=radio]")) input.checked = input.value === next[input.name];
    isMarkByName = next.position === null;
    picker.set(next.position);
    setProblems({}, { focuses: false });
    drawEnd();
    drawCount();
  }

  /** Shows what is wrong next to its field, and goes to the first. */
  function setProblems(problems, { focuses = true } = {}) {
    for (const [name, made] of Object.entries(plain)) made.setProblem(problems[name] ?? null);
    setProblem(length, lengthProblem, problems.length);
    audienceProblem.textContent = problems.audience ?? "";
    positionProblem.textContent = problems.position ?? "";
    descriptionCount.classList.toggle("over", Boolean(problems.description));
    if (problems.description) setText(descriptionCount, problems.description);
    const first = ["title", "audience", "date", "time", "length", "place", "position", "capacity", "description"].find((name) => problems[name]);
    if (focuses && first) ({ length: length.value === "other" ? hours.input : length, description, position: element.querySelector("#mark-middle"), audience: element.querySelector("input[name=audience]") }[first] ?? plain[first].input).focus();
  }

  const element = h("div", { class: "stack" },
    h("section", { class: "card stack" }, title.element, kinds),
    h("section", { class: "card stack" }, h("h2", {}, "When"), h("div", { class: "two-fields three" }, date.element, time.element, h("div", { class: "field" }, h("label", { for: "field-length" }, "How long"), length, lengthProblem)), other, end),
    h("section", { class: "card stack" }, h("h2", {}, "Place"), place.element, names, picker.element, positionProblem),
    h("section", { class: "card stack" }, audience, capacity.element),
    h("section", { class: "card stack" }, h("div", { class: "field" }, h("label", { for: "field-description" }, "Description"), description, descriptionCount)));
  drawEnd();
  drawCount();
  return { element, get values() { return read(); }, set, setProblems, close: () => picker.close() };
}

function problemLine(name) {
  return h("p", { class: "problem", id: `field-${name}-problem`, dataset: { problem: name } });
}

function setProblem(input, line, message) {
  line.textContent = message ?? "";
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}
