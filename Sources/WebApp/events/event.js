// One event: when, where, who comes, one's answer, and what its owner can do.

import { announce, h, setText, toast } from "../kit/dom.js";
import { lengthOf, phaseOf, spanOf, untilOf } from "./times.js";
import { audienceTags, closedReason, differences, placesText } from "./words.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { askCancel, askDelete, openInvite, saveCalendar, shareEvent } from "./dialogs.js";
import { makePlaceMap } from "../map/picker.js";
import { answerButtons, eventTags, kindBadge, zoneName } from "./row.js";
import { makeKeptNote } from "./keptnote.js";
import { loading } from "../kit/loading.js";
import { avatar } from "../kit/person.js";
import { attempt } from "../kit/dialog.js";
import { openReport } from "../buddies/safety.js";

const peopleShownFirst = 12;
/** Who comes is told to nobody: a page that is looked at asks so often. */
const tickMilliseconds = 20_000;

/** Serves `/events/:id`. */
export function show(root, { id: given }, app) {
  const { net, events, router, pictures } = app;
  const id = Number(given);
  const scope = pictures.scope();
  let event = null;
  let people = null;
  let { workouts } = events.kept;
  /** When the server said what is shown, in the device's ms. */
  let saidAt = null;
  let placeMap = null;
  let placeKey = null;
  let toolsKey = null;
  let ownerKey = null;
  let closed = false;
  let showsAll = false;
  let answers = null;

  const heading = h("h1", { tabindex: "-1" }, "Event");
  const top = h("div", { class: "event-badges" });
  const notices = h("div", { class: "stack event-notices" });
  const facts = h("div", { class: "stack event-main" });
  const side = h("div", { class: "stack event-side" });
  const grid = h("div", { class: "event-grid", hidden: true }, facts, side);
  const status = h("div", {}, loading(net));
  const keptNote = makeKeptNote("event-kept");
  root.append(h("div", { class: "page stack event-page" }, h("p", {}, h("a", { href: "/events", class: "back" }, "← Events")), h("header", { class: "event-head" }, top, heading), keptNote.element, status, notices, grid));

  const when = h("div", { class: "event-fact", id: "event-when" });
  const where = h("div", { class: "event-fact", id: "event-where" });
  const mapPlace = h("div", { class: "event-map-place" });
  const description = h("p", { class: "event-description", id: "event-description" });
  const owner = h("div", { class: "event-fact", id: "event-owner" });
  const places = h("div", { class: "stack event-places-card" });
  const answerCard = h("section", { class: "card stack event-answer", id: "event-answer", "aria-label": "Your answer" });
  const tools = h("div", { class: "event-tools" });
  const ownerCard = h("section", { class: "card stack", id: "event-manage", "aria-label": "Your event", hidden: true });
  const peopleCard = h("section", { class: "card stack", id: "event-people", hidden: true });
  facts.append(h("section", { class: "card stack" }, when, where, mapPlace, owner, description));
  side.append(answerCard, ownerCard, peopleCard, tools);

  // MARK: loading

  async function load() {
    try {
      const [options, found] = await Promise.all([events.options(), events.get(id)]);
      if (closed) return;
      workouts = options.workouts;
      take(found);
      loadPeople();
    } catch (error) {
      if (closed) return;
      if (!event || error.code === 1003) fail(error);
      else drawAge();
    }
  }

  async function loadPeople() {
    if (!net.account || !event) return;
    try {
      ({ people } = await net.request("events.people", { event: id }));
      if (!closed) drawPeople();
    } catch {
      // The counts say enough; they come with the next change.
    }
  }

  /** What the device has of it, until the server answers. */
  function loadKept() {
    const kept = events.kept.event(id);
    if (!kept || net.state === "live") return;
    ({ event, at: saidAt } = kept);
    draw();
  }

  function drawAge() {
    keptNote.draw(event && net.state !== "live" ? saidAt : null);
  }

  function fail(error) {
    event = null;
    drawAge();
    grid.hidden = true;
    const isMissing = error.code === 1003 || error.code === -32602;
    setText(heading, isMissing ? "No such event" : "Event");
    top.replaceChildren();
    notices.replaceChildren();
    status.replaceChildren(h("p", { class: "notice bad", id: "event-problem", role: "alert" }, icon("warning"), h("span", {}, isMissing ? "There is no such event, or it is not open to you." : error.message)),
      h("p", { class: "row event-retry" }, error.isTransient ? h("button", { class: "button", type: "button", onclick: () => load() }, "Try again") : h("a", { class: "button", href: "/events" }, "To the events"),
        isMissing && !net.account ? h("a", { class: "button primary", href: `/login?next=/events/${encodeURIComponent(given)}` }, "Log in to see more") : null));
  }

  /** What is known now; says what is another when others changed it. */
  function take(next, { isNews = false } = {}) {
    const before = event;
    if (before && next.revision < before.revision) return;
    event = next;
    saidAt = Date.now();
    if (isNews && before && before.revision !== next.revision && next.state === "published" && before.state === "published") drawChange(before, next);
    draw();
  }

  // MARK: drawing

  function draw() {
    const now = net.clock.now();
    const { details } = event;
    drawAge();
    status.replaceChildren();
    grid.hidden = false;
    setText(heading, details.title);
    if (document.title !== app.titled(details.title)) document.title = app.titled(details.title);
    top.replaceChildren(...[kindBadge(details.workout, workouts), h("span", { class: "event-tag" }, audienceTags[event.audience]), ...eventTags(event, now)].filter(Boolean));
    drawState(now);
    when.replaceChildren(icon("clock"), h("div", {}, h("p", {}, h("time", { datetime: details.startsAt }, h("strong", {}, spanOf(event, now)))), h("p", { class: "muted", id: "event-until" }, event.state === "cancelled" ? lengthOf(details.duration) : `${lengthOf(details.duration)} · ${untilOf(event, now)}`)));
    const zone = zoneName(event, net.campus ?? app.lastCampus());
    where.replaceChildren(icon("pin"), h("div", {}, h("p", {}, h("strong", {}, details.place.name)), h("p", { class: "muted" }, zone ? `Zone ${zone}` : Number.isFinite(details.place.lat) ? "Outside the campus zones" : "Not marked on the map")));
    drawMap();
    owner.hidden = !event.owner && Boolean(net.account);
    owner.replaceChildren(...(event.owner
      ? [avatar(scope, event.owner, { size: 40 }), h("div", {}, h("p", { class: "muted small" }, "Hosted by"), h("p", {}, h("strong", {}, event.owner.account === net.account?.id ? "You" : event.owner.name || "Somebody")))]
      : [icon("account"), h("p", {}, h("a", { href: `/login?next=/events/${id}` }, "Log in"), " to see who hosts it.")]));
    description.hidden = !details.description;
    setText(description, details.description ?? "");
    drawAnswer(now);
    drawTools();
    drawOwner(now);
  }

  function drawState(now) {
    notices.querySelector("#event-state")?.remove();
    if (event.state === "cancelled") notices.prepend(h("div", { class: "notice bad", id: "event-state" }, icon("close"), h("div", {}, h("strong", {}, "This event is cancelled."), event.cancelReason ? h("p", { class: "event-reason" }, event.cancelReason) : null)));
    else if (event.state === "draft") notices.prepend(h("div", { class: "notice warn", id: "event-state" }, icon("edit"), h("div", {}, h("strong", {}, "A draft. "), "Only you see it. Publish it, then invite people.")));
    else if (phaseOf(event, now) === "over") notices.prepend(h("div", { class: "notice", id: "event-state" }, icon("clock"), "This event is over."));
  }

  /** What somebody else changed while one looks at it. */
  function drawChange(before, after) {
    const changed = differences(before.details, after.details, { workouts, now: net.clock.now() });
    notices.querySelector("#event-changed")?.remove();
    if (changed.length === 0) return;
    notices.append(h("div", { class: "notice warn", id: "event-changed", role: "status" }, icon("warning"), h("div", { class: "grow" }, h("strong", {}, "This was changed just now."),
      h("ul", { class: "change-list" }, ...changed.map(({ field, was, is }) => h("li", {}, `${field}: `, h("s", {}, h("span", { class: "visually-hidden" }, "before: "), was), " ", h("strong", {}, h("span", { class: "visually-hidden" }, "now: "), is)))))));
  }

  function drawMap() {
    const { place, workout } = event.details;
    const key = JSON.stringify([place.lat, place.lon, workout]);
    if (key === placeKey) return;
    placeKey = key;
    placeMap?.close();
    placeMap = Number.isFinite(place.lat) ? makePlaceMap({ app, place, colour: workouts.find(({ id: kind }) => kind === workout)?.colour }) : null;
    mapPlace.replaceChildren(...(placeMap ? [placeMap.element] : []));
  }

  function drawAnswer(now) {
    const reason = closedReason(event, now);
    drawPlaces();
    answerCard.hidden = event.state !== "published";
    if (reason !== null) {
      // Why is said above.
      answers = null;
      answerCard.replaceChildren(h("h2", {}, "Who came"), places);
      return;
    }
    if (!net.account) {
      answerCard.replaceChildren(h("h2", {}, "Are you going?"), places, h("a", { class: "button primary wide", href: `/login?next=/events/${id}`, id: "login-to-answer" }, "Log in to answer"));
      return;
    }
    const line = answerLine();
    const back = event.mine.answer ? h("button", { class: "button quiet small-button", type: "button", id: "take-back", onclick: takeBack }, "Clear my answer") : null;
    if (answers && answerCard.contains(answers.element)) {
      answers.draw(event);
      answerCard.querySelector(".answer-note").replaceChildren(...line);
      answerCard.querySelector(".answer-back").replaceChildren(...(back ? [back] : []));
      return;
    }
    answers = answerButtons(event, { app, shown: (next) => {
      if (closed) return;
      event = next;
      draw();
    } });
    answerCard.replaceChildren(h("h2", {}, "Are you going?"), answers.element, h("div", { class: "answer-note", role: "status" }, ...line), places, h("div", { class: "answer-back" }, ...(back ? [back] : [])));
  }

  function answerLine() {
    const { answer, queue, invitedBy } = event.mine;
    if (queue) {
      const text = h("span", {}, h("strong", {}, `You're number ${queue} on the waiting list. `), "We'll move you up automatically and tell you.");
      return [h("p", { class: "notice warn", id: "waiting-note" }, icon("clock"), text)];
    }
    if (answer === "going") return [h("p", { class: "notice good", id: "going-note" }, icon("tick"), h("span", {}, ...goingText()))];
    if (answer === "maybe") {
      const place = event.details.capacity ? " You don't have a place yet." : "";
      return [h("p", { class: "muted" }, `We'll tell you about changes.${place}`)];
    }
    if (answer === "no") return [h("p", { class: "muted" }, "You're not going, so we won't send you updates about this event.")];
    return invitedBy ? [h("p", { class: "notice", id: "invited-note" }, icon("mail"), h("span", {}, h("strong", {}, invitedBy.name), " invited you."))] : [];
  }

  function goingText() {
    const isHost = event.owner?.account === net.account?.id;
    if (isHost) return [h("strong", {}, "You're hosting. "), "You're counted as going. Say No if you can't make it."];
    if (!event.details.capacity) return [h("strong", {}, "You're going. "), "We'll tell you about changes."];
    return [h("strong", {}, "You have a place. "), "Say No if you can't make it, so someone else can go."];
  }

  async function takeBack() {
    if (await attempt(() => events.answer(id, null))) announce("Your answer is cleared.");
  }

  function drawPlaces() {
    const { going, maybe, waiting, details: { capacity } } = event;
    const bar = capacity ? h("div", { class: "places-bar", "aria-hidden": "true" }, h("span", {})) : null;
    bar?.firstChild.style.setProperty("width", `${Math.min(100, (going / capacity) * 100)}%`);
    places.replaceChildren(h("p", { id: "event-places" }, h("strong", {}, placesText(event)), maybe > 0 ? ` · ${maybe.toLocaleString("en")} maybe` : "", capacity || waiting === 0 ? "" : ` · ${waiting} waiting`), ...(bar ? [bar] : []));
  }

  function drawTools() {
    const { saved } = event.mine;
    const key = JSON.stringify([saved, event.state, event.owner?.account, net.account?.id]);
    // A press on a button that is drawn anew before its release would be lost.
    if (key === toolsKey) return;
    toolsKey = key;
    const tool = (toolId, iconElement, label, props = {}) => h("button", { class: "button small-button", type: "button", id: toolId, ...props }, iconElement, label);
    const focused = tools.contains(document.activeElement) ? document.activeElement.id : null;
    tools.replaceChildren(...[
      net.account ? tool("save-event", icon("bookmark", { filled: saved }), saved ? "Saved" : "Save", { "aria-pressed": String(saved), onclick: toggleSaved }) : null,
      event.state === "published" ? tool("share-event-button", icon("link"), "Share", { onclick: () => shareEvent(event) }) : null,
      event.state === "draft" ? null : h("a", { class: "button small-button", id: "add-calendar", href: `/events/${id}.ics`, download: `event-${id}.ics`, onclick: (clicked) => {
        clicked.preventDefault();
        saveCalendar(event, app);
      } }, icon("calendar"), "Add to calendar"),
      event.owner && net.account && event.owner.account !== net.account.id ? tool("report-event", icon("flag"), "Report", { onclick: () => openReport({ net, account: event.owner.account, name: event.owner.name, event: id }) }) : null,
    ].filter(Boolean));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  async function toggleSaved() {
    const before = event;
    const saved = !event.mine.saved;
    event = { ...event, mine: { ...event.mine, saved } };
    draw();
    try {
      await events.save(id, saved);
      announce(saved ? "Saved." : "Not saved any more.");
    } catch (error) {
      if (closed) return;
      event = { ...event, mine: { ...event.mine, saved: before.mine.saved } };
      draw();
      toast(error.message);
    }
  }

  function drawOwner(now) {
    const isOver = phaseOf(event, now) === "over";
    const mayInvite = event.owner?.account === net.account?.id && event.state === "published" && !isOver;
    ownerCard.hidden = !event.mine.owns || (event.state !== "draft" && (isOver || event.state === "cancelled"));
    if (ownerCard.hidden) return;
    const key = JSON.stringify([event.state, isOver, mayInvite, event.owner?.account === net.account?.id]);
    if (key === ownerKey) return;
    ownerKey = key;
    const focused = ownerCard.contains(document.activeElement) ? document.activeElement.id : null;
    const button = (buttonId, iconName, label, run, className = "button") => h("button", { class: className, type: "button", id: buttonId, onclick: run }, icon(iconName), label);
    ownerCard.replaceChildren(h("h2", {}, event.state === "draft" ? "Your draft" : event.owner?.account === net.account?.id ? "Your event" : "As an admin"), h("div", { class: "manage-buttons" }, ...[
      event.state === "draft" && !isOver ? button("publish-event", "send", "Publish", publish, "button primary") : null,
      mayInvite ? button("invite-to-event", "plus", "Invite", () => openInvite({ app, scope, event, people: people ?? [], invited: loadPeople }), "button primary") : null,
      isOver ? null : h("a", { class: "button", href: `/events/${id}/edit`, id: "edit-event" }, icon("edit"), "Edit"),
      event.state === "published" ? h("a", { class: "button", href: `/notices/new?event=${id}`, id: "tell-everybody" }, icon("bell"), "Message attendees") : null,
      event.state === "draft" ? button("delete-event", "bin", "Delete", remove, "button danger") : button("cancel-event", "close", "Cancel event", cancel, "button danger"),
    ].filter(Boolean)));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  async function publish() {
    if (await attempt(() => events.publish(id), "Published. Now invite people, or share the link.")) loadPeople();
  }

  async function cancel() {
    const reason = await askCancel(event);
    if (reason !== null) await attempt(() => events.cancel(id, reason), "The event is cancelled, and all are told.");
  }

  async function remove() {
    if (!(await askDelete(event)) || !(await attempt(() => events.remove(id), "The draft is deleted."))) return;
    router.go("/events?which=own", { replace: true });
  }

  function drawPeople() {
    const groups = [
      ["Going", ({ answer, queue }) => answer === "going" && !queue], ["Waiting list", ({ queue }) => queue], ["Maybe", ({ answer }) => answer === "maybe"],
      ["Invited, no answer yet", ({ answer }) => !answer], ["Not coming", ({ answer }) => answer === "no"],
    ].map(([title, fits]) => [title, people.filter(fits)]).filter(([, some]) => some.length > 0);
    peopleCard.hidden = groups.length === 0;
    const isOwner = event.mine.owns;
    const shown = showsAll ? Infinity : peopleShownFirst;
    let left = shown;
    peopleCard.replaceChildren(h("h2", {}, "People"), isOwner ? "" : h("p", { class: "hint" }, "You see yourself and your buddies here."),
      ...groups.map(([title, some]) => {
        const now = some.slice(0, Math.max(0, left));
        left -= now.length;
        return now.length === 0 ? "" : h("section", { class: "people-group", dataset: { people: title } }, h("h3", {}, title, h("span", { class: "muted number" }, ` ${some.length}`)),
          h("ul", { class: "people-list" }, ...now.map(({ person, queue }) => h("li", {}, avatar(scope, person, { size: 32 }), h("span", { class: "grow" }, person.account === net.account?.id ? "You" : person.name || "Somebody"), queue ? h("span", { class: "muted number" }, `${queue}.`) : null))));
      }),
      !showsAll && people.length > peopleShownFirst ? h("button", { class: "button quiet small-button", type: "button", id: "all-people", onclick: () => {
        showsAll = true;
        drawPeople();
      } }, `Show all ${count(people.length, "person", "people")}`) : "");
  }

  // MARK: what changes meanwhile

  const taken = ({ detail }) => {
    // The first one comes with its kind's colours.
    if (detail.id !== id || !event) return;
    take(detail, { isNews: true });
    loadPeople();
  };
  const gone = ({ detail }) => {
    if (detail !== id || closed) return;
    fail({ code: 1003, message: "", isTransient: false });
  };
  const renew = () => load();
  const state = () => {
    drawAge();
    if (net.state === "live") load();
  };
  const signedInOrOut = () => router.go(location.pathname, { replace: true });
  events.addEventListener("event", taken);
  events.addEventListener("gone", gone);
  events.addEventListener("renew", renew);
  net.addEventListener("state", state);
  net.addEventListener("account", signedInOrOut);
  const ticker = setInterval(() => {
    if (event) draw();
    if (event && net.state === "live" && !answers?.isSending && document.visibilityState === "visible") events.get(id).catch(() => {});
  }, tickMilliseconds);
  if (Number.isSafeInteger(id) && id > 0) {
    loadKept();
    load();
  } else fail({ code: 1003, message: "", isTransient: false });
  return () => {
    closed = true;
    clearInterval(ticker);
    placeMap?.close();
    scope.close();
    events.removeEventListener("event", taken);
    events.removeEventListener("gone", gone);
    events.removeEventListener("renew", renew);
    net.removeEventListener("state", state);
    net.removeEventListener("account", signedInOrOut);
  };
}
