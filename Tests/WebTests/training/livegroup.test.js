import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupReporter, positionOf } from "../../../Sources/WebApp/training/livegroup.js";
import { FakeNet, makeGuide, settled } from "./fakes.js";

/** A clock with one timer that the test moves on. */
class Clock {
  time = 0;
  #timers = [];
  now() { return this.time; }
  after(milliseconds, run) {
    const timer = { at: this.time + milliseconds, run };
    this.#timers.push(timer);
    return () => { this.#timers = this.#timers.filter((one) => one !== timer); };
  }
  pass(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }
}

test("a position says where in the workout somebody is, and the zone only if it is shared", () => {
  const { guide } = makeGuide({ together: "g" });
  assert.deepEqual(positionOf(guide), { phase: "warmUp", setsDone: 0, setsTotal: 7, exercise: "campanile/w", set: 1, sets: 1 });
  guide.done("w/0", {});
  guide.done("a/0", {});
  guide.done("b/0", {});
  const position = positionOf(guide, { zone: 3 });
  assert.deepEqual([position.phase, position.zone, position.setsDone, Date.parse(position.restEndsAt) > 0], ["rest", 3, 3, true]);
  assert.ok(!("zone" in positionOf(guide, { zone: null })) && !("zone" in positionOf(guide, { zone: 0 })));
  guide.pause();
  assert.equal(positionOf(guide).phase, "paused");
  guide.finish();
  assert.deepEqual(positionOf(guide), { phase: "finished", setsDone: 3, setsTotal: 7 });
});

test("at most one position each second is sent, the last one is, and an ended group gets none", async () => {
  const net = new FakeNet();
  const clock = new Clock();
  const { guide } = makeGuide({ together: "g" });
  const reporter = new GroupReporter(net, guide, { zone: () => null, scheduler: clock });
  for (const id of ["w/0", "a/0", "b/0", "a/1"]) guide.done(id, {});
  assert.equal(net.sent.length, 1);
  clock.pass(1_000);
  assert.deepEqual(net.sent.map(({ params }) => params.position.setsDone), [0, 4]);
  clock.pass(10_000);
  assert.equal(net.sent.length, 2);
  net.replies["together.update"] = () => { throw Object.assign(new Error("ended"), { isNotFound: true }); };
  guide.done("b/1", {});
  await settled();
  assert.equal(net.sent.length, 3);
  guide.done("b/2", {});
  clock.pass(59_000);
  assert.equal(net.sent.length, 3);
  reporter.close();
});

test("the group sees the end of a training when the server has taken it, and not when it is refused", async () => {
  const net = new FakeNet();
  const clock = new Clock();
  const { guide } = makeGuide({ together: "g" });
  const reporter = new GroupReporter(net, guide, { zone: () => null, scheduler: clock });
  const phases = () => net.sent.map(({ params }) => params.position.phase);
  clock.pass(2_000);
  guide.finish();
  clock.pass(60_000);
  assert.deepEqual(phases(), ["warmUp"]);
  guide.reopen({ keepsEnd: true });
  clock.pass(1_000);
  assert.deepEqual(phases(), ["warmUp", "paused"]);
  guide.finish();
  reporter.ended();
  reporter.close();
  reporter.ended();
  assert.deepEqual(phases(), ["warmUp", "paused", "finished"]);
});

/** `{net, clock, guide, reporter}` of a member who is in the group no more. */
async function gone() {
  const net = new FakeNet();
  const clock = new Clock();
  net.replies["together.update"] = () => { throw Object.assign(new Error("left"), { isNotFound: true }); };
  const { guide } = makeGuide({ together: "g" });
  const reporter = new GroupReporter(net, guide, { zone: () => null, scheduler: clock });
  await settled();
  assert.equal(net.sent.length, 1);
  delete net.replies["together.update"];
  return { net, clock, guide, reporter };
}

test("a member who comes back to a group is shown again, within a minute or when the page of the training is opened", async () => {
  const { net, clock, guide, reporter } = await gone();
  clock.pass(60_000);
  await settled();
  assert.equal(net.sent.length, 2);
  guide.done("w/0", {});
  clock.pass(1_000);
  assert.equal(net.sent.length, 3);
  reporter.close();
  const other = await gone();
  other.clock.pass(5_000);
  other.reporter.again();
  assert.equal(other.net.sent.length, 2);
  other.reporter.close();
});

test("a device that was taken over sends no position, and one that goes on does", async () => {
  const net = new FakeNet();
  const clock = new Clock();
  const { guide } = makeGuide({ together: "g" });
  const reporter = new GroupReporter(net, guide, { zone: () => null, scheduler: clock });
  guide.lose();
  net.become("live");
  clock.pass(60_000);
  assert.equal(net.sent.length, 1);
  guide.takeOver({ ...guide.record, state: "exercise" });
  assert.equal(net.sent.length, 2);
  reporter.close();
});
