// A form with labelled fields, messages tied to them, and focus on the first problem.

import { h } from "./dom.js";

/**
 * A field: `{name, label, type, autocomplete, hint}` → `{element, input, setProblem(message)}`; with `rows`, a field of several lines.
 * `id` is for a page where another form has a field of that name.
 */
export function makeField({ name, label, type = "text", autocomplete = null, hint = null, rows = null, id = `field-${name}`, ...rest }) {
  const problem = h("p", { class: "problem", id: `${id}-problem`, dataset: { problem: name } });
  const hintElement = hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null;
  const describedBy = [`${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  const input = h(rows ? "textarea" : "input", {
    class: "input", id, name, ...(rows ? { rows } : { type }), autocomplete, "aria-describedby": describedBy, ...rest,
  });
  const setProblem = (message, saidBy = null) => {
    problem.textContent = saidBy ? "" : message ?? "";
    input.setAttribute("aria-describedby", saidBy ? `${saidBy} ${describedBy}` : describedBy);
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("input", () => setProblem(null));
  const element = h("div", { class: "field" }, h("label", { for: id }, label), input, hintElement, problem);
  return { name, input, setProblem, problemId: problem.id, element };
}

/**
 * A form over `fields`. `check(values)` gives `{field: message}`; `send(values)` resolves, or throws an error, whose message is shown at
 * the field that `data.field` names, or at the end of the form.
 */
export function makeForm({ id, fields, submitLabel, check, send }) {
  const general = h("p", { class: "problem", id: `${id}-problem`, role: "alert" });
  const submit = h("button", { class: "button primary big wide", type: "submit", id: `${id}-submit` }, submitLabel);
  const valueOf = ({ type, value }) => (type === "password" ? value : value.trim());
  const values = () => Object.fromEntries(fields.map(({ name, input }) => [name, valueOf(input)]));

  const showProblems = (problems) => {
    const said = new Map();
    for (const field of fields) {
      const message = problems[field.name] ?? null;
      // One sentence for several fields is written once; the others refer to it.
      field.setProblem(message, said.get(message) ?? null);
      if (message && !said.has(message)) said.set(message, field.problemId);
    }
    fields.find((field) => problems[field.name])?.input.focus();
  };

  const form = h("form", { id, class: "stack", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    general.textContent = "";
    const given = values();
    const problems = check(given);
    showProblems(problems);
    if (Object.keys(problems).length > 0) return;
    submit.disabled = true;
    try {
      await send(given);
    } catch (error) {
      const field = fields.find(({ name }) => name === error.data?.field);
      if (field) showProblems({ [field.name]: error.message });
      else {
        general.textContent = waitMessage(error);
        submit.disabled = false;
        submit.focus();
      }
    } finally {
      submit.disabled = false;
    }
  } }, ...fields.map(({ element }) => element), general, submit);
  return form;
}

function waitMessage(error) {
  const seconds = error.data?.retryAfter;
  return error.isRateLimited && seconds > 0 ? `${error.message} Try again in ${Math.ceil(seconds)} s.` : error.message;
}

/** Path to open after signing in: the page that asked for it, if it is one of this app, else the home page. */
export function nextPath(query) {
  const next = query?.get("next") ?? "";
  return /^\/(?![/\\])/.test(next) ? next : "/";
}
