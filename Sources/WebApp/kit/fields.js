// Fields of forms: chips to choose from, a week of times, switches, radio buttons.

import { announce, h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { toggled } from "./choices.js";

/** `{element, get value}`: chips of which at most `most` can be chosen. */
export function makeChips({ name, label, hint = null, most, options, value = [], changed = () => {} }) {
  let chosen = value.filter((id) => options.some((option) => option.id === id));
  const countId = `chips-${name}-count`;
  const counter = h("span", { class: "chips-count number", id: countId });
  const buttons = options.map(({ id, label: text }) => h("button", {
    class: "chip-button", type: "button", dataset: { chip: id }, onclick: () => {
      const before = chosen;
      chosen = toggled(chosen, id, most);
      if (chosen === before) announce(`You can choose up to ${most}. Remove one first.`);
      draw();
      changed();
    },
  }, icon("tick"), text));
  const draw = () => {
    setText(counter, `${chosen.length} of ${most} chosen`);
    for (const button of buttons) {
      const isChosen = chosen.includes(button.dataset.chip);
      button.setAttribute("aria-pressed", String(isChosen));
      button.classList.toggle("full", !isChosen && chosen.length >= most);
    }
  };
  draw();
  const element = h("fieldset", { class: "chip-field", dataset: { field: name }, "aria-describedby": countId },
    h("legend", { class: "legend" }, label), h("div", { class: "chip-head" }, hint ? h("p", { class: "hint" }, hint) : null, counter),
    h("div", { class: "chip-buttons" }, ...buttons));
  return { element, get value() { return chosen; } };
}

/**
 * `{element, get value}`: a week as a grid of toggles, large enough for a thumb. On a phone the days go down and the parts of a day
 * across, else the other way.
 */
export function makeWeek({ days, dayParts, value = [], changed = () => {} }) {
  let chosen = [...value];
  const counter = h("span", { class: "chips-count number" });
  const draw = () => setText(counter, chosen.length === 0 ? "None chosen yet" : `${chosen.length} chosen`);
  const cell = (day, part) => {
    const id = `${day.id}-${part.id}`;
    const button = h("button", {
      class: "week-cell", type: "button", "aria-label": `${day.label} ${part.label.toLowerCase()}`,
      "aria-pressed": String(chosen.includes(id)), dataset: { time: id }, onclick: () => {
        chosen = toggled(chosen, id);
        button.setAttribute("aria-pressed", String(chosen.includes(id)));
        draw();
        changed();
      },
    }, icon("tick"));
    return button;
  };
  const at = (element, [day, part]) => {
    if (day !== null) element.style.setProperty("--day", day);
    if (part !== null) element.style.setProperty("--part", part);
    return element;
  };
  const grid = h("div", { class: "week" }, h("span", { class: "week-corner" }),
    ...days.map((day, index) => at(h("span", { class: "week-day", "aria-hidden": "true" }, day.label.slice(0, 3)), [index, null])),
    ...dayParts.flatMap((part, column) => [at(h("span", { class: "week-part", "aria-hidden": "true" }, part.label), [null, column]),
      ...days.map((day, index) => at(cell(day, part), [index, column]))]));
  grid.style.setProperty("--days", days.length);
  grid.style.setProperty("--parts", dayParts.length);
  draw();
  return {
    element: h("fieldset", { class: "chip-field", dataset: { field: "times" } }, h("legend", { class: "legend" }, "When do you train?"),
      h("div", { class: "chip-head" }, h("p", { class: "hint" }, "Choose all that suit you."), counter), grid),
    get value() { return chosen; },
  };
}

/** `{element, input, hintElement}`: a switch with a label and a hint. */
export function makeSwitch({ id, label, hint, checked = false, changed = (_isOn) => {} }) {
  const input = h("input", {
    type: "checkbox", role: "switch", id, checked, "aria-describedby": hint ? `${id}-hint` : null, onchange: () => changed(input.checked),
  });
  const hintElement = h("span", { class: "hint", id: `${id}-hint` }, hint ?? "");
  const element = h("label", { class: "switch", for: id }, h("span", { class: "grow" }, h("strong", {}, label), hintElement), input,
    h("span", { class: "switch-track", "aria-hidden": "true" }));
  return { input, hintElement, element };
}

/** `{name, element, input, setProblem(message), get value}`: one of several, as radio buttons in a row, or with `isColumn` in a column. */
export function makeRadios({ name, label, hint = null, options, isColumn = false, value = null, changed = (_id) => {} }) {
  const problem = h("p", { class: "problem", id: `radio-${name}-problem`, dataset: { problem: name } });
  const inputs = options.map(({ id }) => h("input", { type: "radio", name, value: id, checked: id === value, onchange: () => {
    problem.textContent = "";
    changed(id);
  } }));
  const element = h("fieldset", { class: "radios", dataset: { field: name }, "aria-describedby": problem.id },
    h("legend", { class: "legend" }, label), hint ? h("p", { class: "hint" }, hint) : null,
    h("div", { class: isColumn ? "radio-row column" : "radio-row" },
      ...options.map(({ label: text }, index) => h("label", { class: "choice" }, inputs[index], text))),
    problem);
  return {
    name, element, input: inputs[0],
    setProblem: (message) => { problem.textContent = message ?? ""; },
    get value() { return inputs.find(({ checked }) => checked)?.value ?? null; },
  };
}
