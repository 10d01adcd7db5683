// The sets of a training: their order, the merge of changes of several devices, and figures. Pure.

/** The sets of a plan before the first is done. `at` is the time of the start, in the form of the protocol. */
export function setsOfPlan(plan, at) {
  return plan.sections.flatMap(({ groups }) => groups.flatMap(({ entries }) => entries.flatMap(({ id, sets }) => (
    sets.map((values, position) => ({ id: `${id}/${position}`, entry: id, position, state: "planned", values, at }))))));
}

const timeOf = ({ at }) => Date.parse(at);

/** The sets with those that another device changed later: the latest change of each wins, and of equal times the first list's. */
export function mergedSets(sets, theirs) {
  const others = new Map(theirs.map((set) => [set.id, set]));
  const merged = sets.map((set) => {
    const other = others.get(set.id);
    others.delete(set.id);
    return other && timeOf(other) > timeOf(set) ? other : set;
  });
  return [...merged, ...others.values()];
}

/**
 * The sets in the order in which they are done, without removed ones: `{set, entry, section, round, rounds, group}` each. Sets of a
 * superset alternate.
 */
export function sequenceOf(plan, sets) {
  const ofEntry = new Map();
  for (const set of sets) {
    if (set.state !== "removed") ofEntry.set(set.entry, [...ofEntry.get(set.entry) ?? [], set]);
  }
  for (const own of ofEntry.values()) own.sort((one, other) => one.position - other.position || (one.id < other.id ? -1 : 1));
  return plan.sections.flatMap(({ kind, groups }) => groups.flatMap((group) => {
    const rounds = Math.max(0, ...group.entries.map(({ id }) => ofEntry.get(id)?.length ?? 0));
    return Array.from({ length: rounds }, (_, round) => group.entries.flatMap((entry) => {
      const own = ofEntry.get(entry.id) ?? [];
      return round < own.length ? [{ set: own[round], entry, section: kind, round, rounds: own.length, group }] : [];
    })).flat();
  }));
}

/** The step after the set `id` that is still planned, or else the first planned one; null when none is left. */
export function nextPlanned(sequence, id = null) {
  const index = sequence.findIndex(({ set }) => set.id === id);
  const isPlanned = ({ set }) => set.state === "planned";
  return sequence.slice(index + 1).find(isPlanned) ?? sequence.find(isPlanned) ?? null;
}

/** `{done, total, skipped, reps, kilograms}` of the sets that were not removed; `kilograms` is the weight moved. */
export function figuresOf(sets) {
  const shown = sets.filter(({ state }) => state !== "removed");
  const done = shown.filter(({ state }) => state === "done");
  return {
    done: done.length, total: shown.length, skipped: shown.filter(({ state }) => state === "skipped").length,
    reps: done.reduce((sum, { values }) => sum + (values.reps ?? 0), 0),
    kilograms: done.reduce((sum, { values }) => sum + (values.reps ?? 0) * (values.kilograms ?? 0), 0),
  };
}
