// The card of the start page with the number of runners on the campus.

import { isInBox, wholeCampus } from "../client/viewport.js";
import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isFirstAttempt } from "../kit/loading.js";

/** A card; `close` ends its view of the campus. */
export class RunnerCount {
  #net;
  #roster;
  #watch;
  #end = new AbortController();
  #number = h("strong", { id: "runner-count", class: "number" }, "–");
  #text = h("span", { id: "runner-count-text" });

  constructor({ net, roster, config }) {
    const { signal } = this.#end;
    this.#net = net;
    this.#roster = roster;
    this.element = h("section", { class: "card now", "aria-label": "Right now" },
      h("div", { class: "now-figure" }, this.#number, this.#text),
      h("a", { class: "now-link", href: "/map" }, "See who's out", icon("arrow")),
      config?.demo ? h("p", { class: "notice small", id: "demo-note" }, "Demo: these runners are simulated.") : null);
    this.#watch = roster.watch();
    roster.addEventListener("change", () => this.#draw(), { signal });
    net.addEventListener("state", () => this.#watchCampus(), { signal });
    this.#watchCampus();
  }

  close() {
    this.#end.abort();
    this.#watch.close();
  }

  #watchCampus() {
    const { box, zoom } = wholeCampus(this.#net.campus);
    this.#watch.look(box, zoom);
    this.#draw();
  }

  #draw() {
    const { box } = wholeCampus(this.#net.campus);
    const out = this.#roster.countOut((place) => isInBox(place, box));
    setText(this.#number, this.#roster.isKnown ? out.toLocaleString("en") : "–");
    setText(this.#text, this.#textFor(out));
  }

  #textFor(out) {
    const isLive = this.#net.state === "live";
    if (!this.#roster.isKnown && this.#net.state === "offline") return "You're offline";
    if (!this.#roster.isKnown) return isLive || isFirstAttempt(this.#net) ? "Counting…" : "Waiting for connection…";
    return `${count(out, "runner").replace(/^\S+ /, "")} out right now${isLive ? "" : " when last updated"}`;
  }
}
