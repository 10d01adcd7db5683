// Workouts that were saved here and are not at the server yet: what pages show of them meanwhile.

import { countSets, entriesOf } from "./plan.js";

/** A workout as this device has it before the server does. `isLocal`: the server has none with this id, as far as is known. */
export function localWorkout({ id, plan, exercises, now, before = null }) {
  const at = new Date(now).toISOString();
  const used = new Set(entriesOf(plan).map(({ exercise }) => exercise));
  return {
    revision: 0, status: "notStarted", createdAt: at, isLocal: true, ...before, id, plan, changedAt: at,
    exercises: exercises.filter((one) => used.has(one.id)),
  };
}

/** Keeps it in place of the reply that is missing. */
export function keepSaved(net, workout) {
  net.keep("workouts.get", { workout: workout.id }, workout);
}

/** A workout in a list, from its page. */
export function summaryOf({ plan, exercises: _exercises, ...workout }) {
  const { title, type, intensity, minutes, place, equipment, tags } = plan;
  return { ...workout, title, type, intensity, minutes, place, equipment, tags, exercises: entriesOf(plan).length, sets: countSets(plan) };
}

/** The list with the workouts that wait to be saved: new ones first. `waiting` are changes of the write queue. */
export function withWaiting(workouts, waiting, { now, filter = "all" }) {
  const saves = waiting.filter(({ method }) => method === "workouts.save");
  const removed = new Set(waiting.filter(({ method }) => method === "workouts.remove").map(({ params }) => params.workout));
  const changed = workouts.filter(({ id }) => !removed.has(id)).map((one) => {
    const save = saves.findLast(({ params }) => params.id === one.id);
    return save ? { ...one, ...planFigures(save.params.plan), isWaiting: true } : one;
  });
  const isNew = ({ params }) => !workouts.some(({ id }) => id === params.id) && params.revision === undefined && !removed.has(params.id);
  const fresh = ["all", "notStarted"].includes(filter) ? saves.filter(isNew) : [];
  return [...fresh.map(({ params }) => ({ ...summaryOf(localWorkout({ ...params, exercises: [], now })), isWaiting: true })), ...changed];
}

function planFigures(plan) {
  const { title, type, intensity, minutes, place, equipment, tags } = plan;
  return { title, type, intensity, minutes, place, equipment, tags, exercises: entriesOf(plan).length, sets: countSets(plan) };
}
