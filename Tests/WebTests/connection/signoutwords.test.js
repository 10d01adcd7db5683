import assert from "node:assert/strict";
import { test } from "node:test";
import { signOutWords } from "../../../Sources/WebApp/connection/signoutwords.js";

test("a sign-out says how many changes it lost, and stays until that was read", () => {
  assert.match(signOutWords("signedOut", { unsent: 1 }).text, / 1 unsent change was lost\./);
  assert.match(signOutWords("devices", { unsent: 2 }).text, / 2 unsent changes were lost\./);
  assert.equal(signOutWords("signedOut", { unsent: 1 }).stays, true);
  assert.doesNotMatch(signOutWords("signedOut").text, /lost/);
});

test("changes that stay for the account are not lost", () => {
  assert.doesNotMatch(signOutWords("changed", { unsent: 1 }).text, /lost/);
  assert.equal(signOutWords("changed", { unsent: 1 }).stays, false);
});
