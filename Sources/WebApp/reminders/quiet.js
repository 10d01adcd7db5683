// When a person wants quiet, and whose zones' notices they want.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeSwitch } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";

const followedMax = 50;
const usual = { from: "22:00", to: "07:00" };

/** `{element}`. */
export function makeQuietSettings({ app, settings: given }) {
  const { net } = app;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
  let settings = given;
  const saved = { quiet: makeSaved(), zones: makeSaved() };

  const from = makeField({ name: "quiet-from", label: "From", type: "time", value: settings.quietHours?.from ?? usual.from });
  const to = makeField({ name: "quiet-to", label: "To", type: "time", value: settings.quietHours?.to ?? usual.to });
  const zone = h("p", { class: "hint" });
  const fields = h("div", { class: "stack tight" }, h("div", { class: "two-fields" }, from.element, to.element), zone);
  const quiet = makeSwitch({ id: "quiet-on", label: "Quiet hours", hint: "Each day, notices and reminders wait and come afterwards. Emergencies come at once.", checked: Boolean(settings.quietHours), changed: saveQuiet });
  for (const { input } of [from, to]) input.addEventListener("change", () => saveQuiet());

  async function save(which, change) {
    const before = settings;
    settings = { ...settings, ...change };
    const result = await saved[which].run(() => net.request("notices.saveSettings", { ...(settings.quietHours && { quietHours: settings.quietHours }), zones: settings.zones }));
    settings = result ?? before;
    quiet.input.checked = Boolean(settings.quietHours);
    draw();
  }

  function saveQuiet() {
    draw();
    if (!quiet.input.checked) return save("quiet", { quietHours: undefined });
    const problems = [[from, from.input.value === "" ? "Please choose the time." : null], [to, to.input.value === "" ? "Please choose the time." : from.input.value === to.input.value ? "They end when they begin: choose another time." : null]];
    for (const [field, wrong] of problems) field.setProblem(wrong);
    if (problems.some(([, wrong]) => wrong)) return undefined;
    return save("quiet", { quietHours: { from: from.input.value, to: to.input.value, timeZone: here } });
  }

  // MARK: zones

  const campus = net.campus ?? app.lastCampus();
  const zones = [...(campus?.zones ?? [])].sort((a, b) => a.name.localeCompare(b.name));
  const buttons = zones.map(({ id, name }) => h("button", { class: "chip-button", type: "button", dataset: { zone: id }, onclick: () => {
    const isFollowed = settings.zones.includes(id);
    if (!isFollowed && settings.zones.length >= followedMax) return saved.zones.say(`At most ${followedMax} zones: leave one first.`, "bad");
    return save("zones", { zones: isFollowed ? settings.zones.filter((other) => other !== id) : [...settings.zones, id] });
  } }, icon("tick"), name));

  function draw() {
    fields.hidden = !quiet.input.checked;
    const zoneOf = settings.quietHours?.timeZone;
    zone.textContent = zoneOf && zoneOf !== here ? `In the time of ${zoneOf.replaceAll("_", " ")}. This device is in ${here.replaceAll("_", " ")}: change a time to use that.` : `In this device's time, ${here.replaceAll("_", " ")}.`;
    for (const button of buttons) button.setAttribute("aria-pressed", String(settings.zones.includes(Number(button.dataset.zone))));
  }

  const element = h("div", { class: "stack" },
    h("section", { class: "card stack", id: "quiet", "aria-label": "Quiet hours" }, quiet.element, fields, saved.quiet.element, h("p", { class: "hint" }, "While you record a run or a ride it is quiet, too; what waits comes when you pause or stop.")),
    h("section", { class: "card stack", id: "zones", "aria-labelledby": "zones-title" }, h("h2", { id: "zones-title" }, "Zones you follow"), h("p", { class: "hint" }, "Their notices come to you also when you are elsewhere."),
      buttons.length > 0 ? h("div", { class: "chip-buttons", role: "group", "aria-labelledby": "zones-title" }, ...buttons) : h("p", { class: "muted" }, "No zones are known here yet."), saved.zones.element));
  draw();
  return { element };
}
