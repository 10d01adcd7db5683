// The start page: for guests what Campanile is, for members the news that concerns them, and for both how many people run now.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { confirmNote } from "./confirmnote.js";
import { makeDirectory } from "./directory.js";
import { RunnerCount } from "./runnercount.js";

/** Serves `/`. */
export function show(root, _params, app) {
  const { net, router } = app;
  const end = new AbortController();
  const now = new RunnerCount(app);
  const feed = net.account ? new Feed(app) : null;
  root.append(feed
    ? memberPage(greeting(app, end.signal), confirmNote(net.account), feed, now, makeDirectory(net.account))
    : guestPage(app, now));
  // The account is known a moment after the page when only its token was kept.
  net.addEventListener("account", () => router.go("/", { replace: true }), { signal: end.signal });
  return () => {
    end.abort();
    feed?.close();
    now.close();
  };
}

/** The parts of a member's page that need the app's features. */
class Feed {
  news = h("div", {});
  goal = h("div", {});

  #parts = [];
  #isClosed = false;

  constructor(app) {
    this.#load(app);
  }

  async #load(app) {
    let makeFeed;
    try {
      [{ makeFeed }] = await Promise.all([import("./feed.js"), app.features()]);
    } catch {
      if (!this.#isClosed) this.news.append(feedProblem());
      return;
    }
    if (this.#isClosed) return;
    const { notices, comingUp, week, goal } = makeFeed(app);
    this.#parts = [notices, comingUp, week, goal];
    this.news.replaceWith(notices.element, comingUp.element);
    this.goal.replaceWith(week.element, goal.element);
  }

  close() {
    this.#isClosed = true;
    for (const part of this.#parts) part.close();
  }
}

function feedProblem() {
  return h("div", { class: "stack tight" },
    h("p", { class: "notice warn", role: "alert" }, icon("warning"), h("span", {}, "Couldn't load your events and notices.")),
    h("p", {}, h("button", { class: "button", type: "button", onclick: () => location.reload() }, "Try again")));
}

/** The heading with the account's name, which may arrive later. */
function greeting({ known }, signal) {
  const heading = h("h1", { tabindex: "-1" });
  const draw = () => { if (known.own) setText(heading, `Hello, ${known.own.name}`); };
  known.addEventListener("change", draw, { signal });
  draw();
  return heading;
}

function memberPage(heading, note, { news, goal }, now, directory) {
  return h("div", { class: "home is-member" },
    h("section", { class: "hero" }, heading, actions({ isBig: false })), note,
    h("div", { class: "home-feed" }, news, h("div", { class: "home-figures" }, goal, now.element)), directory);
}

function guestPage(app, now) {
  const { config } = app;
  return h("div", { class: "home" },
    h("section", { class: "hero" },
      h("p", { class: "eyebrow" }, config?.campus?.name ?? "Live on campus"),
      h("h1", { tabindex: "-1" }, "Every run on campus, live on one map."),
      h("p", { class: "lead" }, "Watch runners and riders live, and track your own runs and rides. "
        + "Saved as you go, private until you share."),
      actions({ isBig: true }),
      samplesPart(app),
      h("p", { class: "row account-links" }, h("a", { class: "button quiet", href: "/login", id: "login" }, "Log in"),
        config?.registration === "closed" ? null : h("a", { class: "button quiet", href: "/register", id: "register" }, "Register"))),
    now.element,
    h("section", { class: "points" },
      point("moving", "Always clear", "See why a runner stopped (paused, standing still or offline) and how old each location is."),
      point("offline", "Nothing lost", "Offline? Your route stays on your phone and uploads later, even after a reload."),
      point("link", "Yours to share", "Keep a session private, show it to the campus, or send a link that expires.")),
    h("p", { class: "row home-about" }, h("a", { class: "link", href: "/help" }, "Help"),
      h("a", { class: "link", href: "/settings" }, "Settings"),
      h("a", { class: "link", href: "/about" }, "About Campanile")));
}

/** The log-ins of a demonstration, which others do not load. */
function samplesPart(app) {
  const place = h("div", { id: "home-samples", hidden: true });
  if ((app.config?.samples ?? []).length === 0) return place;
  import("../account/samples.js").then(({ sampleButtons }) => {
    place.replaceChildren(sampleButtons(app));
    place.hidden = false;
  }).catch(() => {
    // The log-in page has them too.
  });
  return place;
}

function actions({ isBig }) {
  const size = isBig ? " big" : "";
  return h("div", { class: "row hero-actions" },
    h("a", { class: `button primary${size}`, href: "/map", id: "watch" }, icon("map"), "Watch the map"),
    h("a", { class: `button${size}`, href: "/track", id: "track" }, icon("track"), "Track a run"),
    h("a", { class: `button${size}`, href: "/search", id: "find" }, icon("search"), "Find a place"));
}

function point(iconName, title, text) {
  return h("div", { class: "point" }, icon(iconName), h("div", {}, h("h2", {}, title), h("p", { class: "muted" }, text)));
}
