// An event in a list, and the small parts that lists and its page share: its kind's colour, its tags, the answer buttons.

import { h, toast } from "../kit/dom.js";
import { dayHeading, endOf, lengthOf, phaseOf, startOf } from "./times.js";
import { answered, audienceTags, isFullFor, mineOf, shortPlaces } from "./words.js";
import { timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";

const answers = [["going", "Going", "tick"], ["maybe", "Maybe", "question"], ["no", "No", "close"]];
const mineIcons = { going: "tick", maybe: "question", no: "close", waiting: "clock", invited: "mail" };

/** The kind in its colour, or null for none. */
export function kindBadge(id, workouts) {
  const workout = workouts.find((one) => one.id === id);
  if (!workout) return null;
  const badge = h("span", { class: "event-kind", dataset: { kind: id } }, workout.label);
  badge.style.setProperty("--kind", workout.colour);
  return badge;
}

/** The name of the campus zone of an event; null when it is not known. */
export function zoneName({ details: { place } }, campus) {
  return campus?.zones?.find(({ id }) => id === place.zone)?.name ?? null;
}

/** Tags: cancelled, a draft, over, now, the reader's answer, saved. */
export function eventTags(event, now) {
  const mine = mineOf(event);
  const phase = phaseOf(event, now);
  const tags = [];
  if (event.state === "cancelled") tags.push(h("span", { class: "event-tag bad" }, icon("close"), "Cancelled"));
  else if (event.state === "draft") tags.push(h("span", { class: "event-tag" }, icon("edit"), "Draft"));
  else if (phase === "over") tags.push(h("span", { class: "event-tag" }, "Over"));
  else if (phase === "now") tags.push(h("span", { class: "event-tag good" }, icon("clock"), "Now"));
  if (mine) {
    tags.push(h("span", { class: `event-tag mine-${mine.kind}`, dataset: { mine: mine.kind } }, icon(mineIcons[mine.kind]), mine.text));
  }
  if (event.mine.saved) tags.push(h("span", { class: "event-tag" }, icon("bookmark", { filled: true }), "Saved"));
  return tags;
}

/** Everything that a row shows, as a string: another row is made when it changes. */
export function rowSig(event, now) {
  return JSON.stringify([event, phaseOf(event, now), dayHeading(startOf(event), now)]);
}

/** A list item. `withDay` adds the day, `withAnswers` the answer buttons; `because` is the reason of a suggestion. */
export function eventRow(event, { app, workouts, now, withDay = false, withAnswers = false, because = null }) {
  const { details, state } = event;
  const zone = zoneName(event, app.net.campus ?? app.lastCampus());
  const colour = workouts.find(({ id }) => id === details.workout)?.colour;
  const where = zone && !details.place.name.includes(zone) ? `${details.place.name} · ${zone}` : details.place.name;
  const places = [audienceTags[event.audience], state === "cancelled" ? "" : shortPlaces(event)].filter(Boolean).join(" · ");
  const row = h("li", { class: "event-row", dataset: { event: event.id, state } },
    h("a", { class: "event-link", href: `/events/${event.id}` }, rowTime(event, { now, withDay }),
      h("span", { class: "event-what" },
        h("strong", { class: "event-title" }, details.title),
        h("span", { class: "event-where" }, icon("pin"), h("span", {}, where)),
        h("span", { class: "event-facts" }, kindBadge(details.workout, workouts),
          because ? h("span", { class: "event-tag good" }, because) : null, ...eventTags(event, now),
          h("span", { class: "event-places" }, places)))),
    withAnswers ? answerButtons(event, { app, isSmall: true }).element : null);
  row.style.setProperty("--kind", colour ?? "var(--line-strong)");
  return row;
}

function rowTime(event, { now, withDay }) {
  const { details } = event;
  const isNow = phaseOf(event, now) === "now";
  const day = dayHeading(startOf(event), now).title.replace(/^(\w{3})\w*day, (\w{3})\w*/, "$1, $2");
  return h("span", { class: "event-time number" }, withDay ? h("span", { class: "event-day" }, day) : null,
    h("time", { datetime: details.startsAt }, isNow && !withDay ? "Now" : timeText(startOf(event))),
    h("span", { class: "event-length" }, isNow ? `until ${timeText(endOf(event))}` : lengthOf(details.duration)));
}

/**
 * `{element, draw(event), isSending}`: going, maybe, no. A tap shows at once; a failure takes it back, with a message. `shown(event)` gets
 * each state that is drawn for a tap.
 */
export function answerButtons(event, { app, isSmall = false, shown = (_event) => {} }) {
  const { events } = app;
  let current = event;
  let sending = 0;
  let isSending = false;
  const buttons = answers.map(([answer]) => h("button", {
    class: isSmall ? "button small-button answer" : "button answer", type: "button", dataset: { answer }, onclick: () => send(answer),
  }));
  const element = h("div", { class: "answers", role: "group", "aria-label": `Your answer to ${event.details.title}` }, ...buttons);

  function draw(next) {
    current = next;
    const isWaitingList = isFullFor(current) || Boolean(current.mine.queue);
    element.dataset.waitingList = String(isWaitingList);
    answers.forEach(([answer, usual, usualIcon], index) => {
      const button = buttons[index];
      button.setAttribute("aria-pressed", String(current.mine.answer === answer));
      const isWaiting = answer === "going" && isWaitingList;
      const label = !isWaiting ? usual : current.mine.queue ? "On the waiting list" : "Join the waiting list";
      if (button.textContent === label) return;
      button.replaceChildren(icon(isWaiting ? "clock" : usualIcon), label);
      button.setAttribute("aria-label", `${label}: ${event.details.title}`);
    });
  }

  async function send(answer) {
    if (current.mine.answer === answer) return;
    const before = current;
    const mine = ++sending;
    isSending = true;
    draw(answered(current, answer));
    shown(current);
    try {
      const known = await events.answer(event.id, answer);
      if (mine !== sending) return;
      isSending = false;
      // Without a reply the answer waits as it is drawn.
      if (known === null) return;
      draw(known);
      shown(known);
    } catch (error) {
      if (mine !== sending) return;
      isSending = false;
      draw(before);
      shown(before);
      toast(`Couldn't send your answer. ${error.message}`, { key: `answer-${event.id}` });
      // The reply may be lost and the answer stored.
      if (error.isUnanswered) events.get(event.id).catch(() => {});
    }
  }

  draw(event);
  return { element, draw, get isSending() { return isSending; } };
}
