// A training as this device keeps it while it guides it. Times are those of the server as far as they are known, in ms. Pure.

import { sentence } from "../kit/format.js";
import { mergedSets, nextPlanned, sequenceOf, setsOfPlan } from "./sets.js";

const text = (time) => new Date(time).toISOString();
const timesOf = (sets) => Object.fromEntries(sets.map(({ id, at }) => [id, at]));

/** The server takes no more sets in one request. */
export const setsMax = 300;
/** The server takes no more heart rates in one request. */
const samplesMax = 600;
/** Longest training that the server takes. */
export const trainingMillisecondsMax = 24 * 3_600_000;
const afterLastSetMilliseconds = 60_000;

/** The record of a training that begins now. `isPlanSent`: the server may not have this plan. */
export function newRecord({ account, id, workout, together = null, plan, exercises, device, now, isPlanSent = false }) {
  const sets = setsOfPlan(plan, text(now));
  return {
    account, id, workout, together, plan, exercises, device, isPlanSent, startedAt: now, endedAt: null, generation: 0, lastAt: now,
    state: "exercise", current: sequenceOf(plan, sets)[0]?.set.id ?? null, restEndsAt: null, restLeft: null, restLength: null,
    setStartedAt: null, stopped: null, pauses: [], sets, acked: timesOf(sets), pulse: [], chunks: [], note: "", isWarm: false,
    isSent: false,
  };
}

/** The record of a training that the server has; `before` is what this device kept of it. */
export function recordOf(training, { account, before = null }) {
  const pauses = training.pauses.map(({ from, until }) => ({ from: Date.parse(from), until: until ? Date.parse(until) : null }));
  const sets = mergedSets(training.sets, before?.sets ?? []);
  const planned = nextPlanned(sequenceOf(training.plan, sets));
  const isPaused = pauses.some(({ until }) => until === null);
  const startedAt = Date.parse(training.startedAt);
  return {
    account, id: training.id, workout: training.workout ?? null, together: training.together ?? null, plan: training.plan,
    exercises: training.exercises, device: training.device, isPlanSent: false, startedAt,
    endedAt: training.endedAt ? Date.parse(training.endedAt) : null, generation: training.generation,
    lastAt: Math.max(startedAt, before?.lastAt ?? 0, ...sets.map(({ at }) => Date.parse(at))),
    state: training.state === "finished" ? "finished" : isPaused ? "paused" : planned ? "exercise" : "complete",
    current: planned?.set.id ?? null, restEndsAt: null, restLeft: null, restLength: null, setStartedAt: null, stopped: null, pauses, sets,
    acked: timesOf(training.sets),
    pulse: before?.pulse ?? [], chunks: before?.chunks ?? [], note: before?.note ?? training.note ?? "", isWarm: true, isSent: true,
  };
}

/** The name of an exercise of a record. */
export const exerciseName = ({ exercises }, id) => exercises.find((one) => one.id === id)?.name
  ?? "An exercise that is no longer available";

/** Seconds of a training without its pauses, up to its end or to `now`. */
export function activeSeconds({ startedAt, endedAt, pauses }, now) {
  const end = endedAt ?? now;
  const paused = pauses.reduce((sum, { from, until }) => sum + Math.max(0, Math.min(until ?? end, end) - Math.max(from, startedAt)), 0);
  return Math.max(0, (end - startedAt - paused) / 1_000);
}

/** The sets that the server may not have in this form. */
export const unsentSets = ({ sets, acked }) => sets.filter(({ id, at }) => acked[id] !== at);

/** The pauses in the form of the protocol. */
export const wirePauses = ({ pauses }) => pauses.map(({ from, until }) => ({ from: text(from),
  ...(until !== null && { until: text(until) }) }));

/** The parameters of `training.start` for a record. */
export function startOf({ id, workout, together, startedAt, device, plan, isPlanSent }) {
  return { id, workout, ...(together && { together }), startedAt: text(startedAt), device, ...(isPlanSent && { plan }) };
}

/** The parameters of `training.record` with the sets and pauses that the server may not have, or null. */
export function changesOf(record) {
  const sets = unsentSets(record).slice(0, setsMax);
  const pauses = wirePauses(record);
  const isPauseNew = JSON.stringify(pauses) !== (record.sentPauses ?? "[]");
  return sets.length > 0 || isPauseNew ? { training: record.id, generation: record.generation, sets, pauses } : null;
}

/** Heart rates, in requests that the server takes. */
export const chunksOf = (pulse) => Array.from({ length: Math.ceil(pulse.length / samplesMax) }, (_, index) => (
  pulse.slice(index * samplesMax, (index + 1) * samplesMax)));

/** The parameters of `training.finish` for a record that has ended. */
export function finishOf(record) {
  return {
    training: record.id, ...(record.isSent && record.generation > 0 && { generation: record.generation }),
    endedAt: text(record.endedAt), pauses: wirePauses(record), sets: unsentSets(record).slice(0, setsMax),
    ...(record.note.trim() && { note: record.note.trim() }),
  };
}

/**
 * The time of an end that the server refused, or null. The training is paused since then: when it is finished without going on, it keeps
 * that end.
 */
export function keptEnd({ refusedEndAt = null, pauses }) {
  const last = pauses.at(-1);
  return refusedEndAt !== null && last?.until === null && last.from === refusedEndAt ? refusedEndAt : null;
}

/** Whether the server refused an end because of its time, which comes from the clock of the device. */
export const isEndWrong = (error) => error.data?.field === "endedAt";

/** Why the server refused an end, and what to do. */
export const endProblem = (error) => (isEndWrong(error) ? "The clock of this device was wrong. Finish the workout again."
  : sentence(error.message));

/** The time of the latest change of a training that this device knows. */
export const lastChange = ({ lastAt, pauses }) => Math.max(lastAt, ...pauses.map(({ from, until }) => until ?? from));

/**
 * The time at which a training ends that is finished at `now`. One that was forgotten ends with its last set, because the server takes no
 * longer one.
 */
export function endOf(record, now) {
  const { startedAt, sets } = record;
  const kept = keptEnd(record);
  if (kept !== null) return kept;
  if (now - startedAt <= trainingMillisecondsMax) return Math.max(now, startedAt + 1);
  const last = Math.max(startedAt, ...sets.filter(({ state }) => state !== "planned").map(({ at }) => Date.parse(at)));
  return Math.min(startedAt + trainingMillisecondsMax, last + afterLastSetMilliseconds);
}

/** Whether a training was forgotten: it is longer than the server takes. */
export const isForgotten = ({ startedAt }, now) => now - startedAt > trainingMillisecondsMax;
