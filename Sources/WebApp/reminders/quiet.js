// The quiet hours of a person, and the zones whose notices the person follows.

import { h } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { makeSaved } from "../kit/saved.js";

const followedMax = 50;
const usual = { from: "22:00", to: "07:00" };
const missingText = "Choose a time.";

/** `{element, draw(settings)}`; `settings` as of `notices.settings`. Ends with `signal`. */
export function makeQuietSettings({ app, settings, signal }) {
  return new QuietSettings(app, settings, signal);
}

class QuietSettings {
  #net;
  /** Settings with the changes that are being saved. */
  #settings;
  /** Number of changes that are being saved. */
  #saving = 0;
  /** Time zone of this device. */
  #here = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
  #saved = { quiet: makeSaved(), zones: makeSaved() };
  #from;
  #to;
  #timeZone = h("p", { class: "hint" });
  #hours;
  #switch;
  #zoneButtons;

  constructor(app, settings, signal) {
    const campus = app.net.campus ?? app.lastCampus();
    const zones = [...(campus?.zones ?? [])].sort((a, b) => a.name.localeCompare(b.name));
    this.#net = app.net;
    this.#settings = settings;
    this.#from = this.#timeField("from", "From");
    this.#to = this.#timeField("to", "To");
    const times = h("div", { class: "two-fields" }, this.#from.element, this.#to.element);
    this.#hours = h("div", { class: "stack tight" }, times, this.#timeZone);
    this.#switch = makeSwitch({
      id: "quiet-on", label: "Quiet hours", checked: Boolean(settings.quietHours), changed: () => this.#saveQuiet(),
      hint: "Notices and reminders wait until afterwards. Emergencies come right away.",
    });
    this.#zoneButtons = zones.map((zone) => this.#zoneButton(zone));
    for (const which of /** @type {const} */ (["quiet", "zones"])) this.#saved[which].follow(this.#net.writes, isOf(which), signal);
    this.element = h("div", { class: "stack" }, this.#quietCard(), this.#zonesCard());
    this.#draw();
  }

  /** Shows the settings as the server has them, unless a change is being saved. */
  draw(settings) {
    if (this.#saving > 0) return;
    this.#settings = settings;
    const { quietHours } = settings;
    if (quietHours && document.activeElement !== this.#from.input) this.#from.input.value = quietHours.from;
    if (quietHours && document.activeElement !== this.#to.input) this.#to.input.value = quietHours.to;
    this.#switch.input.checked = Boolean(settings.quietHours);
    this.#draw();
  }

  #quietCard() {
    return h("section", { class: "card stack", id: "quiet", "aria-label": "Quiet hours" },
      this.#switch.element, this.#hours, this.#saved.quiet.element,
      h("p", { class: "hint" }, "It's also quiet during a session. Notices and reminders come when you pause or stop."));
  }

  #zonesCard() {
    const buttons = this.#zoneButtons.length > 0
      ? h("div", { class: "chip-buttons", role: "group", "aria-labelledby": "zones-title" }, ...this.#zoneButtons)
      : h("p", { class: "muted" }, "No zones yet.");
    return h("section", { class: "card stack", id: "zones", "aria-labelledby": "zones-title" },
      h("h2", { id: "zones-title" }, "Zones you follow"),
      h("p", { class: "hint" }, "You get their notices even when you're elsewhere."), buttons, this.#saved.zones.element);
  }

  #timeField(name, label) {
    const field = makeField({ name: `quiet-${name}`, label, type: "time", value: this.#settings.quietHours?.[name] ?? usual[name] });
    field.input.addEventListener("change", () => this.#saveQuiet());
    return field;
  }

  #zoneButton({ id, name }) {
    return h("button", { class: "chip-button", type: "button", dataset: { zone: id }, onclick: () => this.#toggleZone(id) },
      icon("tick"), name);
  }

  // MARK: saving

  /** Saves a change of the settings; `which` names the note that shows its progress, `wanted` is what is sent. */
  async #save(which, change, wanted = change) {
    const before = this.#settings;
    this.#settings = { ...this.#settings, ...change };
    const chosen = this.#settings;
    this.#saving += 1;
    const saved = await this.#saved[which].run(() => this.#net.writes.write("notices.saveSettings", wanted));
    this.#saving -= 1;
    const { writes } = this.#net;
    if (saved) this.#settings = writes.shown("notices.settings", {}, saved);
    else this.#settings = writes.waiting.some(isOf(which)) ? chosen : before;
    this.#switch.input.checked = Boolean(this.#settings.quietHours);
    this.#draw();
  }

  #saveQuiet() {
    const [from, to] = [this.#from.input.value, this.#to.input.value];
    this.#draw();
    if (!this.#switch.input.checked) return this.#save("quiet", { quietHours: undefined });
    const isSame = from !== "" && from === to;
    this.#from.setProblem(from === "" ? missingText : null);
    this.#to.setProblem(to === "" ? missingText : isSame ? "Start and end are the same. Choose another time." : null);
    if (from === "" || to === "" || isSame) return undefined;
    return this.#save("quiet", { quietHours: { from, to, timeZone: this.#here } });
  }

  #toggleZone(id) {
    const { zones } = this.#settings;
    const isFollowed = zones.includes(id);
    if (!isFollowed && zones.length >= followedMax) {
      this.#saved.zones.say(`You can follow up to ${followedMax} zones. Unfollow one first.`, "bad");
      return;
    }
    this.#save("zones", { zones: isFollowed ? zones.filter((other) => other !== id) : [...zones, id] },
      { zone: id, isFollowed: !isFollowed });
  }

  // MARK: drawing

  #draw() {
    this.#hours.hidden = !this.#switch.input.checked;
    this.#timeZone.textContent = timeZoneText(this.#settings.quietHours?.timeZone, this.#here);
    for (const button of this.#zoneButtons) {
      button.setAttribute("aria-pressed", String(this.#settings.zones.includes(Number(button.dataset.zone))));
    }
  }
}

const isOf = (which) => ({ method, subject }) => (
  method === "notices.saveSettings" && (which === "zones") === subject.startsWith("zone "));

function timeZoneText(timeZone, here) {
  const nameOf = (zone) => zone.replaceAll("_", " ");
  if (!timeZone || timeZone === here) return `Time zone: ${nameOf(here)}.`;
  return `Time zone: ${nameOf(timeZone)}. This device is in ${nameOf(here)}. Change a time to switch to it.`;
}
