// The people of a live group, beside a guided session.

import { h, setText } from "../kit/dom.js";
import { loadStyles } from "../kit/styles.js";
import { ExerciseNames, LiveGroup } from "./livegroup.js";
import { makeMemberList } from "./members.js";
import { closedText, staleText } from "./words.js";

/** `{element, sharesZone, close()}` of the live group with this UUID. `sharesZone`: whether the others see the caller's heart-rate zone. */
export function groupPanel(id, app) {
  const { net } = app;
  const end = new AbortController();
  const group = new LiveGroup(net, id);
  const names = new ExerciseNames(net);
  const members = makeMemberList({ app, group, names, isCompact: true });
  const note = h("p", { class: "muted small", role: "status", hidden: true });
  const heading = h("a", { href: `/together/${id}` }, "Training together");
  const element = h("section", { class: "card stack tight group-panel", "aria-label": "Training together" },
    h("h2", {}, heading), note, members.element);
  const draw = () => {
    setText(heading, group.info?.title ?? "Training together");
    setText(note, noteText(net, group));
    note.hidden = note.textContent === "";
    members.element.hidden = group.state === "closed" || group.state === "failed";
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

function noteText(net, { state, reason, receivedAt }) {
  if (state === "closed") return closedText(reason);
  if (state === "failed") return "The others can't be shown.";
  if (state === "loading") return "Connecting to the others…";
  return net.state === "live" ? "" : staleText(net, receivedAt);
}
