// Live groups: invitations, and those that the account is in.

import { followWaiting } from "../connection/waitingmethods.js";
import { attempt } from "../kit/dialog.js";
import { emptyState, h, keepFocus } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeLoadable } from "../kit/loadable.js";
import { waitingLine } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { listTime } from "../kit/times.js";
import { followGroups } from "./signals.js";
import { groupText } from "./words.js";

await loadStyles("/app/together/together.css");

/** Serves `/together`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/together")) return undefined;
  const { net } = app;
  const end = new AbortController();
  const place = h("div", { class: "stack", id: "groups" });
  let groups = [];
  const draw = () => keepFocus(place, () => place.replaceChildren(...content(app, groups, () => part.load())));
  const part = makeLoadable({ net, fetch: () => net.request("together.list"), draw: (reply) => {
    ({ groups } = reply);
    draw();
    part.element.append(place);
  } });
  root.append(h("div", { class: "page stack group-page" }, h("div", { class: "group-head" }, h("h1", { tabindex: "-1" }, "Train together"),
    h("a", { class: "button primary", href: "/together/new", id: "new-group-link" }, icon("plus"), "New group")), part.element));
  leaveWhenSignedOut(app, end.signal);
  const drawLoaded = () => { if (part.isLoaded) draw(); };
  app.known.addEventListener("change", drawLoaded, { signal: end.signal });
  followWaiting(net.writes, ({ method }) => method === "together.leave", () => {
    drawLoaded();
    if (net.state === "live") part.load();
  }, end.signal);
  const signals = followGroups(net, () => part.load());
  part.load();
  return () => {
    end.abort();
    signals.close();
    part.close();
  };
}

function content(app, groups, changed) {
  const own = app.net.account?.username;
  const stateOf = ({ members }) => members.find(({ username }) => username === own)?.state ?? "invited";
  const invited = groups.filter((group) => stateOf(group) === "invited");
  const others = groups.filter((group) => stateOf(group) !== "invited");
  if (groups.length === 0) {
    return [emptyState({ id: "no-groups", iconElement: icon("buddies"), title: "Nobody is training with you now",
      text: "Do a workout with your buddies, in one place or apart, and see how far everyone is.",
      action: h("a", { class: "button primary", href: "/together/new" }, "Start a group") })];
  }
  const section = (id, title, rows) => (rows.length === 0 ? null
    : h("section", { class: "stack", "aria-labelledby": id }, h("h2", { id }, title), h("ul", { class: "group-rows" }, ...rows)));
  return [
    section("invited-title", "Invitations", invited.map((group) => row(app, group, { changed, isInvited: true }))),
    section("groups-title", "Your groups", others.map((group) => row(app, group, { changed, left: stateOf(group) === "left" }))),
  ].filter(Boolean);
}

function row({ net, known }, { id, title, host, createdAt, members, participants }, { changed, isInvited = false, left = false }) {
  const hostText = host === net.account?.username ? "You started it" : `${known.nameOf(host)} ${isInvited ? "invites you" : "started it"}`;
  const label = isInvited ? "Join" : left ? "Come back" : "Open";
  const isLeaving = net.writes.waiting.some(({ method, params }) => method === "together.leave" && params.group === id);
  // Null waits for the connection: the server's list is the same until then.
  const decline = () => attempt(async () => { if (await net.writes.write("together.leave", { group: id })) changed(); });
  return h("li", { class: "card group-row", dataset: { group: id } },
    h("div", { class: "grow" }, h("h3", {}, h("a", { href: `/together/${id}` }, title)),
      h("p", { class: "muted small" }, `${hostText}, ${listTime(Date.parse(createdAt), net.clock.now())}`),
      h("p", { class: "small" }, groupText({ members, participants }))),
    isLeaving ? waitingLine() : h("div", { class: "row" },
      h("a", { class: "button primary", href: `/together/${id}`, "aria-label": `${label}: ${title}` }, label),
      isInvited ? h("button", { class: "button", type: "button", "aria-label": `Decline: ${title}`, onclick: decline }, "Decline") : null));
}
