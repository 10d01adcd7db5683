// Track: start a session, watch it while it runs, pause, resume, stop, share.

import { announce, confirmDialog, h, keepFocus, setText } from "../kit/dom.js";
import { activityNames, count, hms, km } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { makeShareControls } from "./sharecontrols.js";
import { renameDialog } from "./sessionedit.js";
import { openShareSheet } from "../sharing/sharesheet.js";
import { makeTrackMap } from "./trackmap.js";
import { makeTrackNotices } from "./warnings.js";
import { makeReadout } from "./readout.js";
import { makeTrackStart } from "./start.js";
import { watchAudience } from "./audience.js";

/** A server that takes longer to save a session does not bring its finish page any more; a note leads there. */
const finishMilliseconds = 10_000;

export function show(root, _params, app) {
  const { net, tracker, router } = app;
  if (!net.account) {
    root.append(h("div", { class: "page narrow" }, h("div", { class: "card stack", id: "track-login" },
      h("h1", { tabindex: "-1" }, "Track a run"),
      h("p", { class: "muted" }, "Log in first, so that your sessions are saved to your history. You choose who sees them."),
      h("a", { class: "button primary big", href: "/login?next=/track" }, "Log in"),
      app.config?.registration === "closed" ? null : h("a", { class: "button big", href: "/register?next=/track" }, "Register"))));
    const enter = () => { if (net.account) router.go("/track", { replace: true }); };
    net.addEventListener("account", enter);
    return () => net.removeEventListener("account", enter);
  }

  let shown = null;
  let parts = null;
  /** The session that was stopped here a moment ago: its finish page comes as soon as the server has it. */
  let finishing = null;
  const place = h("div", { class: "page stack", id: "track-page" });
  root.append(place);

  function draw() {
    const key = tracker.record ? `${tracker.record.clientId} ${tracker.isOwner}` : "none";
    if (key !== shown) {
      parts?.destroy();
      shown = key;
      parts = tracker.record ? running(place, app, finish) : idle(place, app);
    }
    parts.update();
  }

  function finish(clientId) {
    finishing = clientId;
    setTimeout(() => { finishing = null; }, finishMilliseconds);
  }

  const saved = ({ detail }) => {
    if (!detail) return;
    if (!tracker.record && detail.clientId === finishing) {
      router.go(`/history/${detail.id}?finished`, { replace: true });
      return;
    }
    place.querySelector("#saved-note")?.remove();
    place.prepend(h("div", { class: "notice good", id: "saved-note" }, icon("finished"), h("p", { class: "grow" }, "Session successfully saved"), h("a", { class: "button", href: `/history/${detail.id}` }, "View session")));
  };
  tracker.addEventListener("change", draw);
  tracker.addEventListener("saved", saved);
  net.addEventListener("state", draw);
  const ticker = setInterval(() => parts?.update(), 1000);
  tracker.ready.then(draw);
  const leaveIfSignedOut = () => { if (!net.account) router.go("/track", { replace: true }); };
  net.addEventListener("account", leaveIfSignedOut);
  return () => {
    clearInterval(ticker);
    tracker.removeEventListener("change", draw);
    tracker.removeEventListener("saved", saved);
    net.removeEventListener("state", draw);
    net.removeEventListener("account", leaveIfSignedOut);
    parts?.destroy();
  };
}

function idle(place, { tracker, net }) {
  const note = h("p", { class: "notice warn", id: "waiting-note", hidden: true }, icon("offline"), h("span", {}));
  const start = makeTrackStart({ onStart: (choice) => tracker.start(choice) });
  place.className = "page narrow stack";
  const elsewhere = h("div", { class: "stack", hidden: true });
  const elsewhereRows = new KeyedChildren(elsewhere);
  place.replaceChildren(h("div", { class: "home-part-head" }, h("h1", { tabindex: "-1" }, "Track"), h("a", { class: "button quiet", href: "/history" }, icon("history"), "History")), note,
    elsewhere, start.element);

  function elsewhereCard(session) {
    return h("section", { class: "card stack", dataset: { elsewhere: session.id } },
      h("h2", {}, `${session.title} is still going on`),
      h("p", { class: "muted" }, "It was begun on another device or browser. Going on here records this device's position."),
      h("div", { class: "row" },
        h("button", { class: "button primary", type: "button", onclick: () => tracker.adopt(session) }, "Continue here"),
        h("button", { class: "button", type: "button", onclick: () => stopElsewhere(session) }, "Stop it")));
  }

  /** Beside the form, which stays as it is. */
  function drawElsewhere() {
    keepFocus(elsewhere, () => elsewhereRows.draw(tracker.elsewhere.map((session) => (
      { key: session.id, sig: session.title, make: () => elsewhereCard(session) }))));
    elsewhere.hidden = tracker.elsewhere.length === 0;
  }

  async function stopElsewhere(session) {
    const sure = await confirmDialog({ id: "stop-dialog", title: "Stop this session?", text: "It is saved to your history.", confirm: "Stop" });
    if (!sure) return;
    try {
      const { message } = await net.request("tracking.stop", { session: session.id });
      note.hidden = true;
      tracker.elsewhere = tracker.elsewhere.filter(({ id }) => id !== session.id);
      tracker.dispatchEvent(new CustomEvent("saved", { detail: { ...session, message } }));
      tracker.dispatchEvent(new Event("history"));
      tracker.dispatchEvent(new Event("change"));
    } catch (error) {
      note.hidden = false;
      setText(note.lastChild, error.message);
    }
  }

  const refused = h("div", { class: "stack" });
  let refusedKey = "[]";
  note.after(refused);

  async function discard(record) {
    const sure = await confirmDialog({ id: "discard-dialog", title: "Discard this session?", text: "What was recorded is deleted from this device. It was never stored on the server.", confirm: "Discard", danger: true });
    if (sure) await tracker.discard(record);
  }

  function drawRefused() {
    const key = JSON.stringify(tracker.refusedSessions.map(({ clientId, problem }) => [clientId, problem]));
    if (key === refusedKey) return;
    refusedKey = key;
    refused.replaceChildren(...tracker.refusedSessions.map((record) => (record.endedElsewhere
      ? h("p", { class: "notice warn", dataset: { ended: record.id } }, icon("warning"),
        h("span", { class: "grow" }, `“${record.title}” was ended on another device. ${record.problem} `, h("a", { href: `/history/${record.id}` }, "See the session")),
        h("button", { class: "button", type: "button", onclick: () => tracker.discard(record) }, "Got it"))
      : h("p", { class: "notice bad" }, icon("warning"),
        h("span", { class: "grow" }, `“${record.title}” could not be saved: ${record.problem}`), h("button", { class: "button", type: "button", onclick: () => discard(record) }, "Discard")))));
  }

  return {
    update() {
      drawRefused();
      drawElsewhere();
      const { waiting } = tracker;
      if (tracker.trouble?.code === "storage") setText(note.lastChild, tracker.trouble.text);
      else setText(note.lastChild, waitingText(waiting));
      note.hidden = (waiting.entries === 0 || tracker.refusedSessions.some((record) => !record.endedElsewhere)) && tracker.trouble?.code !== "storage";
    },
    destroy: () => start.destroy(),
  };

  function waitingText({ points }) {
    const [session] = tracker.waitingSessions;
    const what = session ? `“${session.title}” (${session.points > 0 ? `${km(session.distance)} km, ` : ""}${hms(session.elapsed)}) is saved on this device. ` : "";
    const left = points > 0 ? `${count(points, "point")} left to upload` : "Waiting to upload";
    return `${what}${left}${net.state === "live" ? "." : ": that happens by itself when the network is back."}`;
  }
}

function running(place, app, finish) {
  const { tracker, net } = app;
  const readout = makeReadout(app);
  const heading = h("h1", { tabindex: "-1" });
  const renameButton = h("button", { class: "icon-button", type: "button", id: "rename", hidden: true, "aria-label": "Rename this session", title: "Rename", onclick: rename }, icon("edit"));
  const status = h("span", { class: "state-chip", id: "track-state" });
  const notices = makeTrackNotices(app);
  const mapElement = h("div", { class: "map" });
  const map = makeTrackMap(mapElement, app, tracker);
  const pauseButton = h("button", { class: "button big", type: "button", id: "pause", onclick: () => tracker.pause().then(() => announce("Paused.")) }, icon("pause"), "Pause");
  const resumeButton = h("button", { class: "button primary big", type: "button", id: "resume", onclick: () => tracker.resume().then(() => announce("Going on.")) }, icon("play", { filled: true }), "Resume");
  const stopButton = h("button", { class: "button danger big", type: "button", id: "stop", onclick: stop }, icon("stop", { filled: true }), "Stop");
  const share = h("div", { class: "stack" });
  const shareHere = h("button", { class: "button wide", type: "button", id: "share-here", hidden: true, onclick: () => openShareSheet(app, { session: tracker.record?.id ?? null }) }, icon("share"), "Share where I am");
  const audience = watchAudience(app);
  let sharedId = null;

  const mapPart = h("div", { class: "track-map" }, mapElement, h("div", { class: "map-tools" }, h("button", { class: "map-button", type: "button", "aria-label": "Centre on my position", onclick: () => map.recentre() }, icon("target"))));
  place.className = "page track-page stack";
  place.replaceChildren(
    h("div", { class: "track-head" }, h("div", { class: "grow track-title" }, heading, renameButton), status),
    h("div", { class: "track-grid" },
      h("div", { class: "stack" },
        readout.element, notices.element, h("div", { class: "track-actions" }, pauseButton, resumeButton, stopButton), shareHere, audience.element),
      mapPart),
    share);

  async function stop() {
    const sure = await confirmDialog({ id: "stop-dialog", title: "Stop this session?", text: "It is saved to your history. A stopped session cannot be resumed.", confirm: "Stop and save", cancel: "Keep going" });
    if (!sure || !tracker.record) return;
    finish(tracker.record.clientId);
    await tracker.stop();
    document.querySelector("#track-page h1")?.focus();
    if (net.state !== "live") announce("Stopped. The session is saved when the network is back.");
  }

  async function rename() {
    const { id, title } = tracker.record;
    const renamed = await renameDialog({ net, session: { id, title } });
    if (renamed) await tracker.noteSession(renamed);
  }

  function update() {
    const { record } = tracker;
    if (!record) return;
    setText(heading, record.title);
    readout.update(record);
    mapPart.hidden = record.isTimeOnly;
    const state = record.state === "paused" ? "paused" : "moving";
    if (status.dataset.state !== state) {
      status.dataset.state = state;
      status.replaceChildren(icon(state === "paused" ? "paused" : "track"), state === "paused" ? "Paused" : `Recording your ${activityNames[record.activity].toLowerCase()}`);
    }
    pauseButton.hidden = record.state !== "running" || !tracker.isOwner || record.problem !== null;
    resumeButton.hidden = record.state !== "paused" || !tracker.isOwner;
    stopButton.hidden = !tracker.isOwner || record.problem !== null;
    // The server has to know the session that the share ends with.
    renameButton.hidden = shareHere.hidden = record.id === null || record.problem !== null;
    notices.update(record);
    map.update();
    audience.update(record.id);
    if (record.id !== null && record.id !== sharedId) {
      sharedId = record.id;
      share.replaceChildren(makeShareControls({ net, session: record.id, audience: record.audience, onAudience: (changed) => tracker.noteSession(changed) }));
    }
  }

  return {
    update,
    destroy() {
      audience.destroy();
      map.destroy();
    },
  };
}
