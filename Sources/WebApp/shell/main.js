// The app's beginning: configuration, connection, the frame (badge, tabs, theme), and the way from path to page.

import { alertFor, alertText } from "../chat/alerts.js";
import { alertSettings, isNotificationAllowed, notify } from "../kit/notifications.js";
import { Chat } from "../chat/store.js";
import { announce, dropToast, h, toast } from "../kit/dom.js";
import { startEventAlerts } from "../events/alerts.js";
import { Events } from "../events/store.js";
import { icon } from "../kit/icons.js";
import { KnownPeople } from "../kit/known.js";
import { fetchEarly } from "../connection/early.js";
import { forgetMap } from "../livemap/memory.js";
import { MapInspection } from "../map/inspection.js";
import { mayAnimate } from "../map/mapview.js";
import { browserClient } from "../connection/browser.js";
import { startNoticeAlerts } from "../notices/alerts.js";
import { NoticeFeed } from "../notices/feed.js";
import { forgetAccount } from "../account/forgetting.js";
import { Pictures } from "../kit/pictures.js";
import { startPushUpkeep } from "../reminders/push.js";
import { Roster } from "../map/roster.js";
import { missingPage, pages } from "./pages.js";
import { Router } from "./router.js";
import { tabsFor } from "./tabs.js";
import { keepsNothing, mayReturn, signOutWords } from "../connection/signoutwords.js";
import { startTheme } from "../kit/theme.js";
import { Tracker } from "../tracking/tracker.js";
import { startBadge } from "./badge.js";
import { startShareAlerts } from "../sharing/alerts.js";
import { Reporter } from "../sharing/reporter.js";
import { Sharing } from "../sharing/store.js";
import { startShareBar } from "../sharing/bar.js";

const router = new Router(pages, missingPage);

const net = browserClient();
const known = new KnownPeople(net);
const roster = new Roster(net, mayAnimate, known);
const tracker = new Tracker(net);
const pictures = new Pictures(net);
const chat = new Chat(net, pictures);
const events = new Events(net);
const notices = new NoticeFeed(net);
const sharing = new Sharing(net, known);
const reporter = new Reporter(net, sharing, tracker);
const campusKey = "campanile.campus";

/** The drawing is asked about again after so long, since admins change it; while it is the same, that costs a few bytes. */
const campusMapKeptMilliseconds = 20_000;
/** The last loaded drawing, `{etag, geojson, turn}`, and the request in flight since `at`. */
let campusMap = null;
let campusMapLoading = null;
let campusMapAt = -Infinity;
let campusMapTurn = 0;

async function loadCampusMap() {
  const turn = ++campusMapTurn;
  try {
    const reply = await fetchEarly("/campus/map.geojson");
    if (!reply.ok) throw new Error("Couldn't load the campus map.");
    const etag = reply.headers.get("ETag");
    if (campusMap && etag !== null && etag === campusMap.etag) return campusMap.geojson;
    const geojson = await reply.json();
    // One that was asked for later was faster.
    if (campusMap && campusMap.turn > turn) return campusMap.geojson;
    const isNews = campusMap !== null;
    campusMap = { etag, geojson, turn };
    if (isNews) loadCampus();
  } catch (error) {
    campusMapAt = -Infinity;
    if (!campusMap) throw error;
  }
  return campusMap.geojson;
}

/** Loads the current names of the zones: those of `hello` may be old. */
async function loadCampus() {
  try {
    net.campus = await net.request("campus.info");
    localStorage.setItem(campusKey, JSON.stringify(net.campus));
  } catch {
    // They come with the next connection.
  }
}

/** What views get: the parts of the app they may use. */
const app = {
  net, known, roster, tracker, pictures, chat, events, notices, sharing, reporter, router, config: null,
  inspection: new MapInspection(),
  /** A page's title, with what is unread. */
  titled: (name) => `${chat.unread > 0 ? `(${chat.unread > 99 ? "99+" : chat.unread}) ` : ""}${name} · Campanile`,
  /** The campus GeoJSON; `anew` when it was changed just now. After a failure it is what was loaded before. */
  campusMap({ anew = false } = {}) {
    if (anew || performance.now() - campusMapAt > campusMapKeptMilliseconds) {
      campusMapAt = performance.now();
      campusMapLoading = loadCampusMap();
    }
    return campusMapLoading;
  },
  /** Loads the zones after a change by this account. */
  loadCampus,
  /** The campus of the last visit, for a first picture while offline. */
  lastCampus() {
    try {
      return JSON.parse(localStorage.getItem(campusKey));
    } catch {
      return null;
    }
  },
};

let leave = () => {};
let generation = 0;
let shownPage = null;

/** Shows a page. Its module has `show(root, params, app)`, which returns how to take it down. */
async function show({ page, params, query, first }) {
  const mine = ++generation;
  leave();
  leave = () => {};
  const main = document.getElementById("view");
  let view;
  try {
    view = await page.load();
  } catch {
    if (mine !== generation) return;
    main.removeAttribute("aria-busy");
    main.replaceChildren(h("div", { class: "page" },
      h("div", { class: "empty" }, icon("offline"), h("h1", { tabindex: "-1" }, "Couldn't load this page"),
      h("p", { class: "muted" }, "Check your connection and try again."),
      h("button", { class: "button", type: "button", onclick: () => location.reload() }, "Try again"))));
    return;
  }
  if (mine !== generation) return;
  main.removeAttribute("aria-busy");
  main.replaceChildren();
  shownPage = page;
  main.dataset.view = page.name;
  main.scrollTop = 0;
  drawTabs();
  noticeAlerts.draw();
  const stop = view.show(main, { ...params, query }, app);
  leave = typeof stop === "function" ? stop : () => {};
  const heading = main.querySelector("h1");
  drawTitle();
  if (!first && !main.contains(document.activeElement)) (heading ?? main).focus({ preventScroll: true });
}

function drawTitle() {
  if (shownPage === null) return;
  const name = document.querySelector("#view h1")?.textContent || shownPage.title;
  const title = shownPage.title === null ? app.titled("").replace(" · ", "") : app.titled(name);
  if (document.title !== title) document.title = title;
}

function drawTabs() {
  const isRecording = tracker.record?.state === "running";
  document.getElementById("tabs").replaceChildren(...tabsFor(net.account, known.own?.name).map(({ name, path, label, icon: iconName }) =>
    h("a", { href: path, dataset: { nav: name }, "aria-current": shownPage?.tab === name ? "page" : null }, icon(iconName),
      h("span", { class: "tab-label" }, label),
      name === "track" && isRecording ? h("span", { class: "tab-mark", role: "img", "aria-label": "recording" }) : null,
      name === "events" ? h("span", { class: "tab-count number", id: "invitations-total", hidden: true }) : null,
      name === "chats" ? h("span", { class: "tab-count number", id: "unread-total", hidden: true }) : null)));
  drawUnread();
  drawInvitations();
}

function drawUnread() {
  drawCount("unread-total", chat.unread, "unread");
}

function drawInvitations() {
  drawCount("invitations-total", events.invitations.length, "to answer");
}

function drawCount(id, number, what) {
  const mark = document.getElementById(id);
  if (!mark) return;
  mark.hidden = number === 0;
  const text = number > 99 ? "99+" : String(number);
  if (mark.dataset.count === text) return;
  mark.dataset.count = text;
  mark.replaceChildren(text, h("span", { class: "visually-hidden" }, ` ${what}`));
}

async function loadConfig() {
  try {
    const reply = await fetchEarly("/config.json");
    if (reply.ok) app.config = await reply.json();
  } catch {
    // Offline and never cached: the app works without, only the campus name and tiles are missing.
  }
}

function startServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.register("/sw.js").then((registration) => {
    registration.addEventListener("updatefound", () => {
      const worker = registration.installing;
      worker?.addEventListener("statechange", () => {
        if (worker.state !== "installed" || !navigator.serviceWorker.controller) return;
        toast("A new version of Campanile is ready.", { seconds: 30, action: { label: "Reload", run: () => location.reload() } });
      });
    });
  }).catch(() => {});
}

net.addEventListener("account", drawTabs);
let nameDrawn = known.own?.name;
known.addEventListener("change", () => {
  if (known.own?.name === nameDrawn) return;
  nameDrawn = known.own?.name;
  drawTabs();
});
let wasMember = false;
net.addEventListener("account", () => {
  if (wasMember && !net.account) forgetMap();
  wasMember = net.account !== null;
});
net.addEventListener("state", () => {
  if (net.state === "live" && net.campus) localStorage.setItem(campusKey, JSON.stringify(net.campus));
});
/** Where the server's word found somebody, whom, and whether they shared. */
let placeBefore = "/";
let wasSharing = false;
let accountBefore = null;
net.addEventListener("signingOut", () => {
  placeBefore = location.pathname + location.search;
  accountBefore = net.account?.id ?? null;
  wasSharing = sharing.working.length > 0 || sharing.isStopping();
});
net.addEventListener("signedOut", (/** @type {CustomEvent} */ { detail: { cause } }) => {
  if (keepsNothing(cause) && accountBefore !== null) forgetAccount(accountBefore);
  const { text, stays } = signOutWords(cause, { isRecording: tracker.record !== null, isSharing: wasSharing });
  toast(text, { key: "signed-out", seconds: stays ? null : 12 });
  announce(text);
  // A page that needs an account has given way to another: logging in leads back.
  const isHere = location.pathname + location.search === placeBefore || location.pathname === "/login";
  if (mayReturn(cause) && !isHere) router.go(`/login?next=${encodeURIComponent(placeBefore)}`, { replace: true });
});
net.addEventListener("account", () => { if (net.account) dropToast("signed-out"); });
let wasRecording = false;
tracker.addEventListener("change", () => {
  const isRecording = tracker.record?.state === "running";
  if (isRecording !== wasRecording) drawTabs();
  wasRecording = isRecording;
});
tracker.addEventListener("saved", () => {
  // The track page says so itself, and a toast would cover its Start button.
  if (document.getElementById("view").dataset.view !== "track") toast("Session successfully saved");
  announce("Session successfully saved");
});

chat.addEventListener("change", () => {
  drawUnread();
  drawTitle();
  if (chat.sender.entries.every(({ problem }) => problem)) dropToast("poor");
});
/** One message about it, not one for each that waits. */
const poorEveryMilliseconds = 30_000;
let poorSaid = { text: null, at: 0 };
chat.addEventListener("poor", () => {
  const text = net.state === "live" ? "Your connection is poor. We'll keep trying to send your message."
    : "You're offline. Your message will be sent when you're back online.";
  if (poorSaid.text === text && performance.now() - poorSaid.at < poorEveryMilliseconds) return;
  poorSaid = { text, at: performance.now() };
  toast(text, { key: "poor" });
});

/** Others may read it meanwhile on another device or in another tab: then nothing pops up here. */
const alertAfterMilliseconds = 250;

chat.addEventListener("arrived", (/** @type {CustomEvent} */ { detail: { conversation, message } }) => {
  // A message in the open conversation is visible there; screen readers announce it.
  if (message && conversation.id === chat.shown) announce(`${message.name || conversation.name}: ${message.text || "Picture"}`);
  setTimeout(() => {
    const now = chat.inbox.conversations.get(conversation.id);
    if (!now || (message && now.read >= message.offset)) return;
    const kind = alertFor({
      conversation: now, shown: chat.shown, isPageVisible: document.visibilityState === "visible",
      isRecording: tracker.record?.state === "running", isAllowed: isNotificationAllowed(),
    });
    // The match itself is on screen.
    if (!message && document.getElementById("match")?.dataset.conversation === String(now.id)) return;
    // The list itself shows what is new.
    if (kind === null || (kind === "toast" && document.getElementById("view").dataset.view === "chats")) return;
    const { title, body } = alertText({ conversation: now, message, hidesText: alertSettings().hidesText });
    const path = message || now.kind === "direct" ? `/chats/${now.id}` : "/chats";
    if (kind === "notification") notify({ title, body, tag: `chat-${now.id}`, path, open: (to) => router.go(to) });
    else toast(`${title}: ${body}`, { key: `chat-${now.id}`, action: { label: "Open", run: () => router.go(path) } });
  }, alertAfterMilliseconds);
});
navigator.serviceWorker?.addEventListener("message",
  ({ data }) => { if (data?.type === "open" && router.match(new URL(data.path, location.origin).pathname)) router.go(data.path); });

events.addEventListener("invitations", drawInvitations);
startEventAlerts({ events, tracker, net, router });
const noticeAlerts = startNoticeAlerts({ notices, tracker, net, router });
startShareAlerts({ sharing, router });
startShareBar(document.getElementById("share-bar"), { sharing, reporter, net });
startPushUpkeep(net);
// Read on another device, they are read here; on this one nothing changes by it.
let noticesTimer = 0;
const noticesAfterMilliseconds = 2_000;
events.addEventListener("notices", () => {
  clearTimeout(noticesTimer);
  noticesTimer = setTimeout(() => notices.load(), noticesAfterMilliseconds);
});
events.addEventListener("goal", async () => {
  try {
    const goal = await net.request("goals.get", { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
    if (goal.completedAt) toast(`You reached your goal of ${goal.kilometres} km`,
      { key: "goal", seconds: 10, action: { label: "View", run: () => router.go("/history") } });
  } catch {
    // The goal's card says it when it is looked at.
  }
});

/** A read-only window into the app for browser tests. */
Object.defineProperty(window, "campanile", {
  value: Object.freeze({
    runners: () => app.inspection.readings.runners(),
    clusters: () => app.inspection.readings.clusters(),
    people: () => app.inspection.readings.people(),
    labels: () => app.inspection.readings.labels(),
    names: () => app.inspection.readings.names(),
    me: () => app.inspection.readings.me(),
    get sharing() { return { working: sharing.working.length, withMe: sharing.withMe.length, isLoaded: sharing.isLoaded,
      duty: reporter.duty, toldAt: reporter.toldAt, trouble: reporter.trouble?.code ?? null }; },
    get connection() { return { state: net.state, account: net.account?.username ?? null, clockOffset: net.clock.offset,
      topics: roster.viewport.topics.size }; },
    get view() { return { topics: [...roster.viewport.topics], awaited: roster.viewport.awaited.size, known: roster.entries.size,
      ...roster.viewport.counts }; },
    get drawing() { return { ...app.inspection.readings.drawing() }; },
    get heat() { return { ...app.inspection.readings.heat() }; },
    get chat() {
      const opened = chat.opened(chat.shown);
      return { unread: chat.unread, open: chat.shown, outbox: chat.sender.entries.length, lastOffset: opened?.log.offset ?? null,
        epoch: opened?.log.epoch ?? null, isLoaded: chat.inbox.isLoaded };
    },
    get notices() { return { unread: notices.unread, known: notices.log.items.size, position: notices.log.position,
      isLoaded: notices.isLoaded }; },
    get campus() { return { zones: (net.campus?.zones ?? []).map(({ name }) => name),
      drawn: (campusMap?.geojson.features ?? []).map(({ properties }) => properties?.name).filter(Boolean) }; },
    get tracking() { return tracker.record ? { state: tracker.record.state, session: tracker.record.id, unsent: tracker.unsent } : null; },
  }),
});

document.addEventListener("visibilitychange", () => roster.setVisible(document.visibilityState === "visible"));
startTheme(document.getElementById("theme-switch"));
net.connect();
startBadge(net, document.getElementById("connection-badge"));
loadConfig().finally(() => router.start(show));
// Its copies for later would take the line from what is looked at now.
const workerAfterMilliseconds = 3_000;
const whenConnected = () => {
  if (net.state !== "live") return;
  net.removeEventListener("state", whenConnected);
  setTimeout(startServiceWorker, workerAfterMilliseconds);
};
net.addEventListener("state", whenConnected);
