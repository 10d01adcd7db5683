// The panel of the live map: the number of runners in view, the followed runner, people, crowds, and the list of runners.

import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { toUnit } from "../client/mercator.js";
import { makeClusterList } from "./clusterlist.js";
import { makeRunnerList } from "./runnerlist.js";
import { makeKeptNote } from "../kit/loading.js";
import { makeSheet } from "../kit/sheet.js";

/** The panel's heading and lists. */
export class MapPanel {
  /** The sheet that the panel is, as `makeSheet` has it. */
  sheet;
  /** Nobody reads the lists while the map is dragged, and the finger comes first. */
  isMapDragged = false;

  #net; #roster; #seen;
  #counter = h("p", { class: "muted small", id: "map-count" }, "");
  #kept = makeKeptNote("map-kept");
  #crowds;
  #list;

  /**
   * `seen` is the visible part of the map, `followed()` the followed session; `clusters()` gives the crowds on the map, `centre()` its
   * middle; `onSelect(session)` and `onZoom(cluster)` are called for rows.
   */
  constructor({ net, roster, config }, { seen, followed, clusters, centre, onSelect, onZoom }) {
    this.#net = net;
    this.#roster = roster;
    this.#seen = seen;
    const heading = h("h1", { tabindex: "-1" }, "Live map");
    const header = h("div", { class: "sheet-head" }, h("div", { class: "grow" }, heading, this.#counter));
    if (config?.demo) header.append(h("span", { class: "tag", title: "These runners are simulated." }, "Demo"));
    const label = "Search the campus";
    header.append(h("a", { class: "icon-button", href: "/search", id: "to-search", "aria-label": label, title: label }, icon("search")));
    this.sheet = makeSheet({ label: "Runners", initial: "half", header });
    this.#list = makeRunnerList({
      roster, net, onSelect, followed, isSeen: (runner) => seen.has(runner), seesCampus: () => seen.hasCampus,
    });
    this.#crowds = makeClusterList({
      clusters: () => clusters().filter((cluster) => seen.has(cluster)),
      middle: () => {
        const { lat, lng } = centre();
        return toUnit(lat, lng);
      },
      onSelect: onZoom,
      onFocusLost: () => heading.focus({ preventScroll: true }),
    });
    this.sheet.body.append(this.#kept.element, this.#crowds.element, this.#list.element);
  }

  /** Puts the card and the people above the lists. */
  fill(card, people) {
    this.sheet.body.prepend(card, people);
  }

  /** Draws the number of runners and the lists. */
  draw() {
    const runners = count(this.#roster.countOut((runner) => this.#seen.has(runner)), "runner");
    const isLive = this.#net.state === "live";
    setText(this.#counter, this.#roster.isKnown ? `${runners} in view${isLive ? "" : " when last updated"}` : "");
    this.#kept.draw(this.#net.state === "live" ? null : this.#roster.keptAt);
    this.drawLists();
  }

  /** Draws the lists with the times as they are now. */
  drawLists() {
    if (this.isMapDragged) return;
    this.#list.update({ hasCrowds: this.#crowds.update() > 0 || this.#hasUndrawnCrowds });
  }

  /** Whether the server has sent crowds while there is no map yet whose zoom decides which of them are one. */
  get #hasUndrawnCrowds() {
    return this.#seen.box === null && [...this.#roster.clusters.values()].some((clusters) => clusters.length > 0);
  }

  /** Draws the list of runners after a change of what is marked in it. */
  drawRunners() {
    this.#list.update();
  }
}
