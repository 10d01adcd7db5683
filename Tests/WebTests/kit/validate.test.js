import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import {
  emailProblems, firstPasswordProblems, newPasswordProblems, newUsernameProblems, passwordRule, registerProblems,
} from "../../../Sources/WebApp/kit/validate.js";

const password = "Secret123";
const rule = passwordRule({ passwordRule: "composed" });

test("a registration repeats the password, and the repetition is judged when the password is good", () => {
  const person = { username: "anna", email: "anna@campus.example", password };
  assert.deepEqual(registerProblems({ ...person, again: password }, rule), {});
  assert.deepEqual(registerProblems({ ...person, again: "Secret124" }, rule), { again: "Password mismatch" });
  assert.deepEqual(Object.keys(registerProblems({ ...person, password: "short", again: "other" }, rule)), ["password"]);
});

test("a change of the password needs the current one, a good new one, and its repetition", () => {
  assert.deepEqual(newPasswordProblems({ password: "Old12345", newPassword: password, again: password }, rule), {});
  assert.deepEqual(newPasswordProblems({ password: "", newPassword: password, again: "" }, rule),
    { password: "Enter your current password.", again: "Password mismatch" });
  assert.deepEqual(Object.keys(newPasswordProblems({ password: "x", newPassword: "", again: "" }, rule)), ["newPassword"]);
});

test("a request for a link needs an address, and a new password by the link its repetition", () => {
  assert.deepEqual(emailProblems({ email: "anna@campus.example" }), {});
  for (const email of ["", " ", "anna", "anna@campus", "a b@campus.example"]) {
    assert.deepEqual(emailProblems({ email }), { email: "Invalid Email!!!" });
  }
  assert.deepEqual(firstPasswordProblems({ password, again: password }, rule), {});
  assert.deepEqual(firstPasswordProblems({ password, again: "Secret124" }, rule), { again: "Password mismatch" });
  assert.deepEqual(Object.keys(firstPasswordProblems({ password: "short", again: "" }, rule)), ["password"]);
});

test("the operator's rule decides on length and composition; without it only the server checks composition", () => {
  const problem = (text, config) => firstPasswordProblems({ password: text, again: text }, passwordRule(config)).password ?? null;
  const words = "correct horse battery staple";
  assert.equal(problem(words, { passwordRule: "composed" }), "Password must be between 8-20 characters long!!!");
  assert.equal(problem("lower case", { passwordRule: "composed" }), "At least 1 capital [A-Z] and 1 number [0-9]!!!");
  assert.equal(problem(words, { passwordRule: "length" }), null);
  assert.equal(problem("short", { passwordRule: "length" }), "Password must be between 8-128 characters long!!!");
  assert.equal(problem("x".repeat(129), { passwordRule: "length" }), "Password must be between 8-128 characters long!!!");
  assert.equal(problem(words, null), null);
  assert.equal(problem(words, { passwordRule: "of a later server" }), null);
});

test("another username has the messages of its own", () => {
  assert.deepEqual(newUsernameProblems({ username: " " }), { username: "Missing inputs" });
  for (const username of ["abc", "has blank", "a".repeat(21), "änna"]) {
    assert.deepEqual(newUsernameProblems({ username }), { username: "Invalid Username" }, username);
  }
  assert.deepEqual(newUsernameProblems({ username: "Anna7" }), {});
});
