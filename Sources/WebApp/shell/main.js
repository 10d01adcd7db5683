// The app's beginning, with no more than the first page needs: configuration, connection, the frame (badge, tabs, theme), and the way from
// path to page. `features.js` has what starts after it.

import { AccountSettings } from "../connection/accountsettings.js";
import { browserClient } from "../connection/browser.js";
import { fetchEarly } from "../connection/early.js";
import { dropToast, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { KnownPeople } from "../kit/known.js";
import { chooseTheme, startTheme, themeChoice } from "../kit/theme.js";
import { chooseUnit, unitChoice } from "../kit/units.js";
import { mayAnimate } from "../map/animation.js";
import { MapInspection } from "../map/inspection.js";
import { Roster } from "../map/roster.js";
import { startBadge } from "./badge.js";
import { Campus } from "./campus.js";
import { FeatureStart } from "./featurestart.js";
import { Frame } from "./frame.js";
import { focusHeading } from "./heading.js";
import { addLater } from "./later.js";
import { followNotifications } from "./notifications.js";
import { missingPage, pages } from "./pages.js";
import { exposeReadings } from "./readings.js";
import { Router } from "./router.js";

/** A page is shown without the styles that take longer. */
const stylesMillisecondsMax = 4_000;

const router = new Router(pages, missingPage);
const net = browserClient();
const known = new KnownPeople(net);
const roster = new Roster(net, mayAnimate, known);
const campus = new Campus(net);
const frame = new Frame(net, known);
const applied = { theme: chooseTheme, units: chooseUnit };
const settings = new AccountSettings(net, {
  apply: (name, value) => applied[name]?.(value), local: () => ({ theme: themeChoice(), units: unitChoice() }),
});

/** What views get: the parts of the app they may use. The features add theirs when they start: see `startFeatures`. */
const app = /** @type {any} */ ({
  net, known, roster, router, settings, config: null,
  inspection: new MapInspection(),
  /** Resolves when the features have started: for pages that are shown before. It stays pending while they cannot be loaded. */
  features: () => featureStart.begin(),
  titled: (name) => frame.titled(name),
  campusMap: (options) => campus.map(options),
  /** Loads the zones after a change by this account. */
  loadCampus: () => campus.loadZones(),
  lastCampus: () => campus.last(),
});

let pageShown = () => {};
/** What `addLater` gives; null before it was called. */
let later = null;

const after = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
const reload = () => location.reload();
const problemWords = { late: "Part of the app is still loading.", failed: "Part of the app couldn't be loaded." };

const featureStart = new FeatureStart({
  load: () => {
    later ??= addLater();
    return import("./features.js");
  },
  start: ({ startFeatures }) => {
    const started = startFeatures({ net, known, roster, router, frame, settings });
    Object.assign(app, started.parts);
    pageShown = started.pageShown;
    pageShown();
  },
  files: () => later.modules,
  show: (problem) => toast(problemWords[problem], { key: "features", seconds: null, action: { label: "Reload", run: reload } }),
  hide: () => dropToast("features"),
  fetch: (file) => fetch(file), report: (error) => reportError(error), reload, storage: sessionStorage, after, pause: untilOnline,
});

/** Resolves after that time, or when the network is back. */
function untilOnline(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
  });
}

/** What a page needs that is not shown first. */
async function loadLater() {
  await featureStart.attempt();
  await Promise.race([later.styles, after(stylesMillisecondsMax)]);
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
    [view] = await Promise.all([page.load(), page.isFirst ? null : loadLater()]);
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
  frame.drawTitle();
  const isElsewhere = !first && !main.contains(document.activeElement);
  const stopWaiting = isElsewhere ? focusHeading(main) : () => {};
  leave = () => {
    stopWaiting();
    if (typeof stop === "function") stop();
  };
  featureStart.begin();
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

/**
 * A guest's connection needs no features. That of an account waits for them, so that they receive all that comes over it: a sign-out that
 * the server answers with must remove the drafts and unsent messages of the account.
 */
async function connect() {
  if (net.token !== null) await featureStart.begin();
  net.connect();
}

exposeReadings({ app, campus });
document.addEventListener("visibilitychange", () => roster.setVisible(document.visibilityState === "visible"));
startTheme(document.getElementById("theme-switch"), (theme) => settings.choose("theme", theme));
followNotifications(router);
connect();
startBadge(net, document.getElementById("connection-badge"));
loadConfig().finally(() => router.start(show));
