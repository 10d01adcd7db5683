// The kinds of reminders a person gets and by which ways, how long before an event, and how much a reminder says.

import { h } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";
import { LeadChoices } from "./leads.js";
import { ReminderMatrix } from "./matrix.js";
import { minutesProblem } from "./words.js";

/** `{element, draw(settings)}`; `taken(settings)` gets the settings after each change, as the server has them. Ends with `signal`. */
export function makeReminderChoices({ app, taken, signal }) {
  return new ReminderChoices(app.net, taken, signal);
}

class ReminderChoices {
  #net;
  #taken;
  /** Settings with the changes that are being saved. */
  #settings = null;
  /** Number of changes that are being saved. */
  #saving = 0;
  #saved = { matrix: makeSaved(), leads: makeSaved(), unread: makeSaved(), hides: makeSaved() };
  #matrix = new ReminderMatrix((kinds) => this.#save("matrix", { kinds }));
  #leads = new LeadChoices({
    changed: (leads) => this.#save("leads", { leads }), refused: (text) => this.#saved.leads.say(text, "bad"),
  });
  #minutes = makeField({
    name: "unread", label: "Email or text me about messages unread for", inputmode: "numeric", autocomplete: "off", maxlength: 4,
    hint: "Minutes. Browser reminders come right away.",
  });
  #hides = makeSwitch({
    id: "hides-text", label: "Hide message text", hint: "Browser reminders show who wrote, not what.",
    changed: (hidesText) => this.#save("hides", { hidesText }),
  });

  constructor(net, taken, signal) {
    this.#net = net;
    for (const which of Object.keys(subjects)) this.#saved[which].follow(net.writes, isOf(which), signal);
    this.#taken = taken;
    this.#minutes.input.addEventListener("change", () => this.#saveMinutes());
    this.element = h("div", { class: "stack" },
      card("matrix-title", "What to remind you about", ...this.#matrix.elements, this.#saved.matrix.element),
      card("leads-title", "Before an event starts", ...this.#leads.elements, this.#saved.leads.element),
      h("section", { class: "card stack" }, h("h2", {}, "Messages"), h("div", { class: "narrow-field" }, this.#minutes.element),
        this.#saved.unread.element, this.#hides.element, this.#saved.hides.element));
  }

  get isSaving() {
    return this.#saving > 0;
  }

  draw(settings) {
    this.#settings = settings;
    this.#matrix.draw(settings);
    this.#leads.draw(settings.leads);
    if (document.activeElement !== this.#minutes.input) this.#minutes.input.value = String(settings.unreadMinutes);
    this.#hides.input.checked = settings.hidesText;
  }

  #saveMinutes() {
    const text = this.#minutes.input.value;
    const problem = minutesProblem(text);
    this.#minutes.setProblem(problem);
    if (!problem) this.#save("unread", { unreadMinutes: Number(text) });
  }

  /** Saves a change of the settings; `which` names the note that shows its progress. */
  async #save(which, change) {
    const before = this.#settings;
    this.#settings = { ...this.#settings, ...change };
    this.#saving += 1;
    const settings = await this.#saved[which].run(() => this.#write(change, before));
    this.#saving -= 1;
    if (settings) this.#taken(settings);
    else this.draw(this.#net.writes.waiting.some(isOf(which)) ? this.#settings : before);
  }

  /** Of the kinds, only those that were changed: another device may have changed the others. */
  #write(change, before) {
    const isChanged = (choice) => !before.kinds.some((one) => one.kind === choice.kind && String(one.channels) === String(choice.channels));
    const wanted = change.kinds ? { kinds: change.kinds.filter(isChanged) } : change;
    return this.#net.writes.write("reminders.saveSettings", wanted);
  }
}

/** Name of a note → whether it is about a change of a subject. */
const subjects = {
  matrix: (subject) => subject.startsWith("kind "), leads: (subject) => subject === "leads",
  unread: (subject) => subject === "unreadMinutes", hides: (subject) => subject === "hidesText",
};

const isOf = (which) => ({ method, subject }) => method === "reminders.saveSettings" && subjects[which](subject);

function card(titleId, title, ...content) {
  return h("section", { class: "card stack", "aria-labelledby": titleId }, h("h2", { id: titleId }, title), ...content);
}
