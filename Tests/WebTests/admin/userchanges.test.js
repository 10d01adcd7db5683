import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, changesText, needsPassword, problemsOf } from "../../../Sources/WebApp/admin/userchanges.js";

const user = { username: "annaruns", role: "student" };

test("changes are the members that differ; an empty email leaves it as it is", () => {
  assert.deepEqual(changesOf(user, { username: "annaruns", email: "", role: "student" }), {});
  assert.deepEqual(changesOf(user, { username: "annawalks", email: "a@example.org", role: "lecturer" }),
    { username: "annawalks", email: "a@example.org", role: "lecturer" });
});

test("an email, a new admin and any change of an admin need the password", () => {
  assert.ok(needsPassword(user, { email: "a@example.org" }));
  assert.ok(needsPassword(user, { role: "admin" }));
  assert.ok(!needsPassword(user, { role: "lecturer" }));
  assert.ok(needsPassword({ ...user, role: "admin" }, { username: "annawalks" }));
  assert.ok(!needsPassword({ ...user, role: "admin" }, {}));
});

test("changes are stated in plain words", () => {
  assert.equal(changesText({ username: "annawalks", role: "admin" }), "New username: annawalks. New role: Admin.");
});

test("a form without changes, or without a needed password, is not sent", () => {
  const values = { username: "annaruns", email: "", password: "" };
  assert.deepEqual(problemsOf(user, {}, values), { username: "Change something first." });
  assert.deepEqual(problemsOf(user, { role: "admin" }, values), { password: "Enter your password." });
  assert.deepEqual(problemsOf(user, { role: "admin" }, { ...values, password: "x" }), {});
  assert.ok(problemsOf(user, { username: "a" }, { ...values, username: "a" }).username);
});
