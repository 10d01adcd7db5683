// The pages of the list of past trainings. No DOM.

import { keptAt, noteKept } from "../connection/keptage.js";

/** The parameters of the page after these trainings. */
export const after = (trainings) => ({ before: trainings.at(-1).startedAt, beforeTraining: trainings.at(-1).id });

/**
 * The list as one reply, with as many pages as are shown: those that the person has loaded stay. Those that cannot be read now are as they
 * were shown.
 */
export async function readPages(net, params, shown) {
  const first = await net.read("training.list", params);
  let { trainings, hasMore } = first;
  while (hasMore && trainings.length > 0 && trainings.length < shown.length) {
    const next = await net.request("training.list", { ...params, ...after(trainings) }).catch(() => null);
    const { startedAt } = trainings.at(-1);
    const older = shown.filter((one) => Date.parse(one.startedAt) < Date.parse(startedAt));
    trainings = [...trainings, ...next?.trainings ?? net.writes.shown("training.list", params, { trainings: older }).trainings];
    if (!next) break;
    ({ hasMore } = next);
  }
  const reply = { ...first, trainings, hasMore };
  if (keptAt(first) !== null) noteKept(reply, keptAt(first));
  return reply;
}
