// Fields of buddy forms: chips to choose from, a week of times, switches, a picture.

import { announce, h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { toggled } from "./choices.js";
import { defaultPicture, preparePicture, pictureTypes, uploadPicture } from "./pictures.js";

/** `{element, get value}`: chips of which at most `most` can be chosen. */
export function makeChips({ name, label, hint = null, most, options, value = [], changed = () => {} }) {
  let chosen = value.filter((id) => options.some((option) => option.id === id));
  const countId = `chips-${name}-count`;
  const counter = h("span", { class: "chips-count number", id: countId });
  const buttons = options.map(({ id, label: text }) => h("button", {
    class: "chip-button", type: "button", dataset: { chip: id }, onclick: () => {
      const before = chosen;
      chosen = toggled(chosen, id, most);
      if (chosen === before) announce(`${most} are chosen already. Take one away first.`);
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

/** `{element, get value}`: a week as a grid of toggles, large enough for a thumb: on a phone the days go down and the parts of a day across, else the other way. */
export function makeWeek({ days, dayParts, value = [], changed = () => {} }) {
  let chosen = [...value];
  const counter = h("span", { class: "chips-count number" });
  const draw = () => setText(counter, chosen.length === 0 ? "None chosen yet" : `${chosen.length} chosen`);
  const cell = (day, part) => {
    const id = `${day.id}-${part.id}`;
    const button = h("button", { class: "week-cell", type: "button", "aria-label": `${day.label} ${part.label.toLowerCase()}`, "aria-pressed": String(chosen.includes(id)), dataset: { time: id }, onclick: () => {
      chosen = toggled(chosen, id);
      button.setAttribute("aria-pressed", String(chosen.includes(id)));
      draw();
      changed();
    } }, icon("tick"));
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
      h("div", { class: "chip-head" }, h("p", { class: "hint" }, "Tap all that suit you."), counter), grid),
    get value() { return chosen; },
  };
}

/** `{element, input}`: a switch with words that say what it does. */
export function makeSwitch({ id, label, hint, checked = false, changed = () => {} }) {
  const input = h("input", { type: "checkbox", role: "switch", id, checked, "aria-describedby": hint ? `${id}-hint` : null, onchange: () => changed(input.checked) });
  const hintElement = h("span", { class: "hint", id: `${id}-hint` }, hint ?? "");
  return { input, hintElement, element: h("label", { class: "switch", for: id }, h("span", { class: "grow" }, h("strong", {}, label), hintElement), input, h("span", { class: "switch-track", "aria-hidden": "true" })) };
}

/** `{element, get value}`: one of several, as radio buttons in a row, or below each other where they say more. */
export function makeRadios({ name, label, hint = null, options, isColumn = false, value = null, changed = () => {} }) {
  const problem = h("p", { class: "problem", id: `radio-${name}-problem`, dataset: { problem: name } });
  const inputs = options.map(({ id }) => h("input", { type: "radio", name, value: id, checked: id === value, onchange: () => {
    problem.textContent = "";
    changed(id);
  } }));
  const element = h("fieldset", { class: "radios", dataset: { field: name }, "aria-describedby": problem.id }, h("legend", { class: "legend" }, label), hint ? h("p", { class: "hint" }, hint) : null,
    h("div", { class: isColumn ? "radio-row column" : "radio-row" }, ...options.map(({ label: text }, index) => h("label", { class: "choice" }, inputs[index], text))), problem);
  return { name, element, input: inputs[0], setProblem: (message) => { problem.textContent = message ?? ""; }, get value() { return inputs.find(({ checked }) => checked)?.value ?? null; } };
}

/**
 * `{element, send(), setGender, close}`: one's picture; null for the drawing. A chosen one is shown here and goes out with
 * `send()`, which gives its id: who leaves without saving keeps the one from before.
 */
export function makePictureField({ net, scope, value = null, gender = null, changed = () => {} }) {
  let picture = value;
  let currentGender = gender;
  /** Chosen and not sent: `{blob, url}`. */
  let chosen = null;
  let upload = null;
  const img = h("img", { class: "profile-preview", alt: "Your picture as others see it" });
  const note = h("p", { class: "hint", role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const bar = h("progress", { max: "1", value: "0", hidden: true, "aria-label": "Sending the picture" });
  const input = h("input", { type: "file", accept: pictureTypes.join(","), class: "visually-hidden", id: "profile-picture", onchange: () => choose(input.files[0]) });
  const remove = h("button", { class: "button quiet", type: "button", id: "remove-picture", onclick: () => {
    drop();
    picture = null;
    draw();
    changed();
  } }, "Use the drawing instead");
  const cancel = h("button", { class: "button quiet", type: "button", hidden: true, onclick: () => upload?.abort() }, "Cancel");

  function draw() {
    const isSending = upload !== null;
    bar.hidden = cancel.hidden = !isSending;
    remove.hidden = isSending || (picture === null && chosen === null);
    if (chosen) img.src = chosen.url;
    else scope.show(img, picture, { thumb: false, otherwise: defaultPicture(currentGender) });
    setText(note, isSending ? "Sending…" : chosen ? "Others see this picture when you have saved." : picture === null ? "Without a picture, others see this drawing." : "Others see this picture.");
  }

  function drop() {
    if (chosen) URL.revokeObjectURL(chosen.url);
    chosen = null;
  }

  async function choose(file) {
    input.value = "";
    if (!file) return;
    problem.textContent = "";
    try {
      const { blob } = await preparePicture(file);
      drop();
      chosen = { blob, url: URL.createObjectURL(blob) };
      announce("The picture is chosen.");
      changed();
    } catch (error) {
      problem.textContent = error.message;
    }
    draw();
  }

  async function send() {
    if (!chosen) return picture;
    upload = new AbortController();
    bar.value = 0;
    draw();
    try {
      const { blob } = chosen;
      ({ picture } = await uploadPicture({ token: net.token, blob, purpose: "profile", onProgress: (part) => { bar.value = part; }, signal: upload.signal }));
      drop();
      return picture;
    } catch (error) {
      problem.textContent = error.code === "aborted" ? "" : error.message;
      throw error;
    } finally {
      upload = null;
      draw();
    }
  }

  draw();
  return {
    element: h("div", { class: "picture-field" }, img, h("div", { class: "stack" }, h("div", { class: "row" }, h("label", { class: "button", for: "profile-picture" }, icon("picture"), "Choose a picture"), input, remove, cancel), bar, note, problem)),
    send,
    setGender(gender) {
      currentGender = gender;
      draw();
    },
    close() {
      upload?.abort();
      drop();
    },
  };
}
