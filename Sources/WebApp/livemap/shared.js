// The page behind a link to a session: live, without an account.

import { topicCloseReasons } from "../client/registry.js";
import { announce, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { makeRunnerLayer } from "../map/runnerlayer.js";
import { Glide, Trail } from "../map/motion.js";
import { narrow } from "../map/narrow.js";
import { makeFollowCard } from "./followcard.js";
import { makeSheet } from "../kit/sheet.js";

const followZoom = 16;
const drawEveryMilliseconds = 400;
/** The runner stays so far from the edges of the free part of the map. */
const marginPixels = 60;
const routePaddingPixels = 36;

/** Shows `/s/:token`. */
export function show(root, { token }, app) {
  const page = new SharedSession(root, token, app);
  return () => page.close();
}

/** The page of a shared session. */
class SharedSession {
  #app; #token; #session; #solo; #sheet;
  #mapElement = h("div", { class: "map", id: "map" });
  #view = null;
  #layer = null;
  #card = null;
  #ticker = 0;
  #isClosed = false;
  /** Whether the map went to the runner, or to the route. */
  #isCentred = false;
  #stopInspection = () => {};

  constructor(root, token, app) {
    this.#app = app;
    this.#token = token;
    // A link's token begins with the session it opens: `42.…`.
    this.#session = Number(token.split(".")[0]);
    this.#solo = new SoloRoster(this.#session);
    const words = h("div", { class: "grow" },
      h("h1", { tabindex: "-1" }, "Shared session"), h("p", { class: "muted small" }, "Shared by link. No account needed."));
    const header = h("div", { class: "sheet-head" }, words);
    this.#sheet = makeSheet({ label: "Shared session", initial: "half", header, isText: true });
    root.append(h("div", { class: "stage is-following" }, this.#mapElement, this.#sheet.element));
    if (!Number.isSafeInteger(this.#session) || this.#session < 1) {
      this.#gone("The address is incomplete. Ask for the link again.");
      return;
    }
    makeMapView(this.#mapElement, app, { label: "Map of the shared session" })
      .then((view) => this.#attach(view), (error) => this.#gone("Check your connection and try again.", error.message));
    this.#ticker = setInterval(() => this.#update(), drawEveryMilliseconds);
  }

  close() {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    this.#card?.close();
    this.#view?.destroy();
    this.#stopInspection();
  }

  #attach(view) {
    if (this.#isClosed) return view.destroy();
    this.#view = view;
    const layer = makeRunnerLayer(view.L, { roster: this.#solo, clock: this.#app.net.clock });
    this.#layer = layer;
    layer.followed = this.#session;
    layer.addTo(view.map);
    this.#stopInspection = this.#app.inspection.register({ runners: () => layer.shown() });
    this.#card = makeFollowCard({
      app: this.#app, view, session: this.#session, share: this.#token, runner: () => null, stoppable: false, onStop: () => {},
      onGone: (_text, reason) => this.#gone(goneSentences.get(reason)),
    });
    this.#sheet.body.append(this.#card.element);
    view.whenThemeChanges(() => {
      layer.restyle();
      this.#card?.restyle();
    });
    return undefined;
  }

  #gone(sentence = goneSentence, heading = "This link no longer works.") {
    this.#card?.close();
    this.#card = null;
    this.#solo.entries.clear();
    this.#layer?.invalidate();
    this.#sheet.body.replaceChildren(
      h("div", { class: "notice bad", id: "link-gone", role: "alert" }, icon("warning"),
        h("div", {}, h("strong", {}, heading), h("p", {}, sentence))),
      h("p", {}, h("a", { class: "button", href: "/map" }, "Watch the live map")));
    announce(heading);
  }

  #update() {
    if (!this.#card || !this.#view) return;
    this.#card.update();
    const { runner } = this.#card.latest;
    if (runner) {
      this.#solo.take({ ...runner, name: this.#app.known.nameOf(runner.username ?? runner.name) });
      this.#layer.invalidate();
    } else if (this.#solo.entries.delete(this.#session)) {
      this.#layer.invalidate();
    }
    if (this.#isCentred) {
      const position = this.#solo.entries.get(this.#session)?.glide.at(performance.now());
      if (position) this.#keepInSight(position);
    } else if (this.#card.route.bounds.isValid() || runner) {
      this.#isCentred = true;
      this.#centre(runner);
    }
  }

  /** Moves the map to the runner, or to the whole route without one. */
  #centre(runner) {
    const { map } = this.#view;
    const [left, bottom] = this.#covered();
    if (runner) {
      map.setView([runner.lat, runner.lon], followZoom, { animate: false }).panBy([-left / 2, bottom / 2], { animate: false });
      return;
    }
    const padding = routePaddingPixels;
    map.fitBounds(this.#card.route.bounds, {
      paddingTopLeft: [left + padding, padding], paddingBottomRight: [padding, bottom + padding], maxZoom: 17, animate: false,
    });
  }

  /** Pixels of the map that the panel covers: from the left on wide screens, from below on narrow ones. */
  #covered() {
    const { offsetWidth, offsetHeight } = this.#sheet.element;
    return narrow.matches ? [0, offsetHeight] : [offsetWidth + 16, 0];
  }

  #keepInSight({ lat, lon }) {
    const [left, bottom] = this.#covered();
    const { map } = this.#view;
    const size = map.getSize();
    const { x, y } = map.latLngToContainerPoint([lat, lon]);
    const isInSight = x > left + marginPixels && x < size.x - marginPixels && y > marginPixels && y < size.y - bottom - marginPixels;
    if (!isInSight) map.panBy([x - (left + size.x) / 2, y - (size.y - bottom) / 2], { animate: mayAnimate() });
  }
}

/** By the server's reason for the end of a topic. */
const goneSentences = new Map([
  [topicCloseReasons.linkExpired, "It has expired. Ask the runner for a new one."],
  [topicCloseReasons.linkRevoked, "The runner has deleted it."],
]);
const goneSentence = "It may have expired or been deleted, or the address is mistyped.";

/** A roster of one, for the runner layer. */
class SoloRoster {
  entries = new Map();

  constructor(session) {
    this.session = session;
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
