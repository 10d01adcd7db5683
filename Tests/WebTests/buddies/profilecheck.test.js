import assert from "node:assert/strict";
import { test } from "node:test";
import { ageHint, profileProblems } from "../../../Sources/WebApp/buddies/profilecheck.js";

const now = new Date(2026, 4, 4);
const given = { firstName: "Ann", lastName: "Lee", birthday: "2003-05-05", gender: "female" };
const problems = (more) => profileProblems({ ...given, ...more }, now);

test("a complete profile has no problems", () => {
  assert.deepEqual(problems({}), {});
});

test("each missing part has a problem of its own", () => {
  assert.deepEqual(Object.keys(problems({ firstName: "", lastName: "", birthday: "", gender: null })), Object.keys(given));
});

test("a name of forty characters is allowed, emoji count as one", () => {
  assert.deepEqual(problems({ firstName: "🏃".repeat(40) }), {});
  assert.deepEqual(problems({ firstName: "a".repeat(41) }), { firstName: "At most 40 characters." });
});

test("a birthday must be a date of the last 120 years", () => {
  assert.deepEqual(problems({ birthday: "2026-05-05" }), { birthday: "Check the date." });
  assert.deepEqual(problems({ birthday: "1905-05-04" }), { birthday: "Check the date." });
  assert.deepEqual(problems({ birthday: "1905-05-05" }), {});
  assert.deepEqual(problems({ birthday: "yesterday" }), { birthday: "Choose your birthday." });
});

test("the hint has the age when it is shown and plausible", () => {
  assert.equal(ageHint("2003-05-05", true, now), "Others see your age: 22.");
  assert.equal(ageHint("", true, now), "Others see your age.");
  assert.equal(ageHint("2026-01-01", true, now), "Others see your age.");
  assert.equal(ageHint("2003-05-05", false, now), "Others see an age range, such as 22–25.");
});
