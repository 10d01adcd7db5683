// Four switches for showing and storing locations, each off until it is switched on.

import { confirmDialog, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { positionNow } from "../kit/geolocation.js";
import { switches } from "./words.js";
import { makeSwitch } from "../kit/fields.js";
import { makeLoadable } from "../kit/loadable.js";
import { makeSaved } from "../kit/saved.js";

/** `{element, returned(), close()}`. `kept.countOf(kind)` tells what there is to forget; `changed()` after each change. */
export function makePrivacySwitches({ app, kept, changed }) {
  const { net, reporter } = app;
  const saved = makeSaved();
  const list = h("div", { class: "privacy-switches" });
  let settings = null;
  let turns = 0;
  /** Changes that were not answered yet. */
  let pending = 0;
  const rows = switches.map((one) => (
    { one, ...makeSwitch({ id: `privacy-${one.id}`, label: one.label, hint: one.hint, changed: (isOn) => change(one, isOn) }) }));
  const loadable = makeLoadable({ net, fetch: () => net.request("privacy.settings"), draw(result) {
    settings = result;
    reporter.useSettings(result);
    list.replaceChildren(...rows.map(({ element }) => element));
    draw();
  } });

  /** Changed on another device, or in another tab. */
  const heard = () => {
    if (!reporter.settings || pending > 0) return;
    settings = reporter.settings;
    draw();
  };

  function draw() {
    for (const { one, input } of rows) input.checked = settings?.[one.id] === true;
  }

  async function change(one, isOn) {
    const there = one.forgets ? kept.countOf(one.forgets.kind) : 0;
    if (!isOn && there > 0) {
      const sure = await confirmDialog({ id: "forget-dialog", title: "Switch it off and forget?", danger: true, confirm: "Switch off and forget",
        text: `${count(there, "entry", "entries")} ${there === 1 ? "is" : "are"} kept. What is switched off is forgotten at once; this `
          + `cannot be undone.` });
      if (!sure) return draw();
    }
    const turn = ++turns;
    settings = { ...settings, [one.id]: isOn };
    // Only what was changed: another device may have changed the others since they were loaded here.
    pending += 1;
    const result = await saved.run(() => net.request("privacy.saveSettings", { [one.id]: isOn })) ?? await doubtful(one, isOn);
    pending -= 1;
    // Of two changes the last answers for both.
    if (result && turn === turns) settings = result;
    draw();
    if (result?.[one.id] !== isOn) return undefined;
    reporter.changedSettings(settings);
    // By this tap the browser may ask whether Campanile may know where one is: nothing is counted or noted without it.
    if (["heatmap", "visits"].includes(one.id) && isOn) positionNow({ isExact: false }).catch(({ message }) => toast(message));
    changed();
    return undefined;
  }

  /** Without an answer it may be saved or not: the server is asked; what it cannot say either comes with the next connection. */
  async function doubtful(one, isOn) {
    settings = { ...settings, [one.id]: !isOn };
    draw();
    try {
      const now = await net.request("privacy.settings");
      if (now[one.id] === isOn) saved.say("Saved", "saved");
      return now;
    } catch {
      return null;
    }
  }

  reporter.addEventListener("settings", heard);
  loadable.load();
  return {
    element: h("section", { class: "card stack", id: "privacy-shown", "aria-labelledby": "privacy-shown-title" }, h("h2", { id: "privacy-shown-title" }, "What is shown and kept"),
      h("p", { class: "muted" }, "All of this is off by default. What you switch off is forgotten."), loadable.element, list,
      saved.element),
    returned: () => { if (!loadable.isLoaded || saved.element.dataset.state !== "saving") loadable.load(); },
    close() {
      reporter.removeEventListener("settings", heard);
      loadable.close();
    },
  };
}
