// The page behind a link to a session: live, without an account.

import { announce, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView, mayAnimate } from "../map/mapview.js";
import { makeRunnerLayer } from "../map/runnerlayer.js";
import { Glide, Trail } from "../client/motion.js";
import { narrow } from "../map/narrow.js";
import { makeFollowCard } from "./followcard.js";
import { makeSheet } from "../kit/sheet.js";

const followZoom = 16;

export function show(root, { token }, app) {
  // A link's token begins with the session it opens: `42.…`.
  const session = Number(token.split(".")[0]);
  let view = null;
  let layer = null;
  let card = null;
  let closed = false;
  let centred = false;
  const solo = new SoloRoster(session, app.roster);
  const mapElement = h("div", { class: "map", id: "map" });
  const header = h("div", { class: "sheet-head" }, h("div", { class: "grow" }, h("h1", { tabindex: "-1" }, "Shared session"), h("p", { class: "muted small" }, "Opened by a link. No account needed.")));
  const sheet = makeSheet({ label: "Shared session", initial: "half", header });
  root.append(h("div", { class: "stage is-following" }, mapElement, sheet.element));

  if (!Number.isSafeInteger(session) || session < 1) {
    gone("This link is not complete. Ask for it again.");
    return () => {};
  }

  makeMapView(mapElement, app, { label: "Map of the shared session" }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    layer = makeRunnerLayer(view.L, { roster: solo, clock: app.net.clock });
    layer.followed = session;
    layer.addTo(view.map);
    app.shownRunners = () => layer.shown();
    card = makeFollowCard({ app, view, session, share: token, runner: () => null, stoppable: false, onGone: gone, onStop: () => {} });
    sheet.body.append(card.element);
    view.whenThemeChanges(() => { layer.restyle(); card.restyle(); });
    return undefined;
  }, (error) => gone(error.message));

  function gone(text, reason) {
    card?.close();
    card = null;
    solo.entries.clear();
    layer?.invalidate();
    sheet.body.replaceChildren(h("div", { class: "notice bad", id: "link-gone", role: "alert" }, icon("warning"),
      h("div", {}, h("strong", {}, "This link does not work any more."), h("p", {}, sentence(text, reason)))), h("p", {}, h("a", { class: "button", href: "/map" }, "Watch the live map")));
    announce("This link does not work any more.");
  }

  function update() {
    if (!card || !view) return;
    card.update();
    const { runner } = card.latest;
    if (runner) {
      solo.take({ ...runner, name: app.known.nameOf(runner.username ?? runner.name) });
      layer.invalidate();
    } else if (solo.entries.delete(session)) {
      layer.invalidate();
    }
    if (centred) {
      const position = solo.entries.get(session)?.glide.at(performance.now());
      if (position) keepInSight(position);
    } else if (card.route.bounds.isValid() || runner) {
      centred = true;
      const [left, bottom] = covered();
      if (runner) view.map.setView([runner.lat, runner.lon], followZoom, { animate: false }).panBy([-left / 2, bottom / 2], { animate: false });
      else view.map.fitBounds(card.route.bounds, { paddingTopLeft: [left + 36, 36], paddingBottomRight: [36, bottom + 36], maxZoom: 17, animate: false });
    }
  }

  /** Pixels of the map that the panel covers: from the left on wide screens, from below on narrow ones. */
  function covered() {
    return narrow.matches ? [0, sheet.element.offsetHeight] : [sheet.element.offsetWidth + 16, 0];
  }

  function keepInSight({ lat, lon }) {
    const [left, bottom] = covered();
    const { map } = view;
    const size = map.getSize();
    const at = map.latLngToContainerPoint([lat, lon]);
    const margin = 60;
    if (at.x > left + margin && at.x < size.x - margin && at.y > margin && at.y < size.y - bottom - margin) return;
    map.panBy([at.x - (left + size.x) / 2, at.y - (size.y - bottom) / 2], { animate: mayAnimate() });
  }

  const ticker = setInterval(update, 400);
  return () => {
    closed = true;
    clearInterval(ticker);
    card?.close();
    view?.destroy();
    app.shownRunners = () => [];
  };
}

function sentence(text, reason) {
  if (/expired/i.test(`${reason} ${text}`)) return "It has expired. Ask its owner for a new one.";
  if (/revoked|hidden/i.test(`${reason} ${text}`)) return "Its owner has revoked it.";
  return `It has expired or was revoked by its owner, or it was mistyped.${text ? ` (${text})` : ""}`;
}

/** A roster of one, for the runner layer. */
class SoloRoster {
  entries = new Map();

  constructor(session, roster) {
    this.session = session;
    this.roster = roster;
  }

  take(runner) {
    const now = performance.now();
    const entry = this.entries.get(this.session);
    if (!entry) {
      this.entries.set(this.session, { runner, glide: new Glide(runner, now), trail: new Trail() });
      return;
    }
    if (entry.runner.at !== runner.at) entry.glide.moveTo(runner, now, { animate: mayAnimate(), rate: runner.rate ?? 1 });
    entry.runner = runner;
  }
}
