// Changes of a training that has ended. Pure.

/** Later than each set, so that the change wins. */
const stampAfter = (sets, now) => new Date(Math.max(now, ...sets.map(({ at }) => Date.parse(at) + 1))).toISOString();

/** A set with other values or another state, as it is sent. */
export const changedSet = (training, id, change, now) => {
  const set = training.sets.find((one) => one.id === id);
  return set ? { ...set, ...change, at: stampAfter(training.sets, now) } : null;
};

/** Another set of an entry, done, with the values of its last one. */
export function addedSet(training, entry, id, now) {
  const own = training.sets.filter((set) => set.entry === entry);
  const last = own.filter(({ state }) => state !== "removed").at(-1) ?? own.at(-1);
  if (!last) return null;
  return {
    id: `${entry}/${id}`, entry, position: Math.max(...own.map(({ position }) => position)) + 1, state: "done", values: last.values,
    at: stampAfter(training.sets, now),
  };
}

/** The parameters of `training.edit` with those of a change that waits, which it replaces. */
export function editParams(training, waiting, { sets = [], ...change }) {
  const byId = new Map([...waiting?.sets ?? [], ...sets].map((set) => [set.id, set]));
  return { training, ...waiting, ...change, ...(byId.size > 0 && { sets: [...byId.values()] }) };
}
