import assert from "node:assert/strict";
import { test } from "node:test";
import { methodNames } from "../../../Sources/WebApp/client/registry.js";
import { isKept, isOwn, keptBytesMax, keptMethods, keptMillisecondsMax, keyOf, surplus } from "../../../Sources/WebApp/connection/kepttable.js";

const entry = (key, at, { method = "tracking.session", bytes = 10 } = {}) => ({ key, method, at, bytes });

test("the table names methods that exist and only read", () => {
  const names = Object.keys(keptMethods);
  assert.deepEqual(names.filter((name) => !methodNames.includes(name)), []);
  assert.deepEqual(names.filter((name) => /\.(save|remove|start|stop|send|create|delete|answer)/.test(name)), []);
});

test("tokens, admin pages, shares and positions of others are never kept", () => {
  const never = [/^admin\./, /^sharing\./, /^positions\./, /^location\./, /login|passkey|secondFactor|TOTP|recovery|devices|calendar|pushKey/i,
    /^buddies\.(deck|card)/, /^chat\.search/, /^reports\./, /^campus\./];
  for (const name of Object.keys(keptMethods)) assert.ok(!never.some((pattern) => pattern.test(name)), name);
});

test("replies with other people's names are marked, so that a block removes them", () => {
  const marked = Object.keys(keptMethods).filter((name) => keptMethods[name].people);
  assert.deepEqual(marked.filter((name) => !/^(chat|people|safety|workouts)\./.test(name)), []);
  const named = ["chat.list", "chat.conversation", "chat.history", "people.known", "safety.blocked", "workouts.get", "workouts.list"];
  assert.deepEqual(named.filter((name) => !marked.includes(name)), []);
});

test("a reply belongs to an account and to its parameters in any order", () => {
  assert.equal(keyOf(1, "goals.get", { a: 1, b: 2 }), keyOf(1, "goals.get", { b: 2, a: 1 }));
  assert.equal(keyOf(1, "chat.conversation", { conversation: 3, opens: true }), keyOf(1, "chat.conversation", { conversation: 3 }));
  assert.notEqual(keyOf(1, "goals.get"), keyOf(2, "goals.get"));
  assert.ok(isKept("chat.history", { conversation: 1, limit: 40 }));
  assert.ok(!isKept("chat.history", { conversation: 1, limit: 40, before: 7 }));
  assert.ok(!isKept("admin.users"));
});

test("the oldest go first: of a method, of all, and what is too old", () => {
  const now = 100 * keptMillisecondsMax;
  const many = Array.from({ length: keptMethods["tracking.session"].replies + 2 }, (_, index) => entry(`s${index}`, now - index));
  assert.deepEqual(surplus(many, now), many.slice(-2).map(({ key }) => key));
  assert.deepEqual(surplus([entry("old", now - keptMillisecondsMax - 1), entry("new", now)], now), ["old"]);
  const large = [entry("a", now, { bytes: keptBytesMax }), entry("b", now - 1, { method: "chat.list", bytes: 1 })];
  assert.deepEqual(surplus(large, now), ["b"]);
  assert.deepEqual(surplus([entry("gone", now, { method: "of.before" })], now), ["gone"]);
});

test("of sessions only the account's own are kept", () => {
  const reply = (id) => ({ session: { owner: { id } }, route: [] });
  assert.ok(isOwn(7, "tracking.session", reply(7)));
  assert.ok(!isOwn(7, "tracking.session", reply(8)));
  assert.ok(isOwn(7, "goals.get", { kilometres: 30 }));
});
