// The members of a live group as a list: who is where, and since when.

import { block, openReport } from "../buddies/safety.js";
import { h, keepFocus, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { openMenu } from "../kit/menu.js";
import { avatar } from "../kit/person.js";
import { zoneNames } from "../pulse/heartrate.js";
import { ageText, inOrder, placeText, shareDone } from "./words.js";

/**
 * `{element, draw(), close()}` of a `LiveGroup`. `remove(username, name)` is for the host; without it nobody can be removed. A compact list
 * shows those who train, without pictures. Times go on by themselves.
 */
export function makeMemberList({ app, group, names, scope = null, remove = null, isCompact = false }) {
  const { net, known } = app;
  const element = h("ul", { class: isCompact ? "group-members is-compact" : "group-members" });
  const rows = new KeyedChildren(element);
  const nameOf = (username) => known.nameOf(username);
  const draw = () => {
    const now = net.clock.now();
    const own = net.account?.username;
    const shown = [...group.members.values()].filter(({ state }) => !isCompact || ["joined", "finished"].includes(state));
    keepFocus(element, () => rows.draw(inOrder(shown, own, nameOf).map((member) => {
      const person = known.shown({ username: member.username });
      const name = member.username === own ? "You" : nameOf(member.username);
      const mayRemove = remove !== null && group.isHost && !member.isHost && group.state === "live";
      return {
        key: member.username, sig: JSON.stringify([name, person.picture, member.isHost, mayRemove]),
        make: () => memberRow({ member, name, person, scope, isCompact, actions: isCompact || member.username === own ? []
          : actionsFor({ net, account: member.account, name, remove: mayRemove ? () => remove(member.username, name) : null }) }),
        set: (row) => drawMember(row, member, { exercise: names.of(member.position?.exercise), now, isLive: net.state === "live" }),
      };
    })));
  };
  const timer = setInterval(draw, 1_000);
  names.addEventListener("change", draw);
  return { element, draw, close() {
    clearInterval(timer);
    names.removeEventListener("change", draw);
  } };
}

/** What can be done about another member: people of a group may not know each other. */
function actionsFor({ net, account, name, remove }) {
  return [
    ...(remove ? [{ id: "remove", label: "Remove from the group", iconName: "close", run: remove }] : []),
    { id: "report", label: "Report", iconName: "flag", run: () => openReport({ net, account, name }) },
    { id: "block", label: "Block", iconName: "block", isDanger: true, run: () => block({ net, account, name }) },
  ];
}

function memberRow({ member, name, person, scope, isCompact, actions }) {
  const { username, isHost } = member;
  const label = `More about ${name}`;
  const more = actions.length === 0 ? null : h("button", { class: "icon-button", type: "button", id: `member-menu-${username}`,
    "aria-label": label, "aria-haspopup": "dialog", onclick: () => openMenu({ anchor: more, label, actions }) }, icon("more"));
  return h("li", { class: "group-member", dataset: { member: username } },
    isCompact || !scope ? null : h("span", { class: "member-face" }, avatar(scope, person, { size: 44 }), h("i", { class: "presence" })),
    h("div", { class: "grow member-text" },
      h("p", { class: "member-name" }, h("strong", {}, name), isHost && !isCompact ? h("span", { class: "tag" }, "Host") : null,
        h("span", { class: "visually-hidden", dataset: { part: "presence" } })),
      h("p", { class: "small number", dataset: { part: "place" } }),
      h("p", { class: "small muted", dataset: { part: "age" }, hidden: true }),
      h("div", { class: "goal-bar member-bar", role: "progressbar", "aria-label": `Sets done: ${name}`, "aria-valuemin": 0,
        dataset: { part: "bar" } }, h("span", {}))),
    h("span", { class: "zone-chip", dataset: { part: "zone" }, hidden: true }),
    more);
}

function drawMember(row, member, { exercise, now, isLive }) {
  const { position, state, isPresent, sharesZone } = member;
  const part = (name) => row.querySelector(`[data-part="${name}"]`);
  row.dataset.state = state;
  row.dataset.present = String(isPresent && isLive && ["joined", "finished"].includes(state));
  setText(part("presence"), state === "joined" ? (isPresent ? ", connected" : ", not connected") : "");
  setText(part("place"), placeText(member, { exercise, now }));
  const age = ageText(member, now);
  part("age").hidden = age === null;
  if (age) setText(part("age"), isPresent ? age : `Not connected. ${age}`);
  const bar = part("bar");
  const share = state === "joined" || state === "finished" ? shareDone(position) : null;
  bar.hidden = share === null;
  if (share !== null) {
    bar.setAttribute("aria-valuemax", position.setsTotal);
    bar.setAttribute("aria-valuenow", position.setsDone);
    bar.setAttribute("aria-valuetext", `${position.setsDone} of ${position.setsTotal} sets`);
    bar.firstChild.style.setProperty("width", `${share * 100}%`);
  }
  const zone = sharesZone && state === "joined" ? position?.zone ?? null : null;
  part("zone").hidden = zone === null;
  if (zone !== null) {
    part("zone").dataset.zone = zone;
    setText(part("zone"), `Zone ${zone}`);
    part("zone").title = `Heart-rate zone ${zone} of 5, ${zoneNames[zone]?.toLowerCase() ?? ""}`;
  }
}
