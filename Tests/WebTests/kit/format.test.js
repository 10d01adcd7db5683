import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonSentence } from "../../../Sources/WebApp/kit/format.js";

test("a point that did not count has a sentence for each reason", () => {
  assert.equal(reasonSentence("drift"), "You were standing still and GPS drifted.");
  assert.equal(reasonSentence("invalidParams"), "A value was outside its range.");
  for (const name of ["conflict", "forbidden", "rejected", "refused"]) assert.equal(reasonSentence(name), "The server didn't accept it.");
  assert.equal(reasonSentence("ofANewerServer"), "Of a newer server.");
});
