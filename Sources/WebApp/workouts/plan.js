// The plan of a workout: figures, and its changes in the editor. Each change gives another plan. Pure.

import { uuid } from "../client/uuid.js";

/** The contract's limits of a plan. */
export const planLimits = {
  title: 80, description: 2_000, minutes: 600, tags: 10, tag: 30, entries: 60, sets: 300, setsOfEntry: 20, entriesOfGroup: 5, note: 200,
  restSeconds: 3_600, videos: 6, videoTitle: 120, url: 500, reps: 1_000, kilograms: 1_000, seconds: 86_400, metres: 1_000_000,
};

export const sectionOrder = ["warmUp", "main", "coolDown"];
/** A rep takes about so long, for estimates. */
const secondsOfRep = 4;
/** And a set without reps or time. */
const secondsOfSet = 45;
/** A slow run or a brisk swim, for estimates of sets with a distance alone. */
const metresPerSecond = 1.6;

/** All entries of a plan or of one section, in order. */
export const entriesOf = (part) => ("sections" in part ? part.sections : [part]).flatMap(({ groups }) => groups.flatMap(({ entries }) =>
  entries));
export const countSets = (part) => entriesOf(part).reduce((sum, { sets }) => sum + sets.length, 0);

const durationOf = ({ reps, seconds, metres }) => seconds ?? (metres ? metres / metresPerSecond
  : (reps ? reps * secondsOfRep : secondsOfSet));

/** Estimated seconds of a section, with its rests. */
export const sectionSeconds = (section) => entriesOf(section).reduce((sum, { sets, restSeconds }) => (
  sum + sets.reduce((all, set) => all + durationOf(set) + restSeconds, 0)), 0);

/** A plan to begin with. */
export const emptyPlan = () => ({
  title: "", type: "strength", intensity: "moderate", minutes: 30, place: "anywhere", equipment: [], tags: [], videos: [],
  sections: sectionOrder.map((kind) => ({ kind, groups: [] })),
});

/** A plan with all three sections, as the editor shows it. */
export const withSections = (plan) => ({
  ...plan,
  sections: sectionOrder.map((kind) => plan.sections.find((section) => section.kind === kind) ?? { kind, groups: [] }),
});

/** A plan as it is saved: without empty sections and texts. */
export function savedPlan({ description, destination, destinationName: _name, ...plan }) {
  return {
    ...plan, title: plan.title.trim(), ...(description?.trim() && { description: description.trim() }), ...(destination && { destination }),
    sections: plan.sections.filter(({ groups }) => groups.length > 0),
  };
}

/** Whether two plans are saved alike. */
export const samePlan = (one, other) => JSON.stringify(ordered(savedPlan(one))) === JSON.stringify(ordered(savedPlan(other)));

/** With the members of objects in one order, and without those that have no value. */
function ordered(value) {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).filter((key) => value[key] !== undefined && value[key] !== null).sort()
    .map((key) => [key, ordered(value[key])]));
}

/** A set for an exercise that records these measures. */
export function usualSet(measures) {
  return {
    ...(measures.includes("reps") && { reps: 10 }), ...(measures.includes("weight") && { kilograms: 0 }),
    ...(measures.includes("time") && !measures.includes("reps") && { seconds: measures.includes("distance") ? 600 : 30 }),
    ...(measures.includes("distance") && !measures.includes("time") && { metres: 400 }),
  };
}

/** An entry for an exercise in a section. */
export function newEntry({ id, measures }, kind, makeId = uuid) {
  const isMain = kind === "main";
  const hasReps = measures.includes("reps");
  return {
    id: makeId(), exercise: id, sets: Array.from({ length: isMain && hasReps ? 3 : 1 }, () => usualSet(measures)),
    restSeconds: isMain && hasReps ? 60 : 15,
  };
}

const changeSection = (plan, kind, change) => (
  { ...plan, sections: plan.sections.map((section) => (section.kind === kind ? { ...section, groups: change(section.groups) }
    : section)) });

/** Where an entry is: `{kind, group, entry}` with indexes, or null. */
export function placeOf(plan, id) {
  for (const { kind, groups } of plan.sections) {
    for (const [group, { entries }] of groups.entries()) {
      const entry = entries.findIndex((one) => one.id === id);
      if (entry >= 0) return { kind, group, entry };
    }
  }
  return null;
}

/** Id of the entry behind another one in its section, else of the one before it; null when it is alone. */
export function neighbourOf(plan, id) {
  const section = plan.sections.find((one) => entriesOf(one).some((entry) => entry.id === id));
  const entries = section ? entriesOf(section) : [];
  const index = entries.findIndex((entry) => entry.id === id);
  return (entries[index + 1] ?? entries[index - 1])?.id ?? null;
}

export const withEntry = (plan, kind, entry) => changeSection(plan, kind, (groups) => [...groups, { entries: [entry] }]);

export const withChangedEntry = (plan, id, change) => ({
  ...plan,
  sections: plan.sections.map((section) => ({
    ...section, groups: section.groups.map((group) => ({ entries: group.entries.map((one) => (one.id === id ? { ...one, ...change }
      : one)) })),
  })),
});

export const withoutEntry = (plan, id) => ({
  ...plan,
  sections: plan.sections.map((section) => ({
    ...section, groups: section.groups.map(({ entries }) => ({ entries: withRestKept(entries, id) }))
      .filter(({ entries }) => entries.length > 0),
  })),
});

function swapped(list, index, by) {
  const other = index + by;
  if (index < 0 || other < 0 || other >= list.length) return list;
  const moved = [...list];
  [moved[index], moved[other]] = [moved[other], moved[index]];
  return moved;
}

/** Entries in another order, with the rests where they were: the rest of a superset stays behind its last exercise. */
const withRestsOf = (before, entries) => entries.map((entry, index) => ({ ...entry, restSeconds: before[index].restSeconds }));

/**
 * Moves an entry up (-1) or down (1): within its superset, else with its group past the next one, else into the section before or behind.
 * The same plan when there is nowhere to go.
 */
export function withMoved(plan, id, by) {
  const place = placeOf(plan, id);
  if (!place) return plan;
  const { groups } = plan.sections.find(({ kind }) => kind === place.kind);
  const { entries } = groups[place.group];
  const within = swapped(entries, place.entry, by);
  if (within !== entries) return changeSection(plan, place.kind, (all) =>
    all.map((group) => (group.entries === entries ? { entries: withRestsOf(entries, within) } : group)));
  const among = swapped(groups, place.group, by);
  if (among !== groups) return changeSection(plan, place.kind, () => among);
  const target = sectionOrder[sectionOrder.indexOf(place.kind) + by];
  if (!target) return plan;
  const moved = groups[place.group];
  const without = changeSection(plan, place.kind, (all) => all.filter((group) => group !== moved));
  return changeSection(without, target, (all) => (by < 0 ? [...all, moved] : [moved, ...all]));
}

/** Rest after a round of a superset: that of the last exercise, or of any when the last one has none. */
const roundRest = (entries) => entries.at(-1).restSeconds || Math.max(...entries.map(({ restSeconds }) => restSeconds));

/** The entries of a superset: the rest comes after a round, behind the last exercise. */
const withRestAtEnd = (entries, rest = roundRest(entries)) => entries.map((entry, index) => (
  { ...entry, restSeconds: index < entries.length - 1 ? 0 : rest }));

/** Joins an entry's group to the one above it as a superset, whose sets alternate. The same plan when there is none, or it is too large. */
export function withJoined(plan, id) {
  const place = placeOf(plan, id);
  if (!place || place.group === 0) return plan;
  const { groups } = plan.sections.find(({ kind }) => kind === place.kind);
  const entries = [...groups[place.group - 1].entries, ...groups[place.group].entries];
  if (entries.length > planLimits.entriesOfGroup) return plan;
  return changeSection(plan, place.kind, () => [...groups.slice(0, place.group - 1), { entries: withRestAtEnd(entries) },
    ...groups.slice(place.group + 1)]);
}

/** The other entries of a group; the last of them has the rest of the group if it has none. */
function withRestKept(entries, id) {
  const left = entries.filter((one) => one.id !== id);
  const isLastGone = entries.at(-1).id === id && left.length > 0;
  return isLastGone ? [...left.slice(0, -1), { ...left.at(-1), restSeconds: left.at(-1).restSeconds || roundRest(entries) }] : left;
}

/** Takes an entry out of its superset, behind it. The same plan when it is in none. */
export function withSplit(plan, id) {
  const place = placeOf(plan, id);
  if (!place || plan.sections.find(({ kind }) => kind === place.kind).groups[place.group].entries.length < 2) return plan;
  return changeSection(plan, place.kind, (groups) => groups.flatMap((group, index) => {
    if (index !== place.group) return [group];
    const own = group.entries[place.entry];
    const rest = roundRest(group.entries);
    return [{ entries: withRestKept(group.entries, id) }, { entries: [{ ...own, restSeconds: own.restSeconds || rest }] }];
  }));
}

const linkShape = /^https:\/\/[^\s/]+\.[^\s]+$/;
const outside = (value, max) => value !== undefined && value !== null && !(value >= 0 && value <= max);

function setProblem({ reps, kilograms, seconds, metres }) {
  if (outside(reps, planLimits.reps)) return "Enter 0 to 1,000 reps.";
  if (outside(kilograms, planLimits.kilograms)) return "Enter 0 to 1,000 kg.";
  if (outside(seconds, planLimits.seconds)) return "A set lasts at most 24 hours.";
  return outside(metres, planLimits.metres) ? "A distance is at most 1,000 km." : null;
}

/** Problems of a plan before it is saved, as `{field: message}`; `entry <id>` is the field of an entry. */
export function planProblems(plan) {
  const problems = {};
  const title = plan.title.trim();
  if (title === "") problems.title = "Give the workout a name.";
  else if ([...title].length > planLimits.title) problems.title = `Use at most ${planLimits.title} characters.`;
  if ([...(plan.description ?? "")].length > planLimits.description) problems.description = "Use at most 2,000 characters.";
  if (!(plan.minutes >= 1 && plan.minutes <= planLimits.minutes)) problems.minutes = "Enter 1 to 600 minutes.";
  for (const [index, { title: name, url }] of plan.videos.entries()) {
    if (!linkShape.test(url) || url.length > planLimits.url) problems[`video-${index}`] = "Enter an address that begins with https://";
    else if (name.trim() === "") problems[`video-${index}`] = "Give the video a title.";
  }
  const entries = entriesOf(plan);
  if (entries.length === 0) problems.sections = "Add at least one exercise.";
  else if (entries.length > planLimits.entries) problems.sections = `A workout has at most ${planLimits.entries} exercises.`;
  else if (countSets(plan) > planLimits.sets) problems.sections = `A workout has at most ${planLimits.sets} sets.`;
  for (const { id, sets } of entries) {
    const problem = sets.length === 0 ? "Add a set, or remove the exercise." : sets.map(setProblem).find(Boolean);
    if (problem) problems[`entry ${id}`] = problem;
  }
  return problems;
}

/** The tags after one was entered: the same list when it is empty, there already, or one too many. */
export function withTag(tags, text) {
  const tag = [...text.trim().replace(/\s+/g, " ")].slice(0, planLimits.tag).join("");
  const isKnown = tags.some((one) => one.toLowerCase() === tag.toLowerCase());
  return tag === "" || isKnown || tags.length >= planLimits.tags ? tags : [...tags, tag];
}
