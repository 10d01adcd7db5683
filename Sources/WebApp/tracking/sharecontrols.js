// The audience of a session, and links that open it to their holders until they expire or are revoked.

import { followWaiting } from "../connection/waitingmethods.js";
import { announce, h, toast } from "../kit/dom.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeLoadable, whenLive } from "../kit/loadable.js";
import { makeSaved, waitingLine } from "../kit/saved.js";
import { audienceChoices } from "./start.js";

/** Seconds, and the words for them. */
const expiries = [[3600, "1 hour"], [86_400, "1 day"], [604_800, "1 week"], [2_592_000, "30 days"]];
const expiryDefault = 86_400;

/** Makes the share section of `session` (its id); `onAudience(session)` is called after a change. Returns the element. */
export function makeShareControls({ net, session, audience, onAudience = (_session) => {} }) {
  const problem = h("p", { class: "problem", role: "alert" });
  const known = followAudience(net.writes, { session, audience });
  const links = makeLinks({ net, session, problem, attempt, signal: known.ended });

  async function attempt(work) {
    problem.textContent = "";
    try {
      await work();
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  async function setAudience(value) {
    const result = await net.writes.write("tracking.audience", { session, audience: value }, { before: known.audience });
    if (!result) return;
    known.audience = value;
    announce(`Who can see it: ${value}.`);
    onAudience(result.session);
  }

  return h("section", { class: "card stack share", id: "share" }, h("h2", {}, "Share"),
    audienceChoices({
      name: `audience-${session}`, value: audience, isProvisional: Boolean(net.account?.confirmBy),
      onChange: (value) => attempt(() => setAudience(value)),
    }),
    known.note.element, links);
}

/** The element that makes links of a session and lists them. `attempt(work)` shows a failure in `problem`. Ends with `signal`. */
function makeLinks({ net, session, problem, attempt, signal }) {
  const links = makeLinkList({ net, session, revoke: (link) => attempt(() => revoke(link)) });
  const expiry = h("select", { id: "link-expiry" },
    ...expiries.map(([seconds, name]) => h("option", { value: seconds, selected: seconds === expiryDefault }, name)));
  const made = h("div", { class: "stack", id: "new-link", hidden: true });
  const make = h("button", {
    class: "button", type: "button", id: "make-link", onclick: () => attempt(makeLink),
  }, icon("link"), "Create link");
  followWaiting(net.writes, isLinkOf(session), () => { links.load(); }, signal);

  async function makeLink() {
    const { link } = await net.request("tracking.link", { session, expiresIn: Number(expiry.value) });
    const url = new URL(link.path, location.origin).href;
    const field = h("input", {
      class: "input", id: "link-url", readonly: true, value: url, "aria-label": "The link", onfocus: (event) => event.target.select(),
    });
    made.hidden = false;
    made.replaceChildren(...newLink(field, () => copy(field)));
    announce("Link ready.");
    field.focus();
    await links.load();
  }

  async function copy(field) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      toast("Link copied.");
      announce("Link copied.");
    } catch {
      problem.textContent = "Couldn't copy. The link is selected, so you can copy it yourself.";
    }
  }

  async function revoke(link) {
    const isSent = await net.writes.write("tracking.unlink", { session, link: link.id });
    made.hidden = true;
    made.replaceChildren();
    if (isSent) announce("Link deleted.");
    await links.load();
  }

  links.load();
  return h("div", { class: "stack link-maker" }, h("h3", {}, "Share by link"),
    h("div", { class: "row" }, h("label", { for: "link-expiry" }, "Expires after"), h("span", { class: "select-narrow" }, expiry), make),
    made, links.element, problem);
}

/** The links of a session: `{element, load()}`. `revoke(link)` is called by the button of one. */
function makeLinkList({ net, session, revoke }) {
  const list = h("ul", { class: "rows", id: "links" });
  const loadable = makeLoadable({ net, fetch: () => net.read("tracking.links", { session }), draw: ({ links }) => {
    list.replaceChildren(...links.map((link) => linkRow(link, () => revoke(link))));
  } });
  const element = h("div", {}, loadable.element, list);
  // The section has no end of its own: it ends with its page.
  const stopFollowing = whenLive(net, () => {
    if (element.isConnected) return;
    loadable.close();
    stopFollowing();
  });
  return { element, load: () => loadable.load() };
}

const isAudienceOf = (session) => ({ method, subject }) => method === "tracking.audience" && subject === session;
const isLinkOf = (session) => ({ method, params }) => method === "tracking.unlink" && params.session === session;

/**
 * `{audience, note, ended}`: the audience as the server has it, as far as this device knows, a note that says when a change waits, and a
 * signal that is aborted once the note has left the page.
 */
function followAudience(writes, { session, audience }) {
  const note = makeSaved();
  const ended = endWith(writes, note.element);
  // The audience that the page has may be one that waits.
  const known = { audience: writes.before("tracking.audience", session) ?? audience, note, ended };
  note.follow(writes, isAudienceOf(session), ended);
  writes.addEventListener("sent", ({ detail: { method, params } }) => {
    if (method === "tracking.audience" && params.session === session) known.audience = params.audience;
  }, { signal: ended });
  return known;
}

/** Aborted once the element, which was on the page, has left it: the section has no end of its own. */
function endWith(writes, element) {
  const ended = new AbortController();
  let wasShown = false;
  writes.addEventListener("change", () => {
    if (wasShown && !element.isConnected) ended.abort();
    wasShown ||= element.isConnected;
  }, { signal: ended.signal });
  return ended.signal;
}

/** A link that was made: `field` has it. */
function newLink(field, copy) {
  const button = h("button", { class: "button primary", type: "button", id: "copy-link", onclick: copy }, icon("copy"), "Copy");
  return [
    h("p", { class: "small" }, h("strong", {}, "Copy it now: "),
      "you won't see it again. Anyone with the link sees this session."),
    h("div", { class: "copy-row" }, field, button)];
}

function linkRow({ id, expiresAt, isWaiting = false }, revoke) {
  return h("li", { class: "row-item", dataset: { link: id } }, icon("link"),
    h("div", { class: "grow" }, h("strong", {}, `Link ${id}`),
      h("p", { class: "muted small" }, isWaiting ? "Deleted when you're back online" : `Until ${momentText(expiresAt)}`),
      isWaiting ? waitingLine() : null),
    isWaiting ? null
      : h("button", { class: "button quiet", type: "button", "aria-label": `Delete link ${id}`, onclick: revoke }, "Delete"));
}
