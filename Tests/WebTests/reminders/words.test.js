import assert from "node:assert/strict";
import { test } from "node:test";
import { clientName } from "../../../Sources/WebApp/reminders/push.js";
import { addressProblem, leadLabel, switched } from "../../../Sources/WebApp/reminders/words.js";

test("a time before an event has the largest unit that divides it", () => {
  assert.deepEqual([15, 60, 45, 120, 61, 4_320, 1].map(leadLabel),
    ["15 minutes", "1 hour", "45 minutes", "2 hours", "61 minutes", "3 days", "1 minute"]);
});

test("a switch changes one channel of one kind", () => {
  const choices = [{ kind: "event", channels: ["push", "email"] }, { kind: "goal", channels: [] }];
  assert.deepEqual(switched(choices, "event", "push", false), [{ kind: "event", channels: ["email"] }, choices[1]]);
  assert.deepEqual(switched(choices, "event", "push", true), [{ kind: "event", channels: ["email", "push"] }, choices[1]]);
  assert.deepEqual(switched(choices, "goal", "text", true), [choices[0], { kind: "goal", channels: ["text"] }]);
});

test("an address fits its channel, and an empty one for mail is the account's", () => {
  const isGood = (channel, text) => addressProblem(channel, text) === null;
  assert.deepEqual(["", "a@b.org", "a@b", "a b@c.org"].map((text) => isGood("email", text)), [true, true, false, false]);
  assert.deepEqual(["+65 9123-4567", "9123 4567", ""].map((text) => isGood("text", text)), [true, false, false]);
});

test("a browser is named by its first mark and its system", () => {
  assert.equal(clientName("Mozilla/5.0 (Windows NT 10.0) AppleWebKit Chrome/120 Safari/537 Edg/120"), "Edge on Windows");
  assert.equal(clientName("Mozilla/5.0 (X11; Linux x86_64) Gecko Firefox/128"), "Firefox on Linux");
  assert.equal(clientName("curl/8"), "Browser");
});
