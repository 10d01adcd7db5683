// The app's beginning, with no more than the first page needs: configuration, connection, the frame (badge, tabs, theme), and the way from
// path to page. `features.js` has what starts after it.

import { browserClient } from "../connection/browser.js";
import { fetchEarly } from "../connection/early.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { KnownPeople } from "../kit/known.js";
import { startTheme } from "../kit/theme.js";
import { mayAnimate } from "../map/animation.js";
import { MapInspection } from "../map/inspection.js";
import { Roster } from "../map/roster.js";
import { startBadge } from "./badge.js";
import { Campus } from "./campus.js";
import { Frame } from "./frame.js";
import { addLater } from "./later.js";
import { missingPage, pages } from "./pages.js";
import { exposeReadings } from "./readings.js";
import { Router } from "./router.js";

const featuresAgainMilliseconds = 5_000;

const router = new Router(pages, missingPage);
const net = browserClient();
const known = new KnownPeople(net);
const roster = new Roster(net, mayAnimate, known);
const campus = new Campus(net);
const frame = new Frame(net, known);

/** What views get: the parts of the app they may use. The features add theirs when they start: see `startFeatures`. */
const app = /** @type {any} */ ({
  net, known, roster, router, config: null,
  inspection: new MapInspection(),
  /** Resolves when the features have started: for pages that are shown before. */
  features,
  titled: (name) => frame.titled(name),
  campusMap: (options) => campus.map(options),
  /** Loads the zones after a change by this account. */
  loadCampus: () => campus.loadZones(),
  lastCampus: () => campus.last(),
});

let pageShown = () => {};
/** Promise of the start of the features; null before the first attempt to load them, and after one that failed. */
let start = null;
/** Promise of the start, however many attempts that takes; null before the first. */
let startAtLast = null;

async function loadFeatures() {
  try {
    const [module] = await Promise.all([import("./features.js"), addLater()]);
    return module;
  } catch (error) {
    start = null;
    throw error;
  }
}

/** Starts the features, once. Rejects when their module cannot be loaded; a later call tries again. */
function features() {
  start ??= loadFeatures().then(({ startFeatures }) => {
    const started = startFeatures({ net, known, router, frame });
    Object.assign(app, started.parts);
    pageShown = started.pageShown;
    pageShown();
  });
  return start;
}

/** Starts the features as soon as the network lets it. */
function featuresAtLast() {
  const attempt = () => features().catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, featuresAgainMilliseconds));
    return attempt();
  });
  startAtLast ??= attempt();
  return startAtLast;
}

let leave = () => {};
let generation = 0;

/** Shows a page. Its module has `show(root, params, app)`, which returns how to take it down. */
async function show({ page, params, query, first }) {
  const mine = ++generation;
  leave();
  leave = () => {};
  const main = document.getElementById("view");
  let view;
  try {
    [view] = await Promise.all([page.load(), page.isFirst ? null : features()]);
  } catch {
    if (mine === generation) showFailure(main);
    return;
  }
  if (mine !== generation) return;
  main.removeAttribute("aria-busy");
  main.replaceChildren();
  main.dataset.view = page.name;
  main.scrollTop = 0;
  frame.show(page);
  pageShown();
  const stop = view.show(main, { ...params, query }, app);
  leave = typeof stop === "function" ? stop : () => {};
  const heading = main.querySelector("h1");
  frame.drawTitle();
  if (!first && !main.contains(document.activeElement)) (heading ?? main).focus({ preventScroll: true });
  featuresAtLast();
}

function showFailure(main) {
  main.removeAttribute("aria-busy");
  main.replaceChildren(h("div", { class: "page" },
    h("div", { class: "empty" }, icon("offline"), h("h1", { tabindex: "-1" }, "Couldn't load this page"),
      h("p", { class: "muted" }, "Check your connection and try again."),
      h("button", { class: "button", type: "button", onclick: () => location.reload() }, "Try again"))));
}

async function loadConfig() {
  try {
    const reply = await fetchEarly("/config.json");
    if (reply.ok) app.config = await reply.json();
  } catch {
    // Offline and never cached: the app works without, only the campus name and tiles are missing.
  }
}

/** A guest's connection needs no features; that of an account waits for them, so that they receive all that comes over it. */
async function connect() {
  if (net.token !== null) await featuresAtLast();
  net.connect();
}

exposeReadings({ app, campus });
document.addEventListener("visibilitychange", () => roster.setVisible(document.visibilityState === "visible"));
startTheme(document.getElementById("theme-switch"));
connect();
startBadge(net, document.getElementById("connection-badge"));
loadConfig().finally(() => router.start(show));
