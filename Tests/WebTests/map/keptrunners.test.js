import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { KeptRunners, keptMillisecondsMax } from "../../../Sources/WebApp/map/keptrunners.js";

const minute = 60_000;
/** What waits, as functions to call. */
let timers = [];
const scheduler = { now: () => Date.now(), after(_milliseconds, run) {
  timers.push(run);
  return () => { timers = timers.filter((other) => other !== run); };
} };

/** As a browser has it: the keys are properties. */
function makeStorage() {
  const storage = {};
  const define = (name, value) => Object.defineProperty(storage, name, { value, enumerable: false });
  define("getItem", (key) => storage[key] ?? null);
  define("setItem", (key, value) => { storage[key] = value; });
  define("removeItem", (key) => { delete storage[key]; });
  return storage;
}

class Network extends EventTarget {
  state = "closed";
  account = { id: 1 };
  time = 100 * minute;
  clock = { now: () => this.time };

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  signIn(account) {
    this.account = account;
    this.dispatchEvent(new Event("account"));
  }
}

const runner = (session, at, state = "moving") => ({ session, username: `runner${session}`, name: "A Name", state, lat: 1, lon: 2, at });
const makeRoster = () => ({ isKnown: false, keptAt: null, runners: [], restored: null, elapsed: () => 60,
  restore(runners, { at }) { [this.restored, this.keptAt] = [runners, at]; } });

/** A page that was live for longer than an account needs to settle, and lost its connection. */
function lost(storage, { runners, account = { id: 1 }, before = account, afterMilliseconds = 60_000 }) {
  let now = 0;
  mock.method(performance, "now", () => now);
  const [net, roster] = [new Network(), makeRoster()];
  net.account = before;
  const kept = new KeptRunners(net, roster, { storage, scheduler });
  if (before !== account) net.signIn(account);
  net.become("live");
  Object.assign(roster, { isKnown: true, runners });
  now += afterMilliseconds;
  net.become("reconnecting");
  mock.restoreAll();
  return { net, roster, kept };
}

function loaded(storage, { account = { id: 1 }, later = 0 } = {}) {
  const [net, roster] = [new Network(), makeRoster()];
  net.account = account;
  net.time += later;
  new KeptRunners(net, roster, { storage, scheduler });
  net.become("offline");
  return roster;
}

test("a page without a network has the runners of the last one, by username, without those that finished", () => {
  const storage = makeStorage();
  lost(storage, { runners: [runner(1, 100 * minute), runner(2, 100 * minute, "finished")] });
  const { restored, keptAt } = loaded(storage);
  assert.deepEqual(restored.map(({ session, name, elapsed, isKept }) => [session, name, elapsed, isKept]), [[1, "runner1", 60, true]]);
  assert.ok(keptAt > 0);
});

test("nobody is kept longer than the server keeps a location", () => {
  const storage = makeStorage();
  lost(storage, { runners: [runner(1, 100 * minute), runner(2, 90 * minute)] });
  assert.deepEqual(loaded(storage, { later: 6 * minute }).restored.map(({ session }) => session), [1]);
  assert.equal(loaded(storage, { later: keptMillisecondsMax + 1 }).restored, null);
  assert.deepEqual(Object.keys(storage), []);
});

test("another account and a guest see nothing of it, and nothing of it stays", () => {
  for (const account of [{ id: 2 }, null]) {
    const storage = makeStorage();
    lost(storage, { runners: [runner(1, 100 * minute)] });
    assert.equal(Object.keys(storage).length, 1);
    assert.equal(loaded(storage, { account }).restored, null);
    assert.deepEqual(Object.keys(storage), []);
  }
});

test("runners of the account before are not kept for the next one, which has them on the map for a moment", () => {
  const storage = makeStorage();
  lost(storage, { runners: [runner(1, 100 * minute)], account: null, before: { id: 1 }, afterMilliseconds: 5_000 });
  assert.deepEqual(Object.keys(storage), []);
});

test("old runners are removed when a page starts with a connection, and while it stays open", () => {
  const storage = makeStorage();
  lost(storage, { runners: [runner(1, 100 * minute)] });
  const net = new Network();
  net.state = "live";
  timers = [];
  new KeptRunners(net, makeRoster(), { storage, scheduler });
  assert.equal(Object.keys(storage).length, 1);
  net.time += keptMillisecondsMax;
  for (const run of timers) run();
  assert.deepEqual(Object.keys(storage), []);
  lost(storage, { runners: [runner(1, 100 * minute)] });
  new KeptRunners(net, makeRoster(), { storage, scheduler });
  assert.deepEqual(Object.keys(storage), []);
});
