// The page behind the link of a share: one person's location, live, without an account.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { narrow } from "../map/narrow.js";
import { loadingText } from "../kit/loading.js";
import { fillFace } from "../kit/person.js";
import { makePeopleLayer } from "./peoplelayer.js";
import { runnerColour } from "../map/palette.js";
import { Board } from "./board.js";
import { ageText, placeText, rungName, sourceText, untilText } from "./words.js";
import { currentTheme } from "../kit/theme.js";
import { makeSheet } from "../kit/sheet.js";

const zooms = { exact: 17, building: 17, zone: 15.5 };
const drawMilliseconds = 1_000;

/** Serves `/l/:token`. */
export function show(root, { token }, app) {
  const page = new LinkPage(app, token);
  root.append(page.element);
  page.start();
  return () => page.close();
}

/** The card of the person. Hidden until there is an entry. */
class PersonCard {
  #app;
  #scope;
  #face = h("span", { class: "person-face", "aria-hidden": "true" });
  #place = h("strong", { id: "link-place" });
  #age = h("p", { class: "muted number", id: "link-age" });
  #more = h("p", { class: "muted small", id: "link-more" });
  #seen = h("p", { class: "muted small", id: "link-seen" });
  #centre;

  constructor(app, { scope, centre }) {
    this.#app = app;
    this.#scope = scope;
    this.#centre = h("div", { hidden: true }, h("button", { class: "button", type: "button", id: "link-centre", onclick: centre },
      icon("target"), "Show on map"));
    this.element = h("div", { class: "stack link-card", hidden: true },
      h("div", { class: "link-who" }, this.#face, h("div", { class: "grow" }, this.#place, this.#age)), this.#more, this.#centre,
      this.#seen);
  }

  draw(entry, { isLive }) {
    const { net } = this.#app;
    const { person, location } = entry;
    this.element.hidden = false;
    fillFace(this.#face, this.#scope, person);
    const { fill, ink } = runnerColour(person.account, currentTheme());
    this.#face.style.setProperty("--person", fill);
    this.#face.style.setProperty("--person-ink", ink);
    setText(this.#place, placeText(entry));
    const age = ageText(entry, location ? net.clock.age(location.at) : 0);
    setText(this.#age, isLive ? age : `Offline${age ? ` · ${age}` : ""}`);
    setText(this.#more, {
      hidden: "They're in a private place. You'll see them when they leave it.",
      none: "Waiting for their device to send a location.",
    }[entry.state] ?? (location?.source ? `Found ${sourceText(location.source)}.` : ""));
    setText(this.#seen, net.account ? `${person.name} sees your name while you watch.`
      : `${person.name} sees that someone with the link is watching, but not who.`);
    this.#centre.hidden = !Number.isFinite(location?.lat);
  }
}

class LinkPage {
  #app;
  #token;
  /** A link's token begins with the share that it opens: `42.…`. */
  #share;
  #scope;
  #board = new Board();
  #view = null;
  #layer = null;
  #subscription = null;
  #entry = null;
  /** Whether the link shows nothing any more. */
  #isOver = false;
  #isCentred = false;
  #ticker = 0;
  #stopInspection = () => {};
  #closed = new AbortController();

  #map = h("div", { class: "map", id: "map" });
  #heading = h("h1", { tabindex: "-1" }, "Shared location");
  #until = h("p", { class: "muted small", id: "link-until" }, "Shared by link. No account needed.");
  #status = h("p", { class: "muted link-card", id: "link-status", role: "status" }, "Opening…");
  #sheet = makeSheet({ label: "Shared location", initial: "half", isText: true,
    header: h("div", { class: "sheet-head" }, h("div", { class: "grow" }, this.#heading, this.#until)) });
  #card;

  constructor(app, token) {
    this.#app = app;
    this.#token = token;
    this.#share = Number(token.split(".")[0]);
    this.#scope = app.pictures.scope();
    this.#card = new PersonCard(app, { scope: this.#scope, centre: () => this.#goThere() });
    this.#sheet.body.append(this.#status, this.#card.element);
    this.element = h("div", { class: "stage" }, this.#map, this.#sheet.element);
  }

  start() {
    if (!Number.isSafeInteger(this.#share) || this.#share < 1) {
      this.#end("This link is incomplete. Ask for it again.");
      return;
    }
    const { net, known } = this.#app;
    const { signal } = this.#closed;
    const draw = () => this.#draw();
    this.#makeMap();
    net.addEventListener("state", draw, { signal });
    known.addEventListener("change", draw, { signal });
    this.#ticker = setInterval(draw, drawMilliseconds);
    this.#subscribe();
  }

  close() {
    this.#closed.abort();
    clearInterval(this.#ticker);
    this.#scope.close();
    this.#subscription?.close();
    this.#view?.destroy();
    this.#stopInspection();
  }

  async #makeMap() {
    const app = this.#app;
    try {
      const view = await makeMapView(this.#map, app, { label: "Map of the shared location", padding: () => this.#covered() });
      if (this.#closed.signal.aborted) return view.destroy();
      this.#view = view;
    } catch (error) {
      this.#map.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message));
      return undefined;
    }
    const { L, map } = this.#view;
    const layer = makePeopleLayer(L, map, { clock: app.net.clock, scope: this.#scope, onSelect: () => this.#goThere() });
    this.#layer = layer;
    this.#stopInspection = app.inspection.register({ people: () => layer.shown() });
    this.#view.whenThemeChanges(() => layer.redraw());
    this.#draw();
    return undefined;
  }

  #subscribe() {
    const { net } = this.#app;
    const share = this.#share;
    this.#subscription = net.subscribe(`share/${share}`, {
      snapshot: (snapshot) => {
        this.#board.snapshot(share, snapshot, net.clock.now());
        this.#draw();
      },
      push: (update) => {
        if (this.#board.push(share, update, net.clock.now())) this.#draw();
        else this.#end("It was stopped or has expired.");
      },
      error: (error) => this.#refused(error),
    }, { share: this.#token });
  }

  #refused(error) {
    if (error.isTransient) setText(this.#status, `${error.message} We'll keep trying.`);
    else this.#end("It was stopped or has expired, or the address is mistyped.");
  }

  #draw() {
    if (this.#isOver) return;
    const { net, known } = this.#app;
    const isLive = net.state === "live";
    const wasShown = this.#entry !== null;
    this.#board.prune(net.clock.now(), isLive);
    const [entry = null] = this.#board.entries();
    this.#entry = entry && { ...entry, person: known.shown(entry.person) };
    if (!this.#entry) {
      if (wasShown) this.#end("It has expired.");
      else if (!isLive) setText(this.#status, loadingText(net));
      return;
    }
    this.#drawEntry(this.#entry, { isLive });
  }

  #drawEntry(entry, { isLive }) {
    this.#status.hidden = true;
    setText(this.#heading, entry.person.name);
    setText(this.#until, `Shared with you ${untilText(entry.expiresAt, Date.now())}: ${rungName(entry.precision)}.`);
    this.#card.draw(entry, { isLive });
    this.#layer?.draw([entry], { isLive });
    if (this.#view && !this.#isCentred && Number.isFinite(entry.location?.lat)) {
      this.#isCentred = true;
      this.#goThere(false);
    }
  }

  /** What the sheet covers of the map. */
  #covered() {
    const { offsetWidth, offsetHeight } = this.#sheet.element;
    return narrow.matches ? { paddingTopLeft: [12, 12], paddingBottomRight: [12, offsetHeight + 8] }
      : { paddingTopLeft: [offsetWidth + 32, 24], paddingBottomRight: [24, 24] };
  }

  #goThere(animate = mayAnimate()) {
    const entry = this.#entry;
    if (!this.#view || !Number.isFinite(entry?.location?.lat)) return;
    const { map } = this.#view;
    const { paddingTopLeft: [left, top], paddingBottomRight: [right, bottom] } = this.#covered();
    const zoom = Math.max(animate ? map.getZoom() : 0, zooms[entry.precision] ?? 16);
    map.setView(map.unproject(map.project([entry.location.lat, entry.location.lon], zoom)
      .subtract([(left - right) / 2, (top - bottom) / 2]), zoom), zoom, { animate });
  }

  /** Takes everything of the person off the page. */
  #end(reason) {
    this.#isOver = true;
    this.#subscription?.close();
    this.#board.clear();
    this.#layer?.draw([], { isLive: true });
    this.#heading.textContent = "Shared location";
    setText(this.#until, "");
    this.#sheet.body.replaceChildren(
      h("div", { class: "notice bad", id: "link-gone", role: "alert" }, icon("warning"),
        h("div", {}, h("strong", {}, "This link no longer works."), h("p", {}, `${reason} Ask for a new one.`))),
      h("p", { class: "link-out" }, h("a", { class: "button", href: "/map" }, "Watch the live map")));
    announce("This link no longer works.");
  }
}
