// Track: start a session, watch it while it runs, pause, resume, stop, share.

import { announce, confirmDialog, h, setText } from "../dom.js";
import { averageSpeed, activityNames, count, hms, km, speed } from "../format.js";
import { icon } from "../icons.js";
import { distanceShown, elapsedSeconds } from "../recording.js";
import { makeShareControls } from "./sharecontrols.js";
import { openShareSheet } from "./sharesheet.js";
import { makeTrackMap } from "./trackmap.js";
import { makeTrackStart } from "./trackstart.js";
import { makeWatchers } from "./watchers.js";

export function show(root, _params, app) {
  const { net, tracker, router } = app;
  if (!net.account) {
    root.append(h("div", { class: "page narrow" }, h("div", { class: "card stack", id: "track-login" },
      h("h1", { tabindex: "-1" }, "Track a run"),
      h("p", { class: "muted" }, "Log in first, so that your sessions are saved to your history. You choose who sees them."),
      h("a", { class: "button primary big", href: "/login?next=/track" }, "Log in"), h("a", { class: "button big", href: "/register?next=/track" }, "Register"))));
    const enter = () => { if (net.account) router.go("/track", { replace: true }); };
    net.addEventListener("account", enter);
    return () => net.removeEventListener("account", enter);
  }

  let shown = null;
  let parts = null;
  const place = h("div", { class: "page stack", id: "track-page" });
  root.append(place);

  function draw() {
    const key = tracker.record ? `${tracker.record.clientId} ${tracker.isOwner}` : `none ${tracker.elsewhere.map(({ id }) => id).join()}`;
    if (key !== shown) {
      parts?.destroy();
      shown = key;
      parts = tracker.record ? running(place, app) : idle(place, app);
    }
    parts.update();
  }

  const saved = ({ detail }) => {
    if (!detail) return;
    place.querySelector("#saved-note")?.remove();
    place.prepend(h("p", { class: "notice good", id: "saved-note" }, icon("finished"), h("span", {}, "Session successfully saved. ", h("a", { href: `/history/${detail.id}` }, "See it"))));
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
  place.className = "page narrow stack";
  place.replaceChildren(h("div", { class: "home-part-head" }, h("h1", { tabindex: "-1" }, "Track"), h("a", { class: "button quiet", href: "/history" }, icon("history"), "History")), note,
    ...tracker.elsewhere.map((session) => h("section", { class: "card stack", dataset: { elsewhere: session.id } },
      h("h2", {}, `${session.title} is still going on`),
      h("p", { class: "muted" }, "It was begun on another device or browser. Going on here records this device's position."),
      h("div", { class: "row" },
        h("button", { class: "button primary", type: "button", onclick: () => tracker.adopt(session) }, "Continue here"),
        h("button", { class: "button", type: "button", onclick: () => stopElsewhere(session) }, "Stop it")))),
    makeTrackStart({ onStart: (choice) => tracker.start(choice) }));

  async function stopElsewhere(session) {
    const sure = await confirmDialog({ id: "stop-dialog", title: "Stop this session?", text: "It is saved to your history.", confirm: "Stop" });
    if (!sure) return;
    try {
      const { message } = await net.request("tracking.stop", { session: session.id });
      tracker.elsewhere = tracker.elsewhere.filter(({ id }) => id !== session.id);
      tracker.dispatchEvent(new CustomEvent("saved", { detail: { ...session, message } }));
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
      const waiting = tracker.waitingElsewhere ?? 0;
      if (tracker.trouble?.code === "storage") setText(note.lastChild, tracker.trouble.text);
      else setText(note.lastChild, `A stopped session still has ${count(waiting, "entry", "entries")} to send. They are sent as soon as the server takes them.`);
      note.hidden = (waiting === 0 || tracker.refusedSessions.some((record) => !record.endedElsewhere)) && tracker.trouble?.code !== "storage";
    },
    destroy() {},
  };
}

function running(place, app) {
  const { tracker, net } = app;
  const figures = Object.fromEntries(["distance", "time", "speed", "accuracy", "unsent"].map((key) => [key, h("dd", { class: "number", id: `figure-${key}`, dataset: { figure: key } })]));
  const estimate = h("span", { class: "tag", id: "estimate", hidden: true, title: "Worked out on this device until the server has all points." }, "estimate");
  const heading = h("h1", { tabindex: "-1" });
  const status = h("span", { class: "state-chip", id: "track-state" });
  const notices = h("div", { class: "stack", id: "track-notices" });
  const mapElement = h("div", { class: "map" });
  const map = makeTrackMap(mapElement, app, tracker);
  const pauseButton = h("button", { class: "button big", type: "button", id: "pause", onclick: () => tracker.pause().then(() => announce("Paused.")) }, icon("pause"), "Pause");
  const resumeButton = h("button", { class: "button primary big", type: "button", id: "resume", onclick: () => tracker.resume().then(() => announce("Going on.")) }, icon("play", { filled: true }), "Resume");
  const stopButton = h("button", { class: "button danger big", type: "button", id: "stop", onclick: stop }, icon("stop", { filled: true }), "Stop");
  const share = h("div", { class: "stack" });
  const shareHere = h("button", { class: "button wide", type: "button", id: "share-here", hidden: true, onclick: () => openShareSheet(app, { session: tracker.record?.id ?? null }) }, icon("share"), "Share where I am");
  const audience = watchAudience(app);
  let sharedId = null;
  let noticeKey = null;

  place.className = "page track-page stack";
  place.replaceChildren(
    h("div", { class: "track-head" }, h("div", { class: "grow" }, heading), status),
    h("div", { class: "track-grid" },
      h("div", { class: "stack" },
        h("dl", { class: "readout" },
          h("div", { class: "readout-main" }, h("dt", {}, "Distance, km"), figures.distance, estimate),
          h("div", { class: "readout-main" }, h("dt", {}, "Time"), figures.time),
          h("div", {}, h("dt", {}, "Average, m/s"), figures.speed), h("div", {}, h("dt", {}, "GPS accuracy"), figures.accuracy), h("div", {}, h("dt", {}, "Unsent points"), figures.unsent)),
        notices, h("div", { class: "track-actions" }, pauseButton, resumeButton, stopButton), shareHere, audience.element),
      h("div", { class: "track-map" }, mapElement, h("div", { class: "map-tools" }, h("button", { class: "map-button", type: "button", "aria-label": "Centre on my position", onclick: () => map.recentre() }, icon("target"))))),
    share);

  async function stop() {
    const sure = await confirmDialog({ id: "stop-dialog", title: "Stop this session?", text: "It is saved to your history. A stopped session cannot be resumed.", confirm: "Stop and save", cancel: "Keep going" });
    if (!sure || !tracker.record) return;
    await tracker.stop();
    document.querySelector("#track-page h1")?.focus();
    if (net.state !== "live") announce("Stopped. The session is saved when the network is back.");
  }

  function update() {
    const { record } = tracker;
    if (!record) return;
    const now = net.clock.now();
    const seconds = elapsedSeconds(record, now);
    const { metres, isEstimate } = distanceShown(record);
    setText(heading, record.title);
    setText(figures.distance, km(metres));
    setText(figures.time, hms(seconds));
    setText(figures.speed, speed(averageSpeed(metres, seconds)));
    setText(figures.accuracy, tracker.fix ? `±${Math.round(tracker.fix.accuracy)} m` : "–");
    setText(figures.unsent, tracker.unsent.toLocaleString("en"));
    estimate.hidden = !(isEstimate && (net.state !== "live" || tracker.unsent > 5 || record.id === null));
    const state = record.state === "paused" ? "paused" : "moving";
    if (status.dataset.state !== state) {
      status.dataset.state = state;
      status.replaceChildren(icon(state === "paused" ? "paused" : "track"), state === "paused" ? "Paused" : `Recording your ${activityNames[record.activity].toLowerCase()}`);
    }
    pauseButton.hidden = record.state !== "running" || !tracker.isOwner || record.problem !== null;
    resumeButton.hidden = record.state !== "paused" || !tracker.isOwner;
    stopButton.hidden = !tracker.isOwner || record.problem !== null;
    // The server has to know the session that the share ends with.
    shareHere.hidden = record.id === null || record.problem !== null;
    drawNotices(record);
    map.update();
    audience.update(record.id);
    if (record.id !== null && record.id !== sharedId) {
      sharedId = record.id;
      share.replaceChildren(makeShareControls({ net, session: record.id, audience: record.audience, onAudience: (changed) => tracker.noteSession(changed) }));
    }
  }

  function drawNotices(record) {
    const list = [];
    if (!tracker.isOwner) list.push(["warn", "warning", "This session is recorded in another tab of this browser.", ["Record in this tab", () => tracker.takeOver()]]);
    if (record.problem) list.push(["bad", "warning", `The server did not take this session: ${record.problem}`, ["Discard it", () => discard()]]);
    if (tracker.trouble) list.push(["bad", "warning", tracker.trouble.text, tracker.trouble.code === "denied" ? ["Try again", () => tracker.watchAgain()] : null]);
    else if (!tracker.fix && record.state === "running" && tracker.isOwner) list.push(["", "target", "Looking for your position…", null]);
    if (net.state !== "live") list.push(["warn", "offline", "No connection. Points are kept on this device and sent when it is back.", null]);
    else if (tracker.sendProblem) list.push(["warn", "warning", tracker.sendProblem, null]);
    const refused = Object.values(record.refused).reduce((sum, number) => sum + number, 0);
    if (refused > 0) list.push(["warn", "warning", `The server refused ${count(refused, "point")} (time out of range).`, null]);
    const key = JSON.stringify(list.map(([, , text]) => text));
    if (key === noticeKey) return;
    noticeKey = key;
    notices.replaceChildren(...list.map(([kind, iconName, text, action]) => h("p", { class: `notice ${kind}` }, icon(iconName), h("span", { class: "grow" }, text),
      action ? h("button", { class: "button", type: "button", onclick: action[1] }, action[0]) : null)));
  }

  async function discard() {
    const sure = await confirmDialog({ id: "discard-dialog", title: "Discard this session?", text: "What was recorded is deleted from this device. It was never stored on the server.", confirm: "Discard", danger: true });
    if (sure) await tracker.discard();
  }

  return {
    update,
    destroy() {
      audience.destroy();
      map.destroy();
    },
  };
}

/**
 * Who watches the own session: `{element, update(session), destroy()}`. Asked for only while somebody looks at the page: with it
 * comes the whole route, which a phone in a pocket need not be sent.
 */
function watchAudience({ net }) {
  const watchers = makeWatchers({ isOpen: true, nameOf: (username) => app.known.nameOf(username) });
  let subscription = null;
  let watched = null;
  let presence = null;

  function update(session) {
    const wanted = document.visibilityState === "visible" ? session : null;
    if (wanted !== watched) {
      subscription?.close();
      watched = wanted;
      presence = subscription = null;
      if (wanted !== null) {
        subscription = net.subscribe(`session/${wanted}`, { snapshot: heard, push: heard });
      }
    }
    watchers.show(net.state === "live" ? presence : null, { isOwner: true });
  }

  function heard(data) {
    if (data.presence) presence = data.presence;
    if (data.type === "ended" || data.type === "closed") presence = null;
    update(watched);
  }

  const changed = () => { if (document.visibilityState === "hidden") update(null); };
  document.addEventListener("visibilitychange", changed);
  return {
    element: watchers.element, update,
    destroy() {
      document.removeEventListener("visibilitychange", changed);
      subscription?.close();
    },
  };
}
