import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { directionsTo } from "../../../Sources/WebApp/sharing/words.js";

test("directions to a person name the account of the share", () => {
  assert.equal(directionsTo({ account: "0199-ab", name: "Ben" }), "/route?to=person/0199-ab");
});
