// Sends what this device kept of trainings when their page was closed without an end: a killed browser, an empty battery. The records stay
// as they are, because a page may be changing them; sets that come twice are the same sets to the server. No DOM.

import { changesOf, chunksOf, finishOf, startOf } from "./record.js";

/** Emits `change` when a record was removed that the server needs no more. */
export const keptChanges = new EventTarget();

/**
 * Sends all that the server may not have of the trainings that this device keeps. Resolves to `{sent, isDone}`: how many trainings that
 * was, and whether the connection lasted to the end. A training that has ended, or was deleted on another device, is no longer kept.
 */
export async function sendKept({ net, records }) {
  const { account } = net;
  let sent = 0;
  let isDone = true;
  const mayGoOn = () => net.account?.id === account.id && net.state === "live";
  for (const record of await records.all(account.id)) {
    if (!mayGoOn()) return { sent, isDone: false };
    try {
      const { state, isNew } = await sendRecord(net, record);
      if (isNew) sent += 1;
      if (record.state === "finished" || state === "finished") await remove(records, record);
    } catch (error) {
      // The page of a training that was refused says why when it is opened.
      if (isDeleted(error, record)) await remove(records, record).catch(() => {});
      else if (error.isTransient || !mayGoOn()) isDone = false;
    }
  }
  return { sent, isDone };
}

/**
 * Removes the record of a training that ended on this device once the queue of the app sent its end, or once the server refused its start
 * because it was deleted on another device. The page that recorded it may be closed by then. The second parameter is the detail of an event
 * of the queue.
 */
export async function forgetSettled({ account, records }, { method, params, reply, error }) {
  const isEnded = method === "training.finish" && reply?.state === "finished";
  const isDropped = method === "training.start" && error && isRemoved(error);
  if (!isEnded && !isDropped) return;
  const record = await records.get(account, isEnded ? params.training : params.id);
  if (record?.state === "finished") await remove(records, record);
}

/** Whether the server refuses the start of a training because it was deleted. */
export const isRemoved = (error) => error.isConflict && /\btraining was removed\b/.test(error.message);

const isDeleted = (error, record) => (error.isNotFound && record.isSent) || isRemoved(error);

async function remove(records, { account, id }) {
  await records.remove(account, id);
  keptChanges.dispatchEvent(new Event("change"));
}

/** Resolves to `{state, isNew}`: the state at the server, and whether it got anything. */
async function sendRecord(net, record) {
  // A start or an end that waits in the queue of the app is the same start or end.
  const generation = record.isSent ? record.generation : (await net.request("training.start", startOf(record))).generation;
  const changes = changesOf(record);
  let reply = changes ? await net.request("training.record", { ...changes, generation }) : null;
  const chunks = [...record.chunks, ...chunksOf(record.pulse)];
  for (const pulse of chunks) reply = await net.request("training.record", { training: record.id, generation, pulse });
  if (record.state === "finished") reply = await net.request("training.finish", finishOf(record));
  const isNew = reply !== null;
  reply ??= await net.request("training.get", { training: record.id });
  return { state: reply.state, isNew };
}
