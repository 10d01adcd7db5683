// Fields of settings that follow the account: the choices of one, and whether it is saved.

import { announce, h } from "../kit/dom.js";
import { makeRadios, makeSwitch } from "../kit/fields.js";
import { makeSaved } from "../kit/saved.js";

const waitingText = "Saved on this device. Your other devices get it when you're back online.";
const savedMilliseconds = 2_500;

/** `{element, close()}` of one setting. `make(value, choose)` gives `{element, show(value)}` of its field. */
function makeSettingField({ net, settings }, name, make) {
  const saved = makeSaved();
  let timer = 0;
  let wasSaving = false;
  const field = make(settings.value(name), (value) => {
    wasSaving = net.account !== null;
    settings.choose(name, value);
    if (!net.account) announce("Saved.");
  });
  const draw = () => {
    field.show(settings.value(name));
    const state = settings.state(name);
    // What was said stays for its time.
    if (state === "" && !wasSaving && saved.element.dataset.state === "saved") return;
    clearTimeout(timer);
    if (state === "saving") saved.say("Saving…", "saving");
    else if (state === "waiting") saved.say(waitingText, "saving");
    else if (state === "bad") saved.say(`Not saved. ${settings.problem(name)}`, "bad");
    else if (wasSaving) {
      saved.say("Saved", "saved");
      announce("Saved.");
      timer = setTimeout(() => saved.say("", ""), savedMilliseconds);
    } else saved.say("", "");
    wasSaving = state === "saving" || state === "waiting";
  };
  const end = new AbortController();
  settings.addEventListener("change", draw, { signal: end.signal });
  net.addEventListener("state", draw, { signal: end.signal });
  draw();
  return {
    element: h("div", { class: "stack tight", dataset: { setting: name } }, field.element, saved.element),
    close() {
      clearTimeout(timer);
      end.abort();
    },
  };
}

/** One of several values, as radio buttons: `options` are `{id, label}`. */
export function makeChoiceSetting(app, name, { label, hint = null, options }) {
  return makeSettingField(app, name, (value, choose) => {
    const radios = makeRadios({ name, label, hint, options, isColumn: true, value, changed: choose });
    return { element: radios.element, show: (chosen) => {
      for (const input of radios.element.querySelectorAll("input")) input.checked = input.value === chosen;
    } };
  });
}

/** A switch. `mayChange(isOn)` may ask first. */
export function makeSwitchSetting(app, name, { label, hint, mayChange }) {
  return makeSettingField(app, name, (value, choose) => {
    const { element, input } = makeSwitch({ id: `setting-${name}`, label, hint, checked: value, changed: async (isOn) => {
      if (await mayChange(isOn)) choose(isOn);
      else input.checked = !isOn;
    } });
    return { element, show: (isOn) => { input.checked = isOn; } };
  });
}
