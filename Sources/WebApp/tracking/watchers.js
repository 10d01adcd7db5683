// Spectators of a session: their number, for the runner also their names; for a spectator, the name under which the runner sees them.

import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";

/**
 * `{element, show(presence, {isOwner, runner, account})}`: `presence` is the server's `{count, names?, more?}` or null when it is not
 * known, `runner` the watched runner's name, `account` the reader's or null. `nameOf(username)` gives a person's name. Hidden without
 * a presence.
 */
export function makeWatchers({ isOpen = false, nameOf = (username) => username } = {}) {
  const summary = h("span", { class: "number", id: "watching" });
  const names = h("ul", { class: "watcher-names", "aria-label": "Who is watching" });
  const who = h("details", { class: "watchers-who", open: isOpen }, h("summary", {}, "Who"), names);
  const note = h("p", { class: "muted small", id: "watching-note" });
  const element = h("div", { class: "watchers", hidden: true }, h("p", { class: "watchers-count" }, icon("eye"), summary), note, who);
  let listed = null;

  function show(presence, { isOwner = false, runner = null, account = null } = {}) {
    element.hidden = !presence;
    if (!presence) return;
    setText(summary, presence.count === 0 ? "Nobody is watching" : `${presence.count.toLocaleString("en")} watching`);
    setText(note, isOwner ? "" : seenBy(runner, account));
    note.hidden = isOwner;
    const lines = isOwner ? linesOf(presence, nameOf) : [];
    who.hidden = lines.length === 0;
    const key = JSON.stringify(lines);
    if (key === listed) return;
    listed = key;
    names.replaceChildren(...lines.map(({ text, isName }) => h("li", { class: isName ? "watcher-name" : "muted" }, text)));
  }

  return { element, show };
}

/** The sentence about what the runner sees of the reader. */
function seenBy(runner, account) {
  const name = runner ?? "The runner";
  return account
    ? `${name} sees your name while you watch.`
    : `${name} sees how many guests watch, but not who you are.`;
}

function linesOf({ count: all, names = [], more = 0 }, nameOf) {
  const lines = names.map((username) => ({ text: nameOf(username), isName: true }));
  const guests = all - names.length - more;
  if (more > 0) lines.push({ text: `${more.toLocaleString("en")} more logged in`, isName: false });
  if (guests > 0) lines.push({ text: count(guests, "guest"), isName: false });
  return lines;
}
