// The trainings to go on with: those that the server has as open, and those that only this device knows. No DOM.

import { keptAt } from "../connection/keptage.js";
import { TrainingRecords } from "../connection/trainingrecords.js";

/**
 * `[{id, title, workout, startedAt}]`, the latest first. `trainings` are the server's, null when they are not known; `isCurrent`: it has
 * these now. `records` are those of this device: one that the server knows and has no longer as open ended on another device.
 */
export function openTrainings({ trainings, isCurrent, records }) {
  const known = (trainings ?? []).map(({ id, plan, workout, startedAt }) => ({
    id, title: plan.title, workout: workout ?? null, startedAt: Date.parse(startedAt),
  }));
  const own = records.filter(({ id, state, isSent }) => state !== "finished" && !known.some((one) => one.id === id)
    && !(isCurrent && isSent));
  return [...known, ...own.map(({ id, plan, workout, startedAt }) => ({ id, title: plan.title, workout, startedAt }))]
    .sort((one, other) => other.startedAt - one.startedAt);
}

/** The trainings to go on with, also without a connection. */
export async function loadOpenTrainings(net, records = new TrainingRecords()) {
  const account = net.account?.id;
  const [reply, kept] = await Promise.all([
    net.read("training.current").catch(() => null),
    records.all(account).catch(() => []),
  ]);
  return openTrainings({ trainings: reply?.trainings ?? null, isCurrent: reply !== null && keptAt(reply) === null, records: kept });
}
