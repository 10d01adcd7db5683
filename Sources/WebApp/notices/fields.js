// The fields of a notice's form, with their problems.

import { drawCharactersLeft, problemLine } from "../events/formparts.js";
import { h, setText } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { bodyCharactersMax, titleCharactersMax, usualLengths } from "./formvalues.js";
import { levels, roles } from "./words.js";

const order = ["audience", "zone", "role", "person", "level", "title", "body", "date", "time", "endDate", "endTime"];

/**
 * `{element, get values, setProblems(problems), set(values), sayPerson(text)}`. Of a notice that was sent (`isNew` false) audience and time
 * are shown, and stay. `event` is the title of the event that it is about, or null. `changed()` follows each change of the person.
 */
export function makeNoticeFields(given) {
  return new NoticeFields(given);
}

class NoticeFields {
  #given;
  #values;
  /** Name → line for its problem, of the fields that `makeField` does not make. */
  #lines = new Map();
  /** Name → field of one line. */
  #plain = {};
  #personNote = h("p", { class: "hint", role: "status" });
  #body;
  #bodyCount = h("p", { class: "hint number", id: "body-count" });
  #zone;
  #role;
  #person;
  #start;
  #end;
  #usual = h("span", {});

  constructor(given) {
    this.#given = given;
    this.#values = given.values;
    this.#makePlain();
    this.#body = h("textarea", {
      class: "input", id: "field-body", name: "body", rows: "5", "aria-describedby": "body-count",
      placeholder: "What happened, what to do, who to ask.", value: this.#values.body, oninput: () => this.#touched(),
    });
    this.#zone = this.#select("zone", "Which zone?", [["", "Choose a zone"], ...given.zones.map(({ id, name }) => [id, name])]);
    this.#role = this.#select("role", "Which role?", roles.map(({ id, label }) => [id, label]));
    this.#person = h("div", { class: "stack tight" }, this.#plain.person.element, this.#personNote);
    this.#start = h("div", { class: "two-fields" }, this.#plain.date.element, this.#plain.time.element);
    this.#end = h("div", { class: "two-fields" }, this.#plain.endDate.element, this.#plain.endTime.element);
    this.element = h("div", { class: "stack" },
      h("section", { class: "card stack" }, this.#audience(), this.#zone, this.#role, this.#person),
      h("section", { class: "card stack" }, this.#level()),
      h("section", { class: "card stack" }, this.#plain.title.element,
        h("div", { class: "field" }, h("label", { for: "field-body" }, "Details (optional)"), this.#body, this.#bodyCount)),
      h("section", { class: "card stack" }, ...this.#times()));
    this.#draw();
  }

  get values() {
    const chosen = (name) => this.element.querySelector(`input[name=${name}]:checked`)?.value ?? this.#values[name];
    const texts = Object.fromEntries(Object.entries(this.#plain).map(([name, { input }]) => [name, input.value]));
    return {
      ...texts, body: this.#body.value, audience: chosen("audience"), level: chosen("level"), when: chosen("when"), ends: chosen("ends"),
      zone: this.#zone.querySelector("select").value, role: this.#role.querySelector("select").value,
    };
  }

  set(next) {
    for (const [name, { input }] of Object.entries(this.#plain)) input.value = next[name];
    this.#body.value = next.body;
    this.#zone.querySelector("select").value = next.zone;
    this.#role.querySelector("select").value = next.role;
    for (const input of this.element.querySelectorAll("input[type=radio]")) input.checked = input.value === next[input.name];
    this.setProblems({}, { focuses: false });
    this.#draw();
  }

  /** Shows each problem at its field, and focuses the first. */
  setProblems(problems, { focuses = true } = {}) {
    for (const [name, made] of Object.entries(this.#plain)) made.setProblem(problems[name] ?? null);
    for (const [name, line] of this.#lines) {
      line.textContent = problems[name] ?? "";
      const input = this.element.querySelector(`#field-${name}`);
      if (problems[name]) input?.setAttribute("aria-invalid", "true");
      else input?.removeAttribute("aria-invalid");
    }
    if (problems.body) setText(this.#bodyCount, problems.body);
    const first = order.find((name) => problems[name]);
    if (focuses && first) this.#focus(first);
  }

  /** Names the account that the person's field means. */
  sayPerson(text) {
    setText(this.#personNote, text);
  }

  #makePlain() {
    const field = (given) => {
      const made = makeField({ ...given, value: this.#values[given.name] });
      made.input.addEventListener("input", () => this.#touched());
      this.#plain[given.name] = made;
    };
    field({
      name: "title", label: "Title", maxlength: titleCharactersMax * 2, autocomplete: "off",
      placeholder: "The gym is open until ten today",
    });
    field({
      name: "person", label: "Who?", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
      hint: "A username or account number.",
    });
    field({ name: "date", label: "Day", type: "date" });
    field({ name: "time", label: "Time", type: "time" });
    field({ name: "endDate", label: "Last day", type: "date" });
    field({ name: "endTime", label: "Until", type: "time" });
  }

  #line(name) {
    const element = problemLine(name);
    this.#lines.set(name, element);
    return element;
  }

  #radio(name, { id, label, hint = null, icon: iconName = null }) {
    return h("label", { class: "choice", dataset: { choice: id } },
      h("input", { type: "radio", name, value: id, checked: id === this.#values[name], onchange: () => this.#touched() }),
      iconName ? icon(iconName) : null,
      h("span", { class: "grow" }, h("strong", {}, label), hint ? h("span", { class: "hint" }, hint) : null));
  }

  #select(name, label, options) {
    return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label),
      h("select", { id: `field-${name}`, name, "aria-describedby": `field-${name}-problem`, onchange: () => this.#touched() },
        ...options.map(([id, text]) => h("option", { value: id, selected: String(id) === this.#values[name] }, text))),
      this.#line(name));
  }

  #audience() {
    const { isNew, audiences, audienceText, event } = this.#given;
    if (!isNew) {
      return h("div", { class: "notice" }, icon("group"), h("div", {}, h("strong", {}, `For: ${audienceText}. `), "You can't change it."));
    }
    const labelOf = ({ id, label }) => (id === "event" && event ? `Attendees of ${event}` : label);
    return h("fieldset", { class: "choices", dataset: { field: "audience" } }, h("legend", { class: "legend" }, "Audience"),
      ...audiences.map((audience) => this.#radio("audience", { id: audience.id, label: labelOf(audience), hint: audience.hint })),
      this.#line("audience"));
  }

  #level() {
    const offered = levels.filter(({ id }) => id !== "emergency" || this.#given.mayDisturb || this.#values.level === "emergency");
    return h("fieldset", { class: "choices", dataset: { field: "level" } }, h("legend", { class: "legend" }, "Priority"),
      ...offered.map((level) => this.#radio("level", level)), this.#line("level"));
  }

  /** The choices of the beginning, for a new notice, and of the end. */
  #times() {
    const { isNew } = this.#given;
    const usual = this.#radio("ends", { id: "usual", label: isNew ? "Default" : "No change" });
    const end = h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Expires"), usual,
      this.#radio("ends", { id: "date", label: "At a date and time" }));
    if (!isNew) return [end, this.#end];
    usual.querySelector(".grow").append(h("span", { class: "hint" }, this.#usual));
    const start = h("fieldset", { class: "choices two" }, h("legend", { class: "legend" }, "Send"),
      this.#radio("when", { id: "now", label: "Now" }), this.#radio("when", { id: "later", label: "Schedule" }));
    return [start, this.#start, end, this.#end];
  }

  #touched() {
    this.#draw();
    this.#given.changed();
  }

  #focus(name) {
    const radio = `input[name=${name}]`;
    (this.#plain[name]?.input ?? this.element.querySelector(`#field-${name}, ${radio}:checked, ${radio}`))?.focus();
  }

  #draw() {
    const { isNew } = this.#given;
    const { audience, when, ends, level, body } = this.values;
    this.#zone.hidden = !isNew || audience !== "zone";
    this.#role.hidden = !isNew || audience !== "role";
    this.#person.hidden = !isNew || audience !== "user";
    this.#start.hidden = when !== "later";
    this.#end.hidden = ends !== "date";
    setText(this.#usual, `${usualLengths[level]} after sending`);
    drawCharactersLeft(this.#bodyCount, body, bodyCharactersMax);
    for (const name of ["audience", "zone", "role", "level"]) if (this.#lines.has(name)) this.#lines.get(name).textContent = "";
  }
}
