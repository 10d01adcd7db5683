import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { firstPasswordProblems, newPasswordProblems, registerProblems, emailProblems } from "../../../Sources/WebApp/kit/validate.js";

const password = "Secret123";

test("a registration repeats the password, and the repetition is judged when the password is good", () => {
  const person = { username: "anna", email: "anna@campus.example", password };
  assert.deepEqual(registerProblems({ ...person, again: password }), {});
  assert.deepEqual(registerProblems({ ...person, again: "Secret124" }), { again: "Password mismatch" });
  assert.deepEqual(Object.keys(registerProblems({ ...person, password: "short", again: "other" })), ["password"]);
});

test("a change of the password needs the current one, a good new one, and its repetition", () => {
  assert.deepEqual(newPasswordProblems({ password: "Old12345", newPassword: password, again: password }), {});
  assert.deepEqual(newPasswordProblems({ password: "", newPassword: password, again: "" }),
    { password: "Enter your current password.", again: "Password mismatch" });
  assert.deepEqual(Object.keys(newPasswordProblems({ password: "x", newPassword: "", again: "" })), ["newPassword"]);
});

test("a request for a link needs an address, and a new password by the link its repetition", () => {
  assert.deepEqual(emailProblems({ email: "anna@campus.example" }), {});
  for (const email of ["", " ", "anna", "anna@campus", "a b@campus.example"]) {
    assert.deepEqual(emailProblems({ email }), { email: "Invalid Email!!!" });
  }
  assert.deepEqual(firstPasswordProblems({ password, again: password }), {});
  assert.deepEqual(firstPasswordProblems({ password, again: "Secret124" }), { again: "Password mismatch" });
  assert.deepEqual(Object.keys(firstPasswordProblems({ password: "short", again: "" })), ["password"]);
});
