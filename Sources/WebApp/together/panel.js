// The people of a live group, beside a guided session.

import { h, setText } from "../kit/dom.js";
import { loadStyles } from "../kit/styles.js";
import { ExerciseNames, LiveGroup } from "./livegroup.js";
import { makeMemberList } from "./members.js";
import { ageOf, closedText, connectionText } from "./words.js";
import { makeZoneSwitch } from "./zoneswitch.js";

/** `{element, sharesZone, close()}` of the live group with this UUID. `sharesZone`: whether the others see the caller's heart-rate zone. */
export function groupPanel(id, app) {
  const { net } = app;
  const end = new AbortController();
  const group = new LiveGroup(net, id);
  const names = new ExerciseNames(net);
  const members = makeMemberList({ app, group, names, isCompact: true });
  // Only the state is read out, not the age, which is another each second.
  const state = h("span", { role: "status" });
  const age = h("span", {});
  const note = h("p", { class: "muted small" }, state, " ", age);
  const zone = makeZoneSwitch({ group, id: "panel-shares-zone", hint: null, changed: ({ exercises }) => names.know(exercises) });
  const heading = h("a", { href: `/together/${id}` }, "Training together");
  const element = h("section", { class: "card stack tight group-panel", "aria-label": "Training together" },
    h("h2", {}, heading), note, members.element, zone.element);
  const draw = () => {
    setText(heading, group.info?.title ?? "Training together");
    const isOver = ["closed", "failed"].includes(group.state);
    setText(state, stateText(net, group));
    setText(age, net.state === "live" || isOver ? "" : ageOf(net, group.receivedAt));
    note.classList.toggle("is-empty", state.textContent === "");
    members.element.hidden = isOver;
    zone.element.hidden = isOver || group.own?.state !== "joined";
    zone.draw();
    members.draw();
  };
  loadStyles("/app/together/together.css");
  group.addEventListener("change", draw, { signal: end.signal });
  net.addEventListener("state", draw, { signal: end.signal });
  const timer = setInterval(draw, 1_000);
  draw();
  return {
    element,
    get sharesZone() { return group.own?.sharesZone ?? false; },
    close() {
      end.abort();
      clearInterval(timer);
      members.close();
      group.close();
    },
  };
}

function stateText(net, { state, reason }) {
  if (state === "closed") return closedText(reason);
  if (state === "failed") return "Couldn't show the others.";
  if (net.state !== "live") return connectionText(net);
  return state === "loading" ? "Connecting to the others…" : "";
}
