// Sends what this device kept of trainings when their page was closed without an end: a killed browser, an empty battery. The records stay
// as they are, because a page may be changing them; sets that come twice are the same sets to the server. No DOM.

import { changesOf, finishOf, startOf } from "./record.js";

/** Sends all that the server may not have of the trainings that this device keeps. Resolves to how many trainings that was. */
export async function sendKept({ net, records }) {
  const { account } = net;
  let sent = 0;
  for (const record of await records.all(account.id)) {
    if (net.account?.id !== account.id || net.state !== "live") break;
    try {
      if (await sendRecord(net, record)) sent += 1;
    } catch {
      // The page of the training says why when it is opened; the next start of the app sends it again.
    }
  }
  return sent;
}

async function sendRecord(net, record) {
  // A start or an end that waits in the queue of the app is the same start or end.
  const generation = record.isSent ? record.generation : (await net.request("training.start", startOf(record))).generation;
  const changes = changesOf(record);
  if (changes) await net.request("training.record", { ...changes, generation });
  for (const pulse of record.chunks) await net.request("training.record", { training: record.id, generation, pulse });
  if (record.state === "finished") await net.request("training.finish", finishOf(record));
  return Boolean(changes) || record.chunks.length > 0 || record.state === "finished";
}
