// Changes of a training that has ended. Pure.

import { mergedSets } from "./sets.js";

/** Later than each set, so that the change wins. */
const stampAfter = (sets, now) => new Date(Math.max(now, ...sets.map(({ at }) => Date.parse(at) + 1))).toISOString();

/** A set with other values or another state, as it is sent. */
export const changedSet = (training, id, change, now) => {
  const set = training.sets.find((one) => one.id === id);
  return set ? { ...set, ...change, at: stampAfter(training.sets, now) } : null;
};

/** Another set of an entry, done, with the values of its last one. */
export function addedSet(training, entry, id, now) {
  const own = training.sets.filter((set) => set.entry === entry);
  const last = own.filter(({ state }) => state !== "removed").at(-1) ?? own.at(-1);
  if (!last) return null;
  return {
    id: `${entry}/${id}`, entry, position: Math.max(...own.map(({ position }) => position)) + 1, state: "done", values: last.values,
    at: stampAfter(training.sets, now),
  };
}

/** The parameters of `training.edit` with those of a change that waits, which it replaces. */
export function editParams(training, waiting, { sets = [], ...change }) {
  const byId = new Map([...waiting?.sets ?? [], ...sets].map((set) => [set.id, set]));
  return { training, ...waiting, ...change, ...(byId.size > 0 && { sets: [...byId.values()] }) };
}

/** The record of a training that only this device has, with a change of `training.edit`: its start and end are sent with that. */
export function recordWithEdit(record, { sets = [], startedAt, endedAt, note }) {
  return {
    ...record, sets: mergedSets(record.sets, sets), lastAt: Math.max(record.lastAt, ...sets.map(({ at }) => Date.parse(at))),
    ...(startedAt && { startedAt: Date.parse(startedAt) }), ...(endedAt && { endedAt: Date.parse(endedAt) }),
    ...(note !== undefined && { note }),
  };
}

const dayMilliseconds = 86_400_000;
const longestMilliseconds = dayMilliseconds;
/** The oldest time that the server takes. */
const oldestMilliseconds = 3_650 * dayMilliseconds;

/**
 * Problems of the times of a past training, in ms, as `{startedAt?, endedAt?}`; a time that was not entered is NaN. `now` is the server's
 * time.
 */
export function timesProblems({ startedAt, endedAt }, now) {
  if (!Number.isFinite(startedAt)) return { startedAt: "Enter a day and a time." };
  if (startedAt > now) return { startedAt: "The start is in the future. Choose an earlier time." };
  if (now - startedAt > oldestMilliseconds) return { startedAt: "Choose a start within the last ten years." };
  if (!Number.isFinite(endedAt)) return { endedAt: "Enter a day and a time." };
  if (endedAt <= startedAt) return { endedAt: "The end must be after the start." };
  if (endedAt > now) return { endedAt: "The end is in the future. Choose an earlier time." };
  return endedAt - startedAt > longestMilliseconds ? { endedAt: "A workout lasts at most 24 hours. Check the day." } : {};
}
