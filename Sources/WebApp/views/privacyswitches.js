// What is shown and kept of where somebody is: four switches, each off until it is switched on.

import { confirmDialog, h } from "../dom.js";
import { count } from "../format.js";
import { switches } from "../personal/words.js";
import { makeSwitch } from "./fields.js";
import { makeLoadable } from "./loadable.js";
import { makeSaved } from "./saved.js";

/** `{element, returned(), close()}`. `kept.countOf(kind)` tells what there is to forget; `changed()` after each change. */
export function makePrivacySwitches({ app, kept, changed }) {
  const { net } = app;
  const saved = makeSaved();
  const list = h("div", { class: "privacy-switches" });
  let settings = null;
  const rows = switches.map((one) => ({ one, ...makeSwitch({ id: `privacy-${one.id}`, label: one.label, hint: one.hint, changed: (isOn) => change(one, isOn) }) }));
  const loadable = makeLoadable({ what: "your settings", fetch: () => net.request("privacy.settings"), draw(result) {
    settings = result;
    list.replaceChildren(...rows.map(({ element }) => element));
    draw();
  } });

  function draw() {
    for (const { one, input } of rows) input.checked = settings?.[one.id] === true;
  }

  async function change(one, isOn) {
    const there = one.forgets ? kept.countOf(one.forgets.kind) : 0;
    if (!isOn && there > 0) {
      const sure = await confirmDialog({ id: "forget-dialog", title: "Switch it off and forget?", danger: true, confirm: "Switch off and forget",
        text: `${count(there, "entry", "entries")} ${there === 1 ? "is" : "are"} kept. What is switched off is forgotten at once; this cannot be undone.` });
      if (!sure) return draw();
    }
    const wanted = { ...settings, [one.id]: isOn };
    settings = wanted;
    const result = await saved.run(() => net.request("privacy.saveSettings", wanted));
    // Of two changes the last answers for both.
    if (settings === wanted) settings = result ?? { ...wanted, [one.id]: !isOn };
    draw();
    if (result) changed();
    return undefined;
  }

  loadable.load();
  return {
    element: h("section", { class: "card stack", id: "privacy-shown", "aria-labelledby": "privacy-shown-title" }, h("h2", { id: "privacy-shown-title" }, "What is shown and kept"),
      h("p", { class: "muted" }, "All of this is off by default. What you switch off is forgotten."), loadable.element, list, saved.element),
    returned: () => { if (!loadable.isLoaded || saved.element.dataset.state !== "saving") loadable.load(); },
    close: loadable.close,
  };
}
