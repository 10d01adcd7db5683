// The start page: what Campanile is, how many run now, and where to go; for who is signed in, what concerns them first.

import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isInBox, wholeCampus } from "../client/viewport.js";
import { makeComingUp } from "./comingup.js";
import { makeGoalCard } from "../history/goalcard.js";
import { makeHomeNotices } from "./notices.js";

export function show(root, _params, app) {
  const { net, roster, config, router } = app;
  const number = h("strong", { id: "runner-count", class: "number" }, "–");
  const what = h("span", { id: "runner-count-text" }, "Connecting to the campus…");
  const account = net.account;
  const campusName = config?.campus?.name;

  const now = h("section", { class: "card now", "aria-label": "Right now" },
    h("div", { class: "now-figure" }, number, what),
    h("a", { class: "now-link", href: "/map" }, "See who is out", icon("arrow")),
    config?.demo ? h("p", { class: "notice small", id: "demo-note" }, "Demo: the runners are samples, not people.") : null);
  const actions = h("div", { class: "row hero-actions" },
    h("a", { class: account ? "button primary" : "button primary big", href: "/map", id: "watch" }, icon("map"), "Watch the map"),
    h("a", { class: account ? "button" : "button big", href: "/track", id: "track" }, icon("track"), "Track a run"));
  const parts = account ? [makeHomeNotices(app), makeComingUp(app), makeGoalCard(app, { isWhole: false })] : [];

  if (account) {
    const [notices, comingUp, goal] = parts;
    root.append(h("div", { class: "home is-member" },
      h("section", { class: "hero" }, h("h1", { tabindex: "-1" }, `Hello, ${account.username}`), actions),
      h("div", { class: "home-feed" }, notices.element, comingUp.element, h("div", { class: "home-figures" }, goal.element, now))));
  } else {
    root.append(h("div", { class: "home" },
      h("section", { class: "hero" },
        h("p", { class: "eyebrow" }, campusName ?? "Live on campus"),
        h("h1", { tabindex: "-1" }, "Every run on campus, live on one map."),
        h("p", { class: "lead" }, "Campanile shows runners and riders as they move, and tracks your own runs and rides: saved as you go, private until you share them."),
        actions,
        h("p", { class: "row account-links" }, h("a", { class: "button quiet", href: "/login", id: "login" }, "Log in"), config?.registration === "closed" ? null : h("a", { class: "button quiet", href: "/register", id: "register" }, "Register"))),
      now,
      h("section", { class: "points" },
        point("moving", "Honest dots", "You see why a runner stands still: paused, standing, or offline, and how old each position is."),
        point("offline", "Nothing lost", "No network? Points wait on your phone and are sent when it is back, even after a reload."),
        point("link", "Yours to share", "Keep a session private, show it to the campus, or send one link that expires."))));
  }

  const draw = () => {
    const known = roster.isKnown;
    const { box } = wholeCampus(net.campus);
    const out = roster.countOut((place) => isInBox(place, box));
    setText(number, known ? out.toLocaleString("en") : "–");
    const tellsLive = net.state === "live" ? "" : " when last heard";
    setText(what, known ? `${count(out, "runner").replace(/^\S+ /, "")} out right now${tellsLive}` : net.state === "live" ? "Counting…" : "Waiting for the network…");
  };
  const watch = roster.watch();
  const look = () => {
    const { box, zoom } = wholeCampus(net.campus);
    watch.look(box, zoom);
    draw();
  };
  roster.addEventListener("change", draw);
  net.addEventListener("state", look);
  look();
  // The account is known a moment after the page when only its token was kept.
  const enter = () => router.go("/", { replace: true });
  net.addEventListener("account", enter);
  return () => {
    net.removeEventListener("account", enter);
    for (const part of parts) part.close();
    roster.removeEventListener("change", draw);
    net.removeEventListener("state", look);
    watch.close();
  };
}

function point(iconName, title, text) {
  return h("div", { class: "point" }, icon(iconName), h("div", {}, h("h2", {}, title), h("p", { class: "muted" }, text)));
}
