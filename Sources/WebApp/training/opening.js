// How a guided session begins or goes on: with a workout, with what this device keeps, or with what the server has.

import { keptAt } from "../connection/keptage.js";
import { deviceID } from "./device.js";
import { Guide } from "./guide.js";
import { isRemoved } from "./kept.js";
import { endProblem, isEndWrong, newRecord, recordOf } from "./record.js";
import { TrainingSync } from "./sync.js";

/**
 * The record of a training with its origin, `{record, origin}`: `new` for one that begins now, `here` for one that this device guided,
 * `elsewhere` for one of another device. Null when the training has ended. One that ended here and is open at the server is ended there; if
 * the server refuses that, the record goes on with its `problem`. Rejects when the server is needed and does not answer.
 */
export async function openRecord({ net, records }, { id, workout, group }) {
  const account = net.account.id;
  const kept = await records.get(account, id).catch(() => null);
  if (kept?.state === "finished") return endAgain({ net, records }, kept);
  if (kept) return { record: kept, origin: "here" };
  const training = await find(net, id, { mayBeNew: Boolean(workout) });
  if (!training) return { record: await begin(net, { id, workout, group }), origin: "new" };
  if (training.state === "finished") return null;
  return { record: recordOf(training, { account }), origin: training.device === deviceID() ? "here" : "elsewhere" };
}

/**
 * Sends the end of a training that this device keeps as finished. Null when the server has it, when it waits to be sent, or when the
 * training was deleted on another device. The server ignores it when another device took the training over.
 */
async function endAgain({ net, records }, record) {
  const guide = new Guide(record, { now: () => net.clock.now() });
  const sync = new TrainingSync(net, guide);
  const started = record.isSent ? {} : await sync.start();
  const { reply, error } = started.error ? started : await sync.finish();
  sync.stop();
  const isDeleted = error && isRemoved(error);
  if (reply || isDeleted) await records.remove(record.account, record.id).catch(() => {});
  if (reply && reply.state !== "finished") return { record: recordOf(reply, { account: record.account }), origin: "elsewhere" };
  if (!error || isDeleted) return null;
  guide.reopen({ keepsEnd: !isEndWrong(error) });
  await records.put(guide.record).catch(() => {});
  return { record: guide.record, origin: "here", problem: endProblem(error) };
}

/** The training as the server has it; null for one that it does not have, if it `mayBeNew`. */
async function find(net, id, { mayBeNew }) {
  if (mayBeNew && net.state !== "live") return null;
  try {
    return await net.request("training.get", { training: id });
  } catch (error) {
    if (mayBeNew && (error.isNotFound || error.isTransient)) return null;
    throw error;
  }
}

/** Whether the account shows its heart-rate zone to a live group: coming back must not change that. */
async function sharesZoneIn(net, group) {
  if (net.writes.find("together.join", group)?.sharesZone === false) return false;
  const { groups } = await net.request("together.list");
  const members = groups.find(({ id }) => id === group)?.members ?? [];
  return members.find(({ username }) => username === net.account.username)?.sharesZone ?? false;
}

/** The record of a training of a workout, or of the workout of a live group. */
async function begin(net, { id, workout, group }) {
  const own = { account: net.account.id, id, device: deviceID() };
  if (group) {
    const joined = await net.request("together.join", { group, sharesZone: await sharesZoneIn(net, group) });
    return newRecord({ ...own, workout: joined.workout, together: group, plan: joined.plan, exercises: joined.exercises,
      now: net.clock.now(), isPlanSent: true });
  }
  const found = await net.read("workouts.get", { workout });
  const isChanged = net.writes.find("workouts.save", workout) !== null;
  return newRecord({
    ...own, workout, plan: found.plan, exercises: found.exercises, now: net.clock.now(), isPlanSent: isChanged || keptAt(found) !== null,
  });
}
