// The track page while a session is recorded: figures, map, pause and stop, its audience.

import { announce, confirmDialog, h, refocus, setText } from "../kit/dom.js";
import { watchAudience } from "./audience.js";
import { activityNames } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeReadout } from "./readout.js";
import { renameDialog } from "./sessionedit.js";
import { makeShareControls } from "./sharecontrols.js";
import { openShareSheet } from "../sharing/sharesheet.js";
import { makeTrackMap } from "./trackmap.js";
import { makeTrackWarnings } from "./warnings.js";

/** The page with a session. */
export class RunningTrack {
  #app; #net; #tracker; #onStop;
  #readout; #warnings; #map; #audience;
  /** The session whose share controls are shown, or null. */
  #sharedId = null;

  #heading = h("h1", { tabindex: "-1" });
  #status = h("span", { class: "state-chip", id: "track-state" });
  #rename = h("button", {
    class: "icon-button", type: "button", id: "rename", hidden: true, "aria-label": "Rename this session", title: "Rename",
    onclick: () => this.#askTitle(),
  }, icon("edit"));
  #pause = h("button", {
    class: "button big", type: "button", id: "pause", onclick: () => this.#tracker.pause().then(() => announce("Paused.")),
  }, icon("pause"), "Pause");
  #resume = h("button", {
    class: "button primary big", type: "button", id: "resume",
    onclick: () => this.#tracker.resume().then(() => announce("Resumed.")),
  }, icon("play", { filled: true }), "Resume");
  #stop = h("button", {
    class: "button danger big", type: "button", id: "stop", onclick: () => this.#askStop(),
  }, icon("stop", { filled: true }), "Stop");
  #shareHere = h("button", {
    class: "button wide", type: "button", id: "share-here", hidden: true,
    onclick: () => openShareSheet(this.#app, { session: this.#tracker.record?.id ?? null }),
  }, icon("share"), "Share my location");
  #mapPart;
  #share = h("div", { class: "stack" });

  /** Replaces what `place` shows; `onStop(clientId)` is called before the session is stopped. */
  constructor(place, app, onStop) {
    this.#app = app;
    this.#net = app.net;
    this.#tracker = app.tracker;
    this.#onStop = onStop;
    this.#readout = makeReadout(app);
    this.#warnings = makeTrackWarnings(app);
    const mapElement = h("div", { class: "map" });
    this.#map = makeTrackMap(mapElement, app, app.tracker);
    this.#audience = watchAudience(app);
    const recentre = h("button", {
      class: "map-button", type: "button", "aria-label": "Centre on my location", onclick: () => this.#map.recentre(),
    }, icon("target"));
    this.#mapPart = h("div", { class: "track-map" }, mapElement, h("div", { class: "map-tools" }, recentre));
    place.className = "page track-page stack";
    place.replaceChildren(
      h("div", { class: "track-head" }, h("div", { class: "grow track-title" }, this.#heading, this.#rename), this.#status),
      h("div", { class: "track-grid" },
        h("div", { class: "stack" },
          this.#readout.element, this.#warnings.element,
          h("div", { class: "track-actions" }, this.#pause, this.#resume, this.#stop), this.#shareHere, this.#audience.element),
        this.#mapPart),
      this.#share);
  }

  update() {
    const { record, isOwner } = this.#tracker;
    if (!record) return;
    setText(this.#heading, record.title);
    this.#readout.update(record);
    this.#mapPart.hidden = record.isTimeOnly;
    this.#drawStatus(record);
    const isRefused = record.problem !== null;
    const hadFocus = [this.#pause, this.#resume].includes(document.activeElement);
    this.#pause.hidden = record.state !== "running" || !isOwner || isRefused;
    this.#resume.hidden = record.state !== "paused" || !isOwner;
    if (hadFocus) refocus(this.#pause.hidden ? this.#resume : this.#pause);
    this.#stop.hidden = !isOwner || isRefused;
    // The server has to know the session that the share ends with.
    this.#rename.hidden = this.#shareHere.hidden = record.id === null || isRefused;
    this.#warnings.update(record);
    this.#map.update();
    this.#audience.update(record.id);
    if (record.id !== null && record.id !== this.#sharedId) this.#drawShare(record);
  }

  destroy() {
    this.#audience.destroy();
    this.#map.destroy();
  }

  #drawStatus({ state, activity }) {
    const isPaused = state === "paused";
    const shown = isPaused ? "paused" : "moving";
    if (this.#status.dataset.state === shown) return;
    this.#status.dataset.state = shown;
    const text = isPaused ? "Paused" : `Recording your ${activityNames[activity].toLowerCase()}`;
    this.#status.replaceChildren(icon(isPaused ? "paused" : "track"), text);
  }

  #drawShare({ id, audience }) {
    this.#sharedId = id;
    this.#share.replaceChildren(makeShareControls({
      net: this.#net, session: id, audience, onAudience: (changed) => this.#tracker.noteSession(changed),
    }));
  }

  async #askStop() {
    const sure = await confirmDialog({
      id: "stop-dialog", title: "Stop this session?", confirm: "Stop and save", cancel: "Keep going",
      text: "It's saved to your history. You can't resume a stopped session.",
    });
    if (!sure || !this.#tracker.record) return;
    this.#onStop(this.#tracker.record.clientId);
    await this.#tracker.stop();
    /** @type {HTMLElement | null} */
    const heading = document.querySelector("#track-page h1");
    heading?.focus();
    if (this.#net.state !== "live") announce("Stopped. The session will be saved when you're back online.");
  }

  async #askTitle() {
    const { id, title } = this.#tracker.record;
    const renamed = await renameDialog({ net: this.#net, session: { id, title } });
    // A title that waits is shown once the server has it.
    if (renamed?.owner) await this.#tracker.noteSession(renamed);
  }
}
