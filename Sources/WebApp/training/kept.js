// Sends what this device kept of trainings when their page was closed without an end: a killed browser, an empty battery. The records stay
// as they are, because a page may be changing them; sets that come twice are the same sets to the server. No DOM.

import { changesOf, chunksOf, finishOf, startOf } from "./record.js";

/**
 * Sends all that the server may not have of the trainings that this device keeps. Resolves to `{sent, isDone}`: how many trainings that
 * was, and whether the connection lasted to the end. A training whose end the server has is no longer kept.
 */
export async function sendKept({ net, records }) {
  const { account } = net;
  let sent = 0;
  let isDone = true;
  const mayGoOn = () => net.account?.id === account.id && net.state === "live";
  for (const record of await records.all(account.id)) {
    if (!mayGoOn()) return { sent, isDone: false };
    try {
      if (await sendRecord(net, record)) sent += 1;
      if (record.state === "finished") await records.remove(account.id, record.id);
    } catch (error) {
      // The page of a training that was refused says why when it is opened.
      if (error.isTransient || !mayGoOn()) isDone = false;
    }
  }
  return { sent, isDone };
}

async function sendRecord(net, record) {
  // A start or an end that waits in the queue of the app is the same start or end.
  const generation = record.isSent ? record.generation : (await net.request("training.start", startOf(record))).generation;
  const changes = changesOf(record);
  if (changes) await net.request("training.record", { ...changes, generation });
  const chunks = [...record.chunks, ...chunksOf(record.pulse)];
  for (const pulse of chunks) await net.request("training.record", { training: record.id, generation, pulse });
  if (record.state === "finished") await net.request("training.finish", finishOf(record));
  return Boolean(changes) || chunks.length > 0 || record.state === "finished";
}
