// The switch of levels beside a map: radio buttons, the highest level on top.

import { h } from "../kit/dom.js";
import { levelText } from "./words.js";

/** `{element, draw(levels, value)}`; `changed(level)` gets what a person chose. */
export function makeLevelSwitch({ label, changed }) {
  const list = h("div", { class: "level-list" });
  const element = h("fieldset", { class: "level-switch", id: "levels", hidden: true }, h("legend", {}, label), list);
  let drawn = "";
  let shown = null;
  // A high building has more levels than there is room for.
  const showChecked = () => {
    const label = list.querySelector("input:checked")?.parentElement;
    if (label) element.scrollTop = label.offsetTop - (element.clientHeight - label.offsetHeight) / 2;
  };
  return {
    element,
    draw(levels, value) {
      element.hidden = levels.length < 2;
      const key = levels.join(" ");
      if (key !== drawn) {
        list.replaceChildren(...levels.map((level) => h("label", { class: "level" },
          h("input", { type: "radio", name: "level", value: level, "aria-label": levelText(level), onchange: () => changed(level) }),
          h("span", { "aria-hidden": "true" }, level))));
      }
      for (const input of list.querySelectorAll("input")) input.checked = input.value === value;
      if (value !== shown || key !== drawn) showChecked();
      shown = value;
      drawn = key;
    },
  };
}
