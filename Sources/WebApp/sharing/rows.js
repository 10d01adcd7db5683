// Rows of the sharing page: a share of mine, one of somebody else's, a question, one that is over.

import { h, setText } from "../kit/dom.js";
import { ago, capital } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { listTime } from "../kit/times.js";
import { audienceName, directionsTo, endText, endsText, questionText, rungName, untilText, watchingText } from "./words.js";
import { openMenu } from "../kit/menu.js";
import { avatar } from "../kit/person.js";
import { block, openReport } from "../buddies/safety.js";

const marks = { person: "account", group: "group", campus: "map", link: "link" };
const small = (label, id, run, name, kind = "") => h("button",
  { class: `button small-button ${kind}`, type: "button", dataset: { action: id }, "aria-label": name, onclick: run }, label);

/** The face of somebody whom the account knows, else a sign. */
export function shareMark(scope, person, name) {
  return person?.picture || person?.gender ? avatar(scope, person, { size: 36 }) : icon(name);
}

const part = (element, css) => element.querySelector(css);

// A row is made once, and `set…` writes into it what changes with time: its buttons stay, with the finger or the focus that is on them.

/** One of mine that works; `setMine` fills it. */
export function mineRow(share, { scope, stop, change, who }) {
  const name = audienceName(share);
  return h("li", { class: "row-item share-row", dataset: { share: share.id } },
    shareMark(scope, share.person, marks[share.audience] ?? "share"),
    h("div", { class: "grow" }, h("strong", {}, name), h("p", { class: "muted small share-what" }),
      h("p", { class: "small share-watching" }, icon("eye"), h("span", {}))),
    h("div", { class: "row share-actions" }, small("Who watched", "who", who, `Who watched: ${name}`),
      small("Change", "change", change, `Change what you share with ${name}`),
      small("Stop", "stop", stop, `Stop sharing with ${name}`, "danger")));
}

export function setMine(element, share, { now, isStopping }) {
  const tied = share.session ? `, ${untilText(share.expiresAt, now)} at the latest` : "";
  setText(part(element, ".share-what"), `${capital(rungName(share.precision))} · ${endsText(share, now)}${tied}`);
  setText(part(element, ".share-watching span"), isStopping ? "Stopping…" : capital(watchingText([share])));
  for (const action of ["change", "stop"]) part(element, `[data-action=${action}]`).hidden = isStopping;
}

/**
 * Button with a menu of actions on a person that sharing shows, buddy or stranger. After a block the server sends `resync`, and the lists
 * are loaded again; `blocked()` is for everything else.
 */
export function personMenu({ net }, { account, name }, blocked = () => {}) {
  const actions = [
    { id: "block", label: "Block", iconName: "block", isDanger: true,
      run: async () => { if (await block({ net, account, name })) blocked(); } },
    { id: "report", label: "Report", iconName: "flag", run: () => openReport({ net, account, name }) },
  ];
  const button = h("button", { class: "icon-button", type: "button", "aria-label": `More for ${name}`, "aria-haspopup": "dialog",
    dataset: { action: "person" }, onclick: () => openMenu({ anchor: button, label: name, actions }) }, icon("more"));
  return button;
}

/** One of somebody else's, with what can be done about them; `setWithMe` fills it. */
export function withMeRow(share, { scope, hide, menu }) {
  const { person, person: { name }, audience } = share;
  return h("li", { class: "row-item share-row", dataset: { share: share.id } }, shareMark(scope, person, marks[audience] ?? "share"),
    h("div", { class: "grow" }, h("strong", {}, name), h("p", { class: "muted small share-what" }),
      h("p", { class: "small share-hidden" }, "Hidden on this device's map.")),
    h("div", { class: "row share-actions" },
      h("a", { class: "button small-button", href: `/map?share=${share.id}`, "aria-label": `Show ${name} on the map` }, "Show on map"),
      share.precision === "exact" ? h("a", { class: "button small-button", href: directionsTo(person),
        "aria-label": `Directions to ${name}` }, "Directions") : null,
      small("", "hide", hide, "")), menu);
}

/** What a stranger wants to share; `setInvitation` fills it. */
export function invitationRow({ id, person: { name } }, { accept, decline, menu }) {
  return h("li", { class: "row-item share-row", dataset: { invitation: id } }, icon("share"),
    h("div", { class: "grow" }, h("strong", {}, `${name} wants to share their location with you`),
      h("p", { class: "muted small share-what" })),
    h("div", { class: "row share-actions" }, small("Accept", "accept", accept, `Accept what ${name} shares`, "primary"),
      small("Decline", "decline", decline, `Decline what ${name} shares`)), menu);
}

export function setInvitation(element, { person: { name }, precision, expiresAt }, { now }) {
  setText(part(element, ".share-what"),
    `${capital(rungName(precision))} · ${untilText(expiresAt, now)} · ${name} won't know if you saw or declined this.`);
}

export function setWithMe(element, { person: { name }, audience, precision, expiresAt }, { now, isHidden }) {
  setText(part(element, ".share-what"),
    `${capital(rungName(precision))} · ${untilText(expiresAt, now)}${audience === "group" ? " · with a group you're in" : ""}`);
  part(element, ".share-hidden").hidden = !isHidden;
  const button = part(element, "[data-action=hide]");
  setText(button, isHidden ? "Show" : "Hide");
  button.setAttribute("aria-label", isHidden ? `Show ${name}` : `Hide ${name}`);
}

/** A question to me, or one of mine; `setQuestion` fills it. */
export function questionRow(request, { scope, isToMe = false, answer = null, read = null, menu = null }) {
  const person = isToMe ? request.from : request.to;
  const { name } = person;
  return h("li", { class: "row-item share-row", dataset: { question: request.id, state: request.state } },
    shareMark(scope, person, "question"),
    h("div", { class: "grow" }, h("strong", {}, isToMe ? `${name} asked for your location` : name),
      h("p", { class: "muted small share-what" })),
    isToMe ? h("div", { class: "row share-actions" }, small("Answer…", "answer", answer, `Answer ${name}`, "primary"))
      : request.state === "answered"
        ? h("div", { class: "row share-actions" }, small("View once", "read", read, `View ${name}'s answer once`, "primary")) : null, menu);
}

export function setQuestion(element, request, { now, isToMe = false }) {
  const asked = ago((now - Date.parse(request.at)) / 1000);
  const left = Math.max(0, Math.ceil((Date.parse(request.expiresAt) - now) / 60_000));
  const isWaiting = ["open", "answered"].includes(request.state);
  setText(part(element, ".share-what"),
    [isToMe ? `Asked ${asked}` : `${questionText(request)}, asked ${asked}`, isWaiting ? `${left} min left` : null].filter(Boolean)
    .join(" · "));
}

/** One of mine that is over. */
export function pastRow(share, { scope, who }) {
  const name = audienceName(share);
  const ended = share.endedAt ?? share.expiresAt;
  return h("li", { class: "row-item share-row", dataset: { share: share.id } },
    shareMark(scope, share.person, marks[share.audience] ?? "share"),
    h("div", { class: "grow" }, h("strong", {}, name),
      h("p", { class: "muted small" },
        `${capital(rungName(share.precision))} · ${listTime(share.startedAt)} to ${listTime(ended)}: ${endText(share.end)}`)),
    h("div", { class: "row share-actions" }, small("Who watched", "who", who, `Who watched: ${name}`)));
}
