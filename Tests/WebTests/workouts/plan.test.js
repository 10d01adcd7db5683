import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countSets, emptyPlan, entriesOf, neighbourOf, newEntry, planLimits, planProblems, samePlan, savedPlan, sectionSeconds, usualSet, withChangedEntry, withEntry,
  withJoined, withMoved, withSections, withSplit, withoutEntry,
} from "../../../Sources/WebApp/workouts/plan.js";

const entry = (id, sets = [{ reps: 10 }]) => ({ id, exercise: `campanile/${id}`, sets, restSeconds: 60 });
const planOf = (...ids) => ids.reduce((plan, id) => withEntry(plan, "main", entry(id)), { ...emptyPlan(), title: "Legs" });
const groupsOf = (plan, kind = "main") => plan.sections.find((section) => section.kind === kind).groups.map(({ entries }) => entries.map(({ id }) => id));

test("an entry moves past groups, within its superset, and into the sections around", () => {
  const plan = planOf("a", "b", "c");
  assert.deepEqual(groupsOf(withMoved(plan, "b", -1)), [["b"], ["a"], ["c"]]);
  const joined = withJoined(plan, "b");
  assert.deepEqual(groupsOf(joined), [["a", "b"], ["c"]]);
  assert.deepEqual(groupsOf(withMoved(joined, "b", -1)), [["b", "a"], ["c"]]);
  assert.deepEqual(groupsOf(withMoved(joined, "b", 1)), [["c"], ["a", "b"]]);
  const up = withMoved(plan, "a", -1);
  assert.deepEqual([groupsOf(up, "warmUp"), groupsOf(up)], [[["a"]], [["b"], ["c"]]]);
  assert.equal(withMoved(up, "a", -1), up);
  assert.deepEqual(groupsOf(withMoved(plan, "c", 1), "coolDown"), [["c"]]);
});

test("a superset has at most five entries, and an entry leaves it behind it", () => {
  const five = ["b", "c", "d", "e"].reduce(withJoined, planOf("a", "b", "c", "d", "e", "f"));
  assert.deepEqual(groupsOf(five), [["a", "b", "c", "d", "e"], ["f"]]);
  assert.equal(withJoined(five, "f"), five);
  assert.equal(withSplit(five, "f"), five);
  assert.deepEqual(groupsOf(withSplit(five, "b")), [["a", "c", "d", "e"], ["b"], ["f"]]);
  assert.deepEqual(groupsOf(withoutEntry(planOf("a", "b"), "a")), [["b"]]);
});

test("a plan is saved without empty sections and texts, and the name of its place is the server's", () => {
  const plan = { ...planOf("a"), title: " Legs ", description: " ", destination: "place/5", destinationName: "Gym" };
  const saved = savedPlan(plan);
  assert.deepEqual(saved.sections.map(({ kind }) => kind), ["main"]);
  assert.equal(saved.title, "Legs");
  assert.ok(!("description" in saved) && !("destinationName" in saved));
  assert.ok(samePlan(plan, withSections(saved)));
  assert.ok(!samePlan(plan, withChangedEntry(plan, "a", { restSeconds: 30 })));
});

test("problems name the field, and the limits are those of the contract", () => {
  const good = planOf("a");
  assert.deepEqual(planProblems(good), {});
  assert.deepEqual(Object.keys(planProblems({ ...good, title: " ", minutes: NaN })), ["title", "minutes"]);
  assert.deepEqual(Object.keys(planProblems({ ...good, videos: [{ title: "Warm up", url: "http://example.org/a" }, { title: "", url: "https://example.org/a" }] })),
    ["video-0", "video-1"]);
  assert.deepEqual(Object.keys(planProblems({ ...emptyPlan(), title: "Empty" })), ["sections"]);
  const heavy = withChangedEntry(good, "a", { sets: [{ reps: 10, kilograms: planLimits.kilograms + 1 }] });
  assert.deepEqual(Object.keys(planProblems(heavy)), ["entry a"]);
  const long = planOf(...Array.from({ length: 16 }, (_, index) => `e${index}`));
  const many = entriesOf(long).reduce((plan, { id }) => withChangedEntry(plan, id, { sets: Array(20).fill({ reps: 1 }) }), long);
  assert.equal(countSets(many), 320);
  assert.match(planProblems(many).sections, /300 sets/);
});

test("a new entry has the sets that its exercise records", () => {
  assert.deepEqual(newEntry({ id: "campanile/squat", measures: ["reps"] }, "main", () => "x"),
    { id: "x", exercise: "campanile/squat", sets: [{ reps: 10 }, { reps: 10 }, { reps: 10 }], restSeconds: 60 });
  assert.deepEqual(usualSet(["time"]), { seconds: 30 });
  assert.deepEqual(usualSet(["reps", "weight"]), { reps: 10, kilograms: 0 });
  assert.deepEqual(usualSet(["distance"]), { metres: 400 });
});

test("the time of a section is that of its sets and rests", () => {
  const section = { kind: "main", groups: [{ entries: [{ ...entry("a", [{ seconds: 30 }, { reps: 10 }]), restSeconds: 15 }] }] };
  assert.equal(sectionSeconds(section), 30 + 15 + 40 + 15);
});

test("a superset rests after a round, not after each exercise", () => {
  const rests = (plan) => entriesOf(plan).map(({ id, restSeconds }) => [id, restSeconds]);
  const plan = withChangedEntry(planOf("a", "b", "c"), "c", { restSeconds: 90 });
  const joined = withJoined(withJoined(plan, "b"), "c");
  assert.deepEqual(rests(joined), [["a", 0], ["b", 0], ["c", 90]]);
  assert.deepEqual(rests(withMoved(joined, "c", -1)), [["a", 0], ["c", 0], ["b", 90]]);
  // Taken out, an exercise has a rest again, and the superset keeps its own.
  assert.deepEqual(rests(withSplit(joined, "c")), [["a", 0], ["b", 90], ["c", 90]]);
  assert.deepEqual(rests(withSplit(joined, "a")), [["b", 0], ["c", 90], ["a", 90]]);
  assert.deepEqual(rests(withoutEntry(joined, "c")), [["a", 0], ["b", 90]]);
  assert.deepEqual(rests(withJoined(withChangedEntry(plan, "b", { restSeconds: 0 }), "b")), [["a", 0], ["b", 60], ["c", 90]]);
});

test("after an exercise was removed, the next one of its part is at hand, or the one before it", () => {
  const plan = withEntry(planOf("a", "b"), "warmUp", entry("w"));
  assert.deepEqual(["a", "b", "w", "none"].map((id) => neighbourOf(plan, id)), ["b", "a", null, null]);
});
