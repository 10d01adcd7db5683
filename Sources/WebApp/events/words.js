// Texts about events: audience, number of participants, the reader's own answer, news. Pure.

import { count, longDayText, timeText } from "../kit/format.js";
import { lengthOf, phaseOf, startOf } from "./times.js";

/** Audiences of an event, in plain words. */
export const audiences = [
  { id: "private", label: "Invited people", hint: "Only people you invite see it. Invite buddies and groups after publishing." },
  { id: "public", label: "Everyone with an account", hint: "Anyone logged in can find it and go." },
  { id: "campus", label: "The whole campus", hint: "Everyone sees it, even without an account. Admins can change it." },
];

export const audienceTags = { private: "Invited only", public: "Open to all", campus: "Campus" };

/** Number of participants: `5 of 20 places taken`, `Full, 3 waiting`, `5 going`. */
export function placesText({ going, waiting, details: { capacity } }) {
  if (!capacity) return going === 0 ? "Nobody is going yet" : `${going.toLocaleString("en")} going`;
  if (going < capacity) return `${going.toLocaleString("en")} of ${count(capacity, "spot")} taken`;
  return waiting > 0 ? `Full, ${waiting.toLocaleString("en")} waiting` : "Full";
}

/** The same in few words, for lists; empty without participants and without a limit. */
export function shortPlaces({ going, waiting, details: { capacity } }) {
  if (!capacity) return going === 0 ? "" : `${going.toLocaleString("en")} going`;
  const left = capacity - going;
  if (going === 0) return count(left, "place");
  if (left > 0) return `${going.toLocaleString("en")} going, ${count(left, "spot")} left`;
  return waiting > 0 ? `Full, ${waiting.toLocaleString("en")} waiting` : "Full";
}

/** The reader's answer or invitation: `{kind, text}`, or null. */
export function mineOf({ state, mine }) {
  const { answer, queue, invitedBy } = mine;
  if (queue) return { kind: "waiting", text: `Number ${queue} on the waiting list` };
  if (answer === "going") return { kind: "going", text: "Going" };
  if (answer === "maybe") return { kind: "maybe", text: "Maybe" };
  if (answer === "no") return { kind: "no", text: "Not going" };
  if (invitedBy && state === "published") return { kind: "invited", text: `Invited by ${invitedBy.name}` };
  return null;
}

/** Whether the answer Going leads to the waiting list now. */
export function isFullFor({ going, mine, details: { capacity } }) {
  return Boolean(capacity) && going >= capacity && mine.answer !== "going";
}

/** The event with another answer of the reader, as it will most likely be; the server confirms it. */
export function answered(event, answer) {
  const { capacity } = event.details;
  const counts = { going: event.going, maybe: event.maybe, waiting: event.waiting };
  const { answer: before, queue } = event.mine;
  if (before === answer) return event;
  if (queue) counts.waiting -= 1;
  else if (before === "going" || before === "maybe") counts[before] -= 1;
  const isFull = Boolean(capacity) && counts.going >= capacity;
  const place = answer === "going" && isFull ? counts.waiting + 1 : undefined;
  if (place) counts.waiting += 1;
  else if (answer === "going" || answer === "maybe") counts[answer] += 1;
  return { ...event, ...counts, mine: { ...event.mine, answer: answer ?? undefined, queue: place } };
}

const answerGroups = [
  ["Going", ({ answer, queue }) => answer === "going" && !queue],
  ["Waiting list", ({ queue }) => queue],
  ["Maybe", ({ answer }) => answer === "maybe"],
  ["Invited, no answer yet", ({ answer }) => !answer],
  ["Not going", ({ answer }) => answer === "no"],
];

/**
 * People of an event by answer: `[{title, size, people}]` without empty groups. `size` counts all of a group, `people` has those among the
 * first `most` of all groups.
 */
export function peopleByAnswer(people, most = Infinity) {
  let left = most;
  const groups = answerGroups.map(([title, fits]) => ({ title, all: people.filter(fits) })).filter(({ all }) => all.length > 0);
  return groups.map(({ title, all }) => {
    const shown = all.slice(0, Math.max(0, left));
    left -= shown.length;
    return { title, size: all.length, people: shown };
  });
}

/** The alert for news: `{title, body}`, or null for none. With `hidesText` it does not name the event. */
export function newsText({ event, news, hidesText = false, now }) {
  const { title } = event.details;
  const what = {
    invited: ["You're invited to an event",
      event.mine.invitedBy ? `${event.mine.invitedBy.name} invited you to ${title}` : `You're invited to ${title}`],
    changed: ["An event was changed", event.state === "published"
      ? `Changed: ${title}, ${longDayText(startOf(event), now)}, ${timeText(startOf(event))}, ${event.details.place.name}`
      : `Changed: ${title}`],
    cancelled: ["An event is cancelled", `Cancelled: ${title}`],
    movedUp: ["You got a spot", `You got a spot: ${title}`],
  }[news];
  if (!what) return null;
  return { title: "Campanile", body: hidesText ? `${what[0]}.` : what[1] };
}

/** Differences between two `details` of an event, to read: `[{field, was, is}]`. */
export function differences(before, after, { workouts = [], now }) {
  const label = (id) => workouts.find((workout) => workout.id === id)?.label ?? "None";
  const place = ({ lat, lon }) => (lat === undefined || lat === null ? "None" : `${lat.toFixed(4)}, ${lon.toFixed(4)}`);
  /** @type {[field: string, read: (details: any) => string][]} */
  const facts = [
    ["Title", ({ title }) => title],
    ["Start", ({ startsAt }) => `${longDayText(Date.parse(startsAt), now)}, ${timeText(startsAt)}`],
    ["Length", ({ duration }) => lengthOf(duration)],
    ["Place", ({ place: { name } }) => name],
    ["Place on map", (details) => place(details.place)],
    ["Kind", ({ workout }) => label(workout)],
    ["Spots", ({ capacity }) => (capacity ? String(capacity) : "No limit")],
    ["Description", ({ description }) => description || "None"],
  ];
  return facts.map(([field, read]) => ({ field, was: read(before), is: read(after) })).filter(({ was, is }) => was !== is);
}

/** Why an event takes no answers, or null when it does. */
export function closedReason(event, now) {
  if (event.state === "draft") return "This is a draft. Only you see it.";
  if (event.state === "cancelled") return "This event is cancelled.";
  if (phaseOf(event, now) === "over") return "This event is over.";
  return null;
}
