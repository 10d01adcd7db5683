// The fields of a notice's form, tied to their messages.

import { h, setText } from "../kit/dom.js";
import { characters } from "../kit/choices.js";
import { icon } from "../kit/icons.js";
import { bodyCharactersMax, titleCharactersMax, usualLengths } from "./formvalues.js";
import { levels, roles } from "./words.js";
import { makeField } from "../kit/form.js";

/**
 * `{element, get values, setProblems(problems), set(values), sayPerson(text)}`. Of a notice that was sent (`isNew` false) audience and time are
 * said, and stay. `event` is the title of the event that it is about, or null.
 */
export function makeNoticeFields({ values, audiences, zones, isNew, audienceText, mayDisturb, event, changed }) {
  const field = (given) => {
    const made = makeField({ ...given, value: values[given.name] });
    made.input.addEventListener("input", touched);
    return made;
  };
  const lines = new Map();
  const line = (name) => {
    const element = h("p", { class: "problem", id: `field-${name}-problem`, dataset: { problem: name } });
    lines.set(name, element);
    return element;
  };
  const radio = (name, id, label, hint = null, iconName = null) => h("label", { class: "choice", dataset: { choice: id } }, h("input", { type: "radio", name, value: id, checked: id === values[name], onchange: touched }),
    iconName ? icon(iconName) : null, h("span", { class: "grow" }, h("strong", {}, label), hint ? h("span", { class: "hint" }, hint) : null));

  const title = field({ name: "title", label: "What is it about?", maxlength: titleCharactersMax * 2, autocomplete: "off", placeholder: "The gym is open until ten today" });
  const body = h("textarea", { class: "input", id: "field-body", name: "body", rows: "5", "aria-describedby": "body-count", placeholder: "What to know, what to do, whom to ask.", value: values.body, oninput: touched });
  const bodyCount = h("p", { class: "hint number", id: "body-count" });
  const person = field({ name: "person", label: "Who?", autocomplete: "off", autocapitalize: "none", spellcheck: "false", hint: "A username, or the number of an account." });
  const personNote = h("p", { class: "hint", role: "status" });
  const [date, time] = [field({ name: "date", label: "Day", type: "date" }), field({ name: "time", label: "Time", type: "time" })];
  const [endDate, endTime] = [field({ name: "endDate", label: "Last day", type: "date" }), field({ name: "endTime", label: "Until", type: "time" })];
  const select = (name, label, options) => h("div", { class: "field" }, h("label", { for: `field-${name}` }, label),
    h("select", { id: `field-${name}`, name, "aria-describedby": `field-${name}-problem`, onchange: touched }, ...options.map(([id, text]) => h("option", { value: id, selected: String(id) === values[name] }, text))), line(name));
  const zone = select("zone", "Which zone?", [["", "Choose a zone"], ...zones.map(({ id, name }) => [id, name])]);
  const role = select("role", "Which role?", roles.map(({ id, label }) => [id, label]));

  const audience = isNew
    ? h("fieldset", { class: "choices", dataset: { field: "audience" } }, h("legend", { class: "legend" }, "Audience"),
      ...audiences.map(({ id, label, hint }) => radio("audience", id, id === "event" && event ? `Attendees of ${event}` : label, hint)), line("audience"))
    : h("div", { class: "notice" }, icon("group"), h("div", {}, h("strong", {}, `For: ${audienceText}. `), "This stays as it is."));
  const personField = h("div", { class: "stack tight" }, person.element, personNote);
  const level = h("fieldset", { class: "choices", dataset: { field: "level" } }, h("legend", { class: "legend" }, "Priority"),
    ...levels.filter(({ id }) => id !== "emergency" || mayDisturb || values.level === "emergency").map(({ id, label, hint, icon: name }) => radio("level", id, label, hint, name)), line("level"));
  const start = h("div", { class: "two-fields" }, date.element, time.element);
  const end = h("div", { class: "two-fields" }, endDate.element, endTime.element);
  const usual = h("span", {});
  const ends = h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Expires"),
    radio("ends", "usual", isNew ? "As usual" : "As it was"), radio("ends", "date", "Until a day and time"));
  if (isNew) ends.querySelector("[data-choice=usual] .grow").append(h("span", { class: "hint" }, usual));

  const plain = { title, person, date, time, endDate, endTime };
  const order = ["audience", "zone", "role", "person", "level", "title", "body", "date", "time", "endDate", "endTime"];
  const element = h("div", { class: "stack" },
    h("section", { class: "card stack" }, audience, zone, role, personField),
    h("section", { class: "card stack" }, level),
    h("section", { class: "card stack" }, title.element, h("div", { class: "field" }, h("label", { for: "field-body" }, "Details (optional)"), body, bodyCount)),
    h("section", { class: "card stack" }, isNew ? h("fieldset", { class: "choices two" }, h("legend", { class: "legend" }, "When does it go out?"), radio("when", "now", "Now"), radio("when", "later", "Schedule")) : null,
      isNew ? start : null, ends, end));

  function touched() {
    draw();
    changed();
  }

  function draw() {
    const now = read();
    zone.hidden = !isNew || now.audience !== "zone";
    role.hidden = !isNew || now.audience !== "role";
    personField.hidden = !isNew || now.audience !== "user";
    start.hidden = now.when !== "later";
    end.hidden = now.ends !== "date";
    setText(usual, `${usualLengths[now.level]} after it goes out`);
    const left = bodyCharactersMax - characters(body.value);
    setText(bodyCount, left >= 0 ? `${left.toLocaleString("en")} characters left` : `${(-left).toLocaleString("en")} characters too many`);
    bodyCount.classList.toggle("over", left < 0);
    for (const name of ["audience", "zone", "role", "level"]) if (lines.get(name)) lines.get(name).textContent = "";
  }

  function read() {
    const chosen = (name) => element.querySelector(`input[name=${name}]:checked`)?.value ?? values[name];
    const texts = Object.fromEntries(Object.entries(plain).map(([name, { input }]) => [name, input.value]));
    return { ...texts, body: body.value, audience: chosen("audience"), level: chosen("level"), when: chosen("when"), ends: chosen("ends"), zone: zone.querySelector("select").value, role: role.querySelector("select").value };
  }

  function set(next) {
    for (const [name, { input }] of Object.entries(plain)) input.value = next[name];
    body.value = next.body;
    zone.querySelector("select").value = next.zone;
    role.querySelector("select").value = next.role;
    for (const input of element.querySelectorAll("input[type=radio]")) input.checked = input.value === next[input.name];
    setProblems({}, { focuses: false });
    draw();
  }

  /** Shows what is wrong next to its field, and goes to the first. */
  function setProblems(problems, { focuses = true } = {}) {
    for (const [name, made] of Object.entries(plain)) made.setProblem(problems[name] ?? null);
    for (const [name, text] of lines) {
      text.textContent = problems[name] ?? "";
      const input = element.querySelector(`#field-${name}`);
      if (problems[name]) input?.setAttribute("aria-invalid", "true");
      else input?.removeAttribute("aria-invalid");
    }
    if (problems.body) setText(bodyCount, problems.body);
    const first = order.find((name) => problems[name]);
    if (!focuses || !first) return;
    (plain[first]?.input ?? element.querySelector(`#field-${first}, input[name=${first}]:checked, input[name=${first}]`))?.focus();
  }

  draw();
  return { element, get values() { return read(); }, set, setProblems, sayPerson: (text) => setText(personNote, text) };
}
