// The switch of levels beside a map: radio buttons, the highest level on top.

import { h } from "../kit/dom.js";

/** `{element, draw(levels, value)}`; `changed(level)` gets what a person chose. */
export function makeLevelSwitch({ label, changed }) {
  const list = h("div", { class: "level-list" });
  const element = h("fieldset", { class: "level-switch", id: "levels", hidden: true }, h("legend", {}, label), list);
  let drawn = "";
  return {
    element,
    draw(levels, value) {
      element.hidden = levels.length < 2;
      const key = levels.join(" ");
      if (key !== drawn) {
        drawn = key;
        list.replaceChildren(...levels.map((level) => h("label", { class: "level" },
          h("input", { type: "radio", name: "level", value: level, "aria-label": `Level ${level}`, onchange: () => changed(level) }),
          h("span", { "aria-hidden": "true" }, level))));
      }
      for (const input of list.querySelectorAll("input")) input.checked = input.value === value;
    },
  };
}
