// The field for the tags of a workout.

import { announce, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { planLimits, withTag } from "./plan.js";

/** `{element, get value}`. */
export function makeTags({ value, changed }) {
  let tags = [...value];
  const list = h("ul", { class: "tag-list", "aria-label": "Tags" });
  const input = h("input", { class: "input", id: "field-tag", maxlength: planLimits.tag, autocomplete: "off", placeholder: "legs",
    onkeydown: (event) => {
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    add();
  } });
  function add() {
    const next = withTag(tags, input.value);
    if (next === tags) announce(tags.length >= planLimits.tags ? `A workout has at most ${planLimits.tags} tags.`
      : "This tag is there already.");
    else take(next);
    input.value = "";
    input.focus();
  }
  function take(next) {
    tags = next;
    draw();
    changed();
  }
  function draw() {
    list.replaceChildren(...tags.map((tag) => h("li", { class: "plain-tag" }, tag, h("button", {
      class: "tag-remove", type: "button", "aria-label": `Remove tag ${tag}`, onclick: () => {
        take(tags.filter((one) => one !== tag));
        input.focus();
      },
    }, icon("close")))));
  }
  draw();
  const button = h("button", { class: "button", type: "button", onclick: add }, icon("plus"), "Add tag");
  return {
    element: h("div", { class: "field" }, h("label", { for: input.id }, "Tags"), list, h("div", { class: "field-with-button" }, input,
      button)),
    get value() { return withTag(tags, input.value); },
  };
}
