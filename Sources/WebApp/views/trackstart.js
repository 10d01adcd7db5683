// Before a session: what, what it is called, who may see it, and Start.

import { h } from "../dom.js";
import { activityNames, audiences } from "../format.js";
import { geolocationProblem } from "../geolocation.js";
import { icon } from "../icons.js";

const titleLengthMax = 80;
const choiceKey = "campanile.lastActivity";

/** The form; `onStart({activity, title, audience})` may reject with something to show. */
export function makeTrackStart({ onStart }) {
  const lastActivity = localStorage.getItem(choiceKey) === "cycle" ? "cycle" : "run";
  const problem = h("p", { class: "problem", id: "start-problem", role: "alert" }, geolocationProblem()?.text ?? "");
  const title = h("input", { class: "input", id: "title", name: "title", maxlength: titleLengthMax, placeholder: "Urban Adventure", autocomplete: "off" });
  const submit = h("button", { class: "button primary big wide", id: "start", type: "submit" }, icon("play", { filled: true }), "Start");

  return h("form", { class: "card stack", id: "start-form", onsubmit: async (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    const blocked = geolocationProblem();
    if (blocked) {
      problem.textContent = blocked.text;
      return;
    }
    submit.disabled = true;
    localStorage.setItem(choiceKey, data.get("activity"));
    try {
      await onStart({ activity: data.get("activity"), title: data.get("title").trim() || "Urban Adventure", audience: data.get("audience") });
    } catch {
      problem.textContent = "This device could not store the session. Free some space or leave private browsing, then start again.";
    } finally {
      submit.disabled = false;
    }
  } },
  h("fieldset", { class: "choices two" }, h("legend", { class: "legend" }, "Activity"),
    ...["run", "cycle"].map((value) => h("label", { class: "choice" },
      h("input", { type: "radio", name: "activity", value, checked: value === lastActivity }), icon(value), h("span", {}, activityNames[value])))),
  h("div", { class: "field" }, h("label", { for: "title" }, "Title ", h("span", { class: "muted" }, "(optional)")), title),
  audienceChoices({ name: "audience", value: "private" }),
  problem, submit);
}

/** The three audiences as radio buttons, each with its one line. */
export function audienceChoices({ name, value, onChange = () => {} }) {
  return h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Who can see it"),
    ...audiences.map((audience) => h("label", { class: "choice" },
      h("input", { type: "radio", name, value: audience.value, checked: audience.value === value, onchange: () => onChange(audience.value) }),
      h("span", { class: "grow" }, h("strong", {}, audience.name), h("span", { class: "hint" }, audience.explanation)))));
}
