// Four switches for showing and storing locations, each off until it is switched on.

import { followWaiting } from "../connection/waitingmethods.js";
import { confirmDialog, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { positionNow } from "../kit/geolocation.js";
import { switches } from "./words.js";
import { makeSwitch } from "../kit/fields.js";
import { makeLoadable } from "../kit/loadable.js";
import { makeSaved } from "../kit/saved.js";

/**
 * The card of switches: `{element, returned(), close()}`. `kept.countOf(kind)` gives how many entries a switch forgets; `changed()` after
 * each change.
 */
export function makePrivacySwitches({ app, kept, changed }) {
  return new PrivacySwitches(app, { kept, changed });
}

class PrivacySwitches {
  #net;
  #reporter;
  #kept;
  #changed;
  #saved = makeSaved();
  #settings = null;
  #turns = 0;
  /** How many changes have no reply yet. */
  #pending = 0;
  #rows;
  #loadable;
  #closed = new AbortController();

  constructor({ net, reporter }, { kept, changed }) {
    this.#net = net;
    this.#reporter = reporter;
    this.#kept = kept;
    this.#changed = changed;
    const list = h("div", { class: "privacy-switches" });
    this.#rows = switches.map((one) => ({ one, ...makeSwitch({ id: `privacy-${one.id}`, label: one.label, hint: one.hint,
      changed: (isOn) => this.#change(one, isOn) }) }));
    this.#loadable = makeLoadable({ net, fetch: () => net.read("privacy.settings"), draw: (settings) => {
      this.#settings = settings;
      reporter.useSettings(settings);
      list.replaceChildren(...this.#rows.map(({ element }) => element));
      this.#draw();
    } });
    this.element = h("section", { class: "card stack", id: "privacy-shown", "aria-labelledby": "privacy-shown-title" },
      h("h2", { id: "privacy-shown-title" }, "Shared and stored"),
      h("p", { class: "muted" }, "All off by default. Turning one off deletes what it stored."),
      this.#loadable.element, list, this.#saved.element);
    const { signal } = this.#closed;
    const isMine = ({ method }) => method === "privacy.saveSettings";
    reporter.addEventListener("settings", () => this.#changedElsewhere(), { signal });
    this.#saved.follow(net.writes, isMine, signal);
    followWaiting(net.writes, isMine, () => { if (this.#pending === 0) this.#loadable.load(); }, signal);
    this.#loadable.load();
  }

  /** The connection is back. */
  returned() {
    if (!this.#loadable.isLoaded || this.#saved.element.dataset.state !== "saving") this.#loadable.load();
  }

  close() {
    this.#closed.abort();
    this.#loadable.close();
  }

  #draw() {
    for (const { one, input } of this.#rows) input.checked = this.#settings?.[one.id] === true;
  }

  /** On another device, or in another tab. */
  #changedElsewhere() {
    if (!this.#reporter.settings || this.#pending > 0) return;
    this.#settings = this.#net.writes.shown("privacy.settings", {}, this.#reporter.settings);
    this.#draw();
  }

  async #change(one, isOn) {
    if (!isOn && !(await this.#mayForget(one))) {
      this.#draw();
      return;
    }
    const turn = ++this.#turns;
    this.#settings = { ...this.#settings, [one.id]: isOn };
    this.#pending += 1;
    const result = await this.#save(one, isOn);
    this.#pending -= 1;
    // Of two changes the reply to the last holds for both.
    if (result && turn === this.#turns) this.#settings = result;
    this.#draw();
    if (this.#isWaiting(one)) this.#reporter.useSettings(this.#settings);
    if (result?.[one.id] !== isOn) return;
    this.#reporter.changedSettings(this.#settings);
    // After this tap the browser may ask for the location permission: nothing is counted or noted without it.
    if (["heatmap", "visits"].includes(one.id) && isOn) positionNow({ isExact: false }).catch(({ message }) => toast(message));
    this.#changed();
  }

  /** Asks before entries are forgotten. */
  async #mayForget({ forgets }) {
    const entries = forgets ? this.#kept.countOf(forgets.kind) : 0;
    if (entries === 0) return true;
    return confirmDialog({ id: "forget-dialog", title: "Turn off and delete?", danger: true, confirm: "Turn off and delete",
      text: `This deletes ${count(entries, "entry", "entries")}. `
      + "It can't be undone." });
  }

  #isWaiting({ id }) {
    return this.#net.writes.find("privacy.saveSettings", id) !== null;
  }

  /** Saves only what was changed: another device may have changed the others. Resolves to the settings, or to null. */
  async #save(one, isOn) {
    const result = await this.#saved.run(() => this.#net.writes.write("privacy.saveSettings", { [one.id]: isOn }));
    if (result || this.#isWaiting(one)) return result;
    this.#settings = { ...this.#settings, [one.id]: !isOn };
    this.#loadable.load();
    return null;
  }
}
