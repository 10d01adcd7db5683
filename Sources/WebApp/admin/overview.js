// The console's first page: how the server is doing, and what waits for the role.

import { emptyState, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { consolePage } from "./frame.js";
import { LiveFigures } from "./livefigures.js";
import { auditTile, eventsTile, noticesTile, reportsTile } from "./tiles.js";

/** Serves `/admin`. */
export function show(root, _params, app) {
  const frame = consolePage(root, app, { part: "overview", title: "Campus admin", roles: ["admin", "lecturer", "rewards"] });
  if (!frame || frame.isRefused) return frame?.close;
  const { page, close } = frame;
  const { role } = app.net.account;
  if (role === "rewards") {
    page.append(rewardsPart());
    return close;
  }
  const part = role === "admin" ? adminPart(app) : lecturerPart(app);
  page.append(...part.elements);
  return () => {
    close();
    part.close();
  };
}

function rewardsPart() {
  return h("section", { class: "card" }, emptyState({
    id: "rewards-part", iconElement: icon("goal"), title: "Rewards are coming",
    text: "You'll set up rewards for step goals and the leaderboard here. There is nothing to do yet.",
  }));
}

function adminPart(app) {
  const figures = new LiveFigures(app);
  const reports = reportsTile(app);
  const tiles = [reports, eventsTile(app, { title: "Next events" }), noticesTile(app), auditTile(app)];
  const closed = new AbortController();
  app.chat.addEventListener("report", () => reports.load(), { signal: closed.signal });
  return {
    elements: [figures.element, tileGrid(tiles)],
    close() {
      closed.abort();
      for (const part of [figures, ...tiles]) part.close();
    },
  };
}

function lecturerPart(app) {
  const tiles = [eventsTile(app, { title: "Events on campus" }), noticesTile(app)];
  const intro = "Announce events to the whole campus, and send notices to the people they concern.";
  return {
    elements: [h("p", { class: "lead" }, intro), tileGrid(tiles)],
    close() {
      for (const tile of tiles) tile.close();
    },
  };
}

const tileGrid = (tiles) => h("div", { class: "tiles" }, ...tiles.map(({ element }) => element));
