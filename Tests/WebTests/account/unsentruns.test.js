import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetSettings } from "../../../Sources/WebApp/connection/accountsettings.js";
import { unsentRuns } from "../../../Sources/WebApp/account/unsentruns.js";

const none = { unsent: 0, waiting: { entries: 0, points: 0 }, waitingSessions: [], refusedSessions: [], record: null };

test("logging out keeps stopped sessions that are not uploaded, and the question counts them", () => {
  assert.deepEqual(unsentRuns(none), { keeps: false, text: "" });
  assert.deepEqual(unsentRuns({ ...none, waiting: { entries: 3, points: 0 } }), { keeps: true, text: "" });
  assert.deepEqual(unsentRuns({ ...none, waiting: { entries: 42, points: 40 }, waitingSessions: [{ clientId: "a" }] }),
    { keeps: true, text: "40 points and 1 stopped session" });
  assert.deepEqual(unsentRuns({ ...none, waitingSessions: [{ clientId: "a" }], refusedSessions: [{ clientId: "b" }] }),
    { keeps: true, text: "2 stopped sessions" });
  assert.deepEqual(unsentRuns({ ...none, unsent: 1, record: {} }), { keeps: true, text: "1 point" });
});

test("after a sign-out from elsewhere neither settings nor waiting edits of the account stay, those of others do", () => {
  const stored = new Map(["settings.7", "profileEdits.7", "settings.8"].map((name) => [`campanile.${name}`, "{}"]));
  forgetSettings(7, /** @type {any} */ ({ removeItem: (key) => stored.delete(key) }));
  assert.deepEqual([...stored.keys()], ["campanile.settings.8"]);
});
