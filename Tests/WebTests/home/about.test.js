import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../../Sources/WebApp/home/facts.js";

test("the facts of the server are written for people", () => {
  const info = { version: "1.0", campus: "Bellmere University", isRegistrationOpen: false, methods: ["hello", "ping"] };
  assert.deepEqual(Object.fromEntries(factsOf(info)), {
    Campus: "Bellmere University", Version: "1.0", "New accounts": "By invitation", "Methods for apps": "2",
  });
  assert.equal(Object.fromEntries(factsOf({ ...info, isRegistrationOpen: true }))["New accounts"], "Anyone can register");
});
