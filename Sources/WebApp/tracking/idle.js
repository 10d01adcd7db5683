// The track page before a session: the form, sessions that wait on this device, and those that go on elsewhere.

import { confirmDialog, h, keepFocus, setText } from "../kit/dom.js";
import { confirmDiscard } from "./discard.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { makeTrackStart } from "./start.js";
import { waitingText } from "./words.js";

/** The page without a session. */
export class IdleTrack {
  #net; #tracker; #start;
  #noteText = h("span", {});
  #note = h("p", { class: "notice warn", id: "waiting-note", hidden: true }, icon("offline"), this.#noteText);
  #refused = h("div", { class: "stack" });
  #refusedKey = "[]";
  #elsewhere = h("div", { class: "stack", hidden: true });
  #elsewhereRows = new KeyedChildren(this.#elsewhere);
  #end = new AbortController();

  /** Replaces what `place` shows. */
  constructor(place, { tracker, net, settings }) {
    this.#net = net;
    this.#tracker = tracker;
    this.#start = makeTrackStart({ onStart: (choice) => tracker.start(choice), isProvisional: Boolean(net.account?.confirmBy),
      audience: settings.value("audience") });
    // Changed on another device, perhaps.
    settings.addEventListener("change", () => this.#start.setAudience(settings.value("audience")), { signal: this.#end.signal });
    place.className = "page narrow stack";
    const head = h("div", { class: "home-part-head" },
      h("h1", { tabindex: "-1" }, "Track"), h("a", { class: "button quiet", href: "/history" }, icon("history"), "History"));
    place.replaceChildren(head, this.#note, this.#refused, this.#elsewhere, this.#start.element);
  }

  update() {
    this.#drawRefused();
    this.#drawElsewhere();
    const { waiting, waitingSessions, refusedSessions, trouble } = this.#tracker;
    const isStorageTrouble = trouble?.code === "storage";
    setText(this.#noteText, isStorageTrouble
      ? trouble.text
      : waitingText({ points: waiting.points, session: waitingSessions[0] ?? null, isLive: this.#net.state === "live" }));
    const isSaidElsewhere = waiting.entries === 0 || refusedSessions.some((record) => !record.endedElsewhere);
    this.#note.hidden = isSaidElsewhere && !isStorageTrouble;
  }

  destroy() {
    this.#end.abort();
    this.#start.destroy();
  }

  // MARK: sessions that the server refused

  #drawRefused() {
    const records = this.#tracker.refusedSessions;
    const key = JSON.stringify(records.map(({ clientId, problem }) => [clientId, problem]));
    if (key === this.#refusedKey) return;
    this.#refusedKey = key;
    this.#refused.replaceChildren(...records.map((record) => (
      record.endedElsewhere ? this.#endedNotice(record) : this.#refusedNotice(record))));
  }

  #endedNotice(record) {
    return h("p", { class: "notice warn", dataset: { ended: record.id } }, icon("warning"),
      h("span", { class: "grow" }, `“${record.title}” was stopped on another device. ${record.problem} `,
        h("a", { href: `/history/${record.id}` }, "View session")),
      h("button", { class: "button", type: "button", onclick: () => this.#tracker.discard(record) }, "Got it"));
  }

  #refusedNotice(record) {
    const discard = async () => { if (await confirmDiscard()) await this.#tracker.discard(record); };
    return h("p", { class: "notice bad" }, icon("warning"),
      h("span", { class: "grow" }, `Couldn't save “${record.title}”: ${record.problem}`),
      h("button", { class: "button", type: "button", onclick: discard }, "Discard"));
  }

  // MARK: sessions of other devices

  /** Beside the form, which stays as it is. */
  #drawElsewhere() {
    const sessions = this.#tracker.elsewhere;
    const rows = sessions.map((session) => ({ key: session.id, sig: session.title, make: () => this.#elsewhereCard(session) }));
    keepFocus(this.#elsewhere, () => this.#elsewhereRows.draw(rows));
    this.#elsewhere.hidden = sessions.length === 0;
  }

  #elsewhereCard(session) {
    return h("section", { class: "card stack", dataset: { elsewhere: session.id } },
      h("h2", {}, `${session.title} is still running`),
      h("p", { class: "muted" }, "You started it on another device or browser. Continue to record with this device."),
      h("div", { class: "row" },
        h("button", { class: "button primary", type: "button", onclick: () => this.#tracker.adopt(session) }, "Continue here"),
        h("button", { class: "button", type: "button", onclick: () => this.#stop(session) }, "Stop")));
  }

  async #stop(session) {
    const sure = await confirmDialog({
      id: "stop-dialog", title: "Stop this session?", text: "It's saved to your history.", confirm: "Stop and save",
    });
    if (!sure) return;
    const tracker = this.#tracker;
    try {
      const { message } = await this.#net.request("tracking.stop", { session: session.id });
      this.#note.hidden = true;
      tracker.elsewhere = tracker.elsewhere.filter(({ id }) => id !== session.id);
      tracker.dispatchEvent(new CustomEvent("saved", { detail: { ...session, message } }));
      tracker.dispatchEvent(new Event("history"));
      tracker.dispatchEvent(new Event("change"));
    } catch (error) {
      this.#note.hidden = false;
      setText(this.#noteText, error.message);
    }
  }
}
