// Trainings that ended on this device and whose end the server may not have: pages show them from the records of this device. Pure.

import { activeSeconds, wirePauses } from "./record.js";
import { figuresOf } from "./sets.js";

const text = (time) => new Date(time).toISOString();

/** A training as the server would have it, from the record of this device. */
const asTraining = (record) => ({
  id: record.id, workout: record.workout, plan: record.plan, state: record.state, startedAt: text(record.startedAt),
  endedAt: text(record.endedAt), pauses: wirePauses(record), activeSeconds: activeSeconds(record, record.endedAt), sets: record.sets,
  note: record.note, exercises: record.exercises, generation: record.generation, pulse: null, calories: null, isWaiting: true,
});

const timeOf = (moment) => (moment ? Date.parse(moment) : null);

/** The training with the duration that its times and pauses make, for times that the server does not have yet. */
export function withDuration(training) {
  const pauses = (training.pauses ?? []).map(({ from, until }) => ({ from: timeOf(from), until: timeOf(until) }));
  const seconds = activeSeconds({ startedAt: timeOf(training.startedAt), endedAt: timeOf(training.endedAt), pauses }, 0);
  return { ...training, activeSeconds: seconds };
}

/** Whether the server may not have the end of a training that this device recorded. */
export const isUnsent = (net, record) => record?.state === "finished"
  && (net.state !== "live" || net.writes.find("training.finish", record.id) !== null);

/** Whether the server may never have taken the start of a training that ended on this device. */
export const isUnstarted = (record) => record.state === "finished" && !record.isSent;

/** The training of a record with the corrections that wait. */
export function shownTraining(net, record) {
  return withDuration(net.writes.shown("training.get", { training: record.id }, asTraining(record)));
}

/** A row of the list of past trainings, from a training. */
export function rowOf({ id, workout, plan, state, startedAt, endedAt, activeSeconds: seconds, sets, note }) {
  const { done, reps } = figuresOf(sets);
  return {
    id, workout, title: plan.title, type: plan.type, state, startedAt, endedAt, activeSeconds: seconds, setsDone: done, reps,
    ...(note && { note }), isWaiting: true,
  };
}

/**
 * The trainings of the server's list with those of the records that it may not have, the latest first. `workout` leaves those of one
 * workout; one whose deletion waits is left out. `isRefused`: nothing sends it until its own page is opened.
 */
export function withUnsent(trainings, records, net, { workout = null } = {}) {
  const isRemoved = (id) => net.writes.find("training.remove", id) !== null;
  const isOpen = (record) => isUnsent(net, record) || isUnstarted(record);
  const own = records.filter((record) => isOpen(record) && !isRemoved(record.id) && (!workout || record.workout === workout))
    // A list that the server sent after the end has more than the record: the calories.
    .filter(({ id }) => !trainings.some((one) => one.id === id && one.state === "finished"))
    .map((record) => ({ ...rowOf(shownTraining(net, record)), ...(!isUnsent(net, record) && { isRefused: true }) }));
  const ids = new Set(own.map(({ id }) => id));
  return [...trainings.filter(({ id }) => !ids.has(id)), ...own]
    .sort((one, other) => Date.parse(other.startedAt) - Date.parse(one.startedAt));
}
