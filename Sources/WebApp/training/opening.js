// How a guided session begins or goes on: with a workout, with what this device keeps, or with what the server has.

import { keptAt } from "../connection/keptage.js";
import { deviceID } from "./device.js";
import { newRecord, recordOf } from "./record.js";

/**
 * The record of a training with its origin, `{record, origin}`: `new` for one that begins now, `here` for one that this device guided,
 * `elsewhere` for one of another device. Null when the training has ended. Rejects when the server is needed and does not answer.
 */
export async function openRecord({ net, records }, { id, workout, group, sharesZone }) {
  const account = net.account.id;
  const kept = await records.get(account, id).catch(() => null);
  if (kept) return kept.state === "finished" ? null : { record: kept, origin: "here" };
  if (workout) return { record: await begin(net, { id, workout, group, sharesZone }), origin: "new" };
  const training = await net.request("training.get", { training: id });
  if (training.state === "finished") return null;
  return { record: recordOf(training, { account }), origin: training.device === deviceID() ? "here" : "elsewhere" };
}

/** The record of a training of a workout, or of the workout of a live group. */
async function begin(net, { id, workout, group, sharesZone }) {
  const own = { account: net.account.id, id, device: deviceID() };
  if (group) {
    const joined = await net.request("together.join", { group, sharesZone });
    return newRecord({ ...own, workout: joined.workout, together: group, plan: joined.plan, exercises: joined.exercises,
      now: net.clock.now() });
  }
  const found = await net.read("workouts.get", { workout });
  const isChanged = net.writes.find("workouts.save", workout) !== null;
  return newRecord({
    ...own, workout, plan: found.plan, exercises: found.exercises, now: net.clock.now(), isPlanSent: isChanged || keptAt(found) !== null,
  });
}
