import assert from "node:assert/strict";
import { test } from "node:test";
import { FeatureStart } from "../../../Sources/WebApp/shell/featurestart.js";
import { settled } from "../client/fakes.js";

const reloadsKey = "campanile.reloads";
const shownAfter = 3_000;
const lateAfter = 30_000;

/** A page whose imports and probes succeed or fail as `loads` and `replies` say, one after the other; time passes by `pass`. */
class FakePage {
  calls = [];
  loads = [];
  replies = [];
  stored = new Map();
  storage = {
    getItem: (key) => this.stored.get(key) ?? null, setItem: (key, value) => this.stored.set(key, value),
    removeItem: (key) => this.stored.delete(key),
  };
  startFails = false;

  #timers = [];

  make() {
    const timer = (milliseconds, isPause) => new Promise((resolve) => { this.#timers.push({ milliseconds, isPause, resolve }); });
    return new FeatureStart({
      load: async () => {
        this.calls.push("load");
        if (!(await (this.loads.shift() ?? false))) throw new TypeError("Failed to fetch dynamically imported module");
        return "module";
      },
      start: (module) => {
        this.calls.push(`start ${module}`);
        if (this.startFails) throw new Error("broken");
      },
      files: () => ["/features.js", "/rest.js"],
      fetch: async (file) => {
        const status = this.replies.shift() ?? null;
        if (status === null) throw new TypeError(`Failed to fetch ${file}`);
        return { ok: status === 200, status, arrayBuffer: async () => new ArrayBuffer(0) };
      },
      show: (problem) => this.calls.push(`show ${problem}`), hide: () => this.calls.push("hide"),
      report: ({ message }) => this.calls.push(`report ${message}`), reload: () => this.calls.push("reload"),
      storage: this.storage, delay: () => 1_000, after: (milliseconds) => timer(milliseconds, false),
      pause: (milliseconds) => timer(milliseconds, true),
    });
  }

  /** Ends the pause before a probe. */
  async probe() {
    const index = this.#timers.findIndex(({ isPause }) => isPause);
    const [{ resolve }] = this.#timers.splice(index, 1);
    resolve();
    await settled();
  }

  get hasPause() {
    return this.#timers.some(({ isPause }) => isPause);
  }

  /** Ends the timers of that length. */
  async pass(milliseconds) {
    const due = this.#timers.filter((timer) => timer.milliseconds === milliseconds && !timer.isPause);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { resolve } of due) resolve();
    await settled();
  }
}

async function isPending(promise) {
  let isSettled = false;
  promise.then(() => { isSettled = true; }, () => { isSettled = true; });
  await settled();
  return !isSettled;
}

test("the features start once, and then nothing is shown", async () => {
  const page = new FakePage();
  page.loads = [true];
  const start = page.make();
  await Promise.all([start.begin(), start.begin(), start.attempt()]);
  await page.pass(lateAfter);
  assert.deepEqual(page.calls, ["load", "start module", "hide"]);
});

test("features that load for long are late, which is shown until they start", async () => {
  const page = new FakePage();
  let arrive = (_isThere) => {};
  page.loads = [new Promise((resolve) => { arrive = resolve; })];
  const started = page.make().begin();
  await page.pass(lateAfter);
  assert.deepEqual(page.calls, ["load", "show late"]);
  arrive(true);
  await started;
  assert.equal(page.calls.at(-1), "hide");
});

test("after a failed load the features have not started; the failure is shown, and without a server nothing is reloaded", async () => {
  const page = new FakePage();
  const start = page.make();
  const started = start.begin();
  await settled();
  assert.deepEqual(page.calls, ["load"]);
  await page.pass(shownAfter);
  for (const replies of [[], [200], [503, 200], [200, 403]]) {
    page.replies = replies;
    await page.probe();
  }
  assert.deepEqual(page.calls, ["load", "show failed"]);
  assert.ok(page.hasPause && await isPending(started));
});

test("the page is reloaded once when all files are there, or a newer release has replaced one", async () => {
  for (const replies of [[200, 200], [404, 200], [200, 404]]) {
    const page = new FakePage();
    page.make().begin();
    await settled();
    page.replies = replies;
    await page.probe();
    assert.deepEqual(page.calls, ["load", "reload"]);
    assert.equal(page.stored.get(reloadsKey), "1");
    assert.ok(!page.hasPause);
  }
});

test("a tab reloads twice, and then leaves it to the person", async () => {
  const page = new FakePage();
  for (const expected of ["reload", "reload", "show failed"]) {
    page.calls = [];
    page.make().begin();
    await settled();
    page.replies = [200, 200];
    await page.probe();
    assert.equal(page.calls.at(-1), expected);
    assert.ok(!page.hasPause);
  }
});

test("a tab that stores nothing is not reloaded", async () => {
  const page = new FakePage();
  page.storage.setItem = () => { throw new Error("blocked"); };
  page.make().begin();
  await settled();
  page.replies = [200, 200];
  await page.probe();
  assert.deepEqual(page.calls, ["load", "show failed"]);
});

test("after a start the tab may be reloaded again", async () => {
  const page = new FakePage();
  page.stored.set(reloadsKey, "2");
  page.loads = [true];
  await page.make().begin();
  assert.ok(!page.stored.has(reloadsKey));
});

test("a page that needs the features learns of the failure; its later attempt may start them, which ends the probes", async () => {
  const page = new FakePage();
  const start = page.make();
  await assert.rejects(start.attempt(), TypeError);
  page.loads = [true];
  await start.attempt();
  await start.started;
  page.replies = [200, 200];
  await page.probe();
  await page.pass(shownAfter);
  assert.deepEqual(page.calls, ["load", "load", "start module", "hide"]);
  assert.ok(!page.hasPause);
});

test("an error of the start is reported and shown, and the features are not started twice", async () => {
  const page = new FakePage();
  [page.loads, page.startFails] = [[true, true], true];
  const start = page.make();
  await assert.rejects(start.attempt(), /broken/);
  await assert.rejects(start.attempt(), /broken/);
  assert.deepEqual(page.calls, ["load", "start module", "show failed", "report broken"]);
  assert.ok(!page.hasPause && await isPending(start.started));
});
