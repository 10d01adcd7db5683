// The search of the catalogue of exercises: its text, its filters, and the list of what is found.

import { equipments, exerciseLevels, exerciseTypes, muscles } from "../client/registry.js";
import { announce, h, setText } from "../kit/dom.js";
import { makeChips } from "../kit/fields.js";
import { count, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { loadingText } from "../kit/loading.js";
import { Finder } from "../places/finder.js";
import { exerciseDiagram } from "./diagram.js";
import { makeSelect } from "./fields.js";
import { equipmentName, equipmentText, levelName, muscleName, optionsOf, typeName } from "./words.js";

const pageSize = 30;

/** The parameters of `exercises.search` that a form stands for. `equipment` is a list; `bodyOnly` leaves out all that needs any. */
export function searchParams({ text = "", muscle = "", type = "", level = "", equipment = [], bodyOnly = false }) {
  return {
    ...(text.trim() && { text: text.trim() }), ...(muscle && { muscle }), ...(type && { type }), ...(level && { level }),
    ...(bodyOnly ? { equipment: [] } : equipment.length > 0 && { equipment }),
  };
}

/** The row of an exercise; `content` makes its link or its button from the parts inside. */
export function exerciseRow(exercise, content) {
  const { id, name, type, level, primaryMuscles, equipment, exclusion } = exercise;
  const hints = [typeName(type), levelName(level), primaryMuscles.map(muscleName).join(", "), equipmentText(equipment)];
  return h("li", { class: "exercise-item", dataset: { exercise: id } }, content([
    h("span", { class: "entry-diagram" }, exerciseDiagram(exercise)),
    h("span", { class: "entry-what" }, h("strong", {}, name), h("span", { class: "muted small" }, hints.filter(Boolean).join(" · ")),
      exclusion ? h("span", { class: "small excluded" }, icon("warning"), exclusion.reason) : null),
  ], exercise));
}

/** The filters of the search: `{elements, get value}`. */
function makeFilters({ id, initial, changed }) {
  const any = (label) => [{ id: "", label }];
  const selects = {
    muscle: makeSelect({
      id: `${id}-muscle`, label: "Muscle", value: initial.muscle, options: [...any("Any muscle"), ...optionsOf(muscles, muscleName)],
        changed,
    }),
    type: makeSelect({
      id: `${id}-type`, label: "Type", value: initial.type, options: [...any("Any type"), ...optionsOf(exerciseTypes, typeName)], changed,
    }),
    level: makeSelect({ id: `${id}-level`, label: "Up to level", options: [...any("Any level"), ...optionsOf(exerciseLevels, levelName)],
      changed }),
  };
  const equipment = makeChips({ name: `${id}-equipment`, label: "Equipment at hand", hint: "Shows exercises that need nothing else.",
    most: equipments.length, options: optionsOf(equipments, equipmentName), changed });
  const isPressed = () => bodyOnly.getAttribute("aria-pressed") === "true";
  const bodyOnly = h("button", { class: "chip-button", type: "button", "aria-pressed": "false", onclick: () => {
    bodyOnly.setAttribute("aria-pressed", String(!isPressed()));
    changed();
  } }, icon("tick"), "No equipment");
  return {
    elements: [
      h("div", { class: "filter-grid" }, ...Object.values(selects).map(({ element }) => element)),
      h("details", {}, h("summary", {}, "Equipment"), h("div", { class: "stack tight" }, h("div", {}, bodyOnly), equipment.element)),
    ],
    get value() {
      const { muscle, type, level } = selects;
      return { muscle: muscle.value, type: type.value, level: level.value, equipment: equipment.value, bodyOnly: isPressed() };
    },
  };
}

/** `{element, start(), focus(), close()}`: `content(parts, exercise)` makes the link or button of a row. */
export function makeExerciseSearch({ net, content, id = "exercise-search", initial = { text: "", muscle: "", type: "" } }) {
  const input = h("input", { class: "input search-input", type: "search", id, value: initial.text, autocomplete: "off",
    placeholder: "Name of an exercise", "aria-label": "Search exercises", maxlength: 80, oninput: () => want() });
  const list = h("ul", { class: "exercise-list", "aria-label": "Exercises" });
  const found = h("p", { class: "muted small", role: "status" });
  const more = h("button", { class: "button wide", type: "button", hidden: true, onclick: () => addMore() }, "Show more");
  const changed = () => want({ isUrgent: true });
  const filters = makeFilters({ id, initial, changed });
  let shown = 0;
  let isClosed = false;

  const params = () => searchParams({ text: input.value, ...filters.value });
  const finder = new Finder({
    ask: (wish) => net.read("exercises.search", { ...wish, limit: pageSize }),
    found: (reply) => {
      list.replaceChildren();
      shown = 0;
      add(reply);
    },
    failed: (error) => {
      setText(found, net.state === "live" ? sentence(error.message) : "You're offline. Open a workout to see its exercises.");
      more.hidden = true;
    },
  });
  const want = (options) => finder.want(params(), options);

  function add({ exercises, total }) {
    list.append(...exercises.map((exercise) => exerciseRow(exercise, content)));
    shown += exercises.length;
    setText(found, total === 0 ? "No exercises found. Try another word or fewer filters." : count(total, "exercise"));
    more.hidden = shown >= total || exercises.length === 0;
  }

  async function addMore() {
    more.disabled = true;
    try {
      const before = shown;
      const reply = await net.request("exercises.search", { ...params(), limit: pageSize, offset: shown });
      if (isClosed) return;
      add(reply);
      announce(`${count(reply.exercises.length, "more exercise")}.`);
      /** @type {HTMLElement | null | undefined} */ (list.children[before]?.querySelector("a, button"))?.focus();
    } catch (error) {
      if (!isClosed) setText(found, sentence(error.message));
    } finally {
      more.disabled = false;
    }
  }

  return {
    element: h("div", { class: "stack exercise-search" }, h("div", { class: "search-box" }, icon("search"), input),
      ...filters.elements, found, list, more),
    start: () => {
      setText(found, loadingText(net));
      want({ isUrgent: true });
    },
    focus: () => input.focus(),
    /** Searches again, as the connection is back. */
    again: () => { if (list.childElementCount === 0) want({ isUrgent: true }); },
    close: () => {
      isClosed = true;
      finder.close();
    },
  };
}

/** The address of the page of an exercise. */
export const exercisePath = (id) => `/exercises/${id.split("/").map(encodeURIComponent).join("/")}`;
