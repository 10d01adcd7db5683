import "../navigator.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { KeptProfileEdits } from "../../../Sources/WebApp/profile/keptedits.js";
import { settled } from "../client/fakes.js";
import { FakeNet, fakeStorage } from "./fakes.js";

let net;
let stored;
let storage;
let seen;
beforeEach(() => {
  net = new FakeNet();
  ({ stored, storage } = fakeStorage());
});

function start() {
  const kept = new KeptProfileEdits(net, storage);
  seen = [];
  for (const type of ["waiting", "sent", "refused"]) {
    kept.addEventListener(type, (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      seen.push(detail ? `${type}: ${detail.field}: ${detail.text}` : type);
    });
  }
  return kept;
}

/** The page of the profile was opened, edited offline, and closed. */
async function editedOffline() {
  const kept = start();
  await kept.open().load();
  net.become("offline");
  kept.open().edit("degree", "Law", { isTyped: true });
  kept.leave();
  return kept;
}

test("what was typed offline is sent when the connection is back, also after the page was closed", async () => {
  const kept = await editedOffline();
  assert.deepEqual([seen, kept.waiting], [["waiting"], 1]);
  await net.become("live");
  await settled();
  assert.deepEqual([net.profile.degree, kept.waiting, seen], ["Law", 0, ["waiting", "sent"]]);
  assert.deepEqual([stored.size, net.on], [0, null]);
});

test("edits that an earlier document left wait visibly, and are sent without the page", async () => {
  stored.set("campanile.profileEdits.7", '{"degree":"Law"}');
  net.state = "closed";
  const kept = start();
  net.become("offline");
  assert.deepEqual([kept.waiting, seen], [1, ["waiting"]]);
  await net.become("live");
  await settled();
  assert.deepEqual([net.profile.degree, seen], ["Law", ["waiting", "sent"]]);
});

test("an edit that the server refuses later is reported once, with its field", async () => {
  await editedOffline();
  net.refuse = "Invalid degree";
  await net.become("live");
  await settled();
  assert.deepEqual([seen, stored.size], [["waiting", "refused: degree: Invalid degree"], 0]);
});

test("the page that is opened again has the same edits, and reports them itself", async () => {
  const kept = await editedOffline();
  const edits = kept.open();
  assert.equal(edits.value("degree"), "Law");
  await net.become("live");
  await settled();
  assert.deepEqual([edits.state("degree"), seen], ["saved", ["waiting"]]);
  kept.leave();
  assert.equal(net.on, null);
});

test("edits that are sent while the connection is live are not reported", async () => {
  const kept = start();
  await kept.open().load();
  kept.open().edit("degree", "Law", { isTyped: true });
  kept.leave();
  await settled();
  assert.deepEqual([net.profile.degree, seen, kept.waiting, net.on], ["Law", [], 0, null]);
});

test("another account gets none of the edits, and after the sign-out nothing is written", async () => {
  const kept = await editedOffline();
  stored.delete("campanile.profileEdits.7");
  net.use(null);
  assert.deepEqual([kept.waiting, stored.size, net.on], [0, 0, null]);
  net.use(8);
  await net.become("live");
  await settled();
  assert.deepEqual([net.updates, stored.size, seen], [[], 0, ["waiting"]]);
});

test("an account that returns, after an admin changed it, sends its edits", async () => {
  await editedOffline();
  net.use(null);
  net.state = "live";
  net.use(7);
  await net.on.snapshot();
  assert.equal(net.profile.degree, "Law");
});
