// A live group in words: where each member is, how long a rest lasts, and how old that is. Pure.

import { topicCloseReasons } from "../client/registry.js";
import { ago, count } from "../kit/format.js";

/** A member who neither rests nor pauses is expected to send something within this time. */
const freshMilliseconds = 30_000;

/** The order of members: those who train first. */
const stateOrder = ["joined", "finished", "invited", "left"];

/** `0:42`, minutes and seconds until a time; null when it is over. */
export function countdown(until, now) {
  const seconds = Math.ceil((Date.parse(until) - now) / 1_000);
  return seconds > 0 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : null;
}

/** `Set 2 of 4`, or null without a set. */
export const setWords = ({ set, sets }) => (set && sets ? `Set ${set} of ${sets}` : null);

/** Where a member is: `Set 2 of 4 · Back squat`, `Resting · 0:42`. `exercise` is the exercise's name, or null. */
export function placeText({ state, position }, { exercise = null, now }) {
  if (state === "invited") return "Invited";
  if (state === "left") return "Left";
  if (state === "finished" || position?.phase === "finished") return "Finished";
  if (!position) return "Getting ready";
  const parts = {
    warmUp: ["Warm-up", exercise, setWords(position)], exercise: [setWords(position), exercise],
    coolDown: ["Cool-down", exercise, setWords(position)], paused: ["Paused", exercise],
    rest: [restText(position, now), exercise && `next: ${exercise}`],
  }[position.phase] ?? [exercise];
  const text = parts.filter(Boolean).join(" · ");
  return text === "" ? "Training" : text;
}

function restText({ restEndsAt }, now) {
  const left = restEndsAt ? countdown(restEndsAt, now) : null;
  return left ? `Resting · ${left}` : restEndsAt ? "Rest is over" : "Resting";
}

/** How old a member's progress is, when that matters; null otherwise. */
export function ageText({ state, isPresent, position, updatedAt }, now) {
  if (state !== "joined" || !updatedAt) return null;
  const age = now - Date.parse(updatedAt);
  const isQuiet = ["rest", "paused", "finished"].includes(position?.phase);
  if (isPresent && (isQuiet || age < freshMilliseconds)) return null;
  return `Updated ${ago(age / 1_000)}`;
}

/** Part of the sets that are done, 0 to 1; null before there are any. */
export function shareDone(position) {
  return position && position.setsTotal > 0 ? Math.min(1, position.setsDone / position.setsTotal) : null;
}

/** Members in the order in which they are shown: the reader first, then those who train, by name. */
export function inOrder(members, own, nameOf) {
  const rank = ({ username, state }) => (username === own ? -1 : stateOrder.indexOf(state));
  return [...members].sort((one, other) => rank(one) - rank(other) || nameOf(one.username).localeCompare(nameOf(other.username)));
}

/**
 * `3 people training, 1 invited`. `participants` is how many take part; one who does not take part has only that number, not all members.
 */
export function groupText({ members, participants }) {
  const of = (state) => members.filter((member) => member.state === state).length;
  const training = Math.max(of("joined"), participants - of("finished"));
  const parts = [
    training > 0 && `${count(training, "person", "people")} training`, of("finished") > 0 && `${of("finished")} finished`,
    of("invited") > 0 && `${of("invited")} invited`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : "Nobody is training now";
}

/**
 * What changed for people, to be said: `Ben joined.` `before` and `after` are members by username; only the host has those who were invited
 * or have left.
 */
export function changesText(before, after, { own, nameOf }) {
  if (before.size === 0) return "";
  const words = { joined: "joined", left: "left", finished: "finished" };
  const changed = [...after.values()].filter(({ username, state }) => (before.has(username) ? before.get(username).state !== state
    : state === "joined") && words[state]);
  const gone = [...before.values()].filter(({ username, state }) => !after.has(username) && ["joined", "finished"].includes(state))
    .map(({ username }) => ({ username, state: "left" }));
  return [...changed, ...gone].filter(({ username }) => username !== own).map(({ username, state }) =>
    `${nameOf(username)} ${words[state]}.`).join(" ");
}

/** The hint of the switch that shares the zone. */
export const zoneHint = "The others see one of five zones, from very light to very hard, while you train with a heart-rate sensor. "
  + "Nobody sees your heart rate itself. You can switch it off at any time.";

/** Why a group is over, as its topic says. */
export function closedText(reason) {
  return reason === topicCloseReasons.groupEnded ? "This group has ended. Your own workout goes on." : "You're no longer in this group.";
}

/** `You're offline.`, while the connection is lost. */
export const connectionText = (net) => (net.state === "offline" ? "You're offline." : "Reconnecting…");

/** `Updated 20 s ago.`, for the time of the last message; empty before there is one. */
export const ageOf = (net, receivedAt) => (receivedAt === null ? "" : `Updated ${ago((net.clock.now() - receivedAt) / 1_000)}.`);

/** What sharing a workout did. */
export const sharedText = ({ isNew }, name) => (isNew ? `${name} has a copy of your workout now.` : `${name} already has this workout.`);
