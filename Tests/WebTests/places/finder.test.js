import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Finder } from "../../../Sources/WebApp/places/finder.js";

/** A finder whose requests are answered by hand. */
function make() {
  const [asked, shown] = [[], []];
  const finder = new Finder({
    ask: (wish) => new Promise((resolve, reject) => asked.push({ wish, resolve, reject })),
    found: (result) => shown.push(result), failed: (error) => shown.push(error.message),
  });
  return { finder, asked, shown };
}

const settle = () => new Promise((resolve) => { setImmediate(resolve); });

test("while a person types, one request is sent after the last key", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { finder, asked, shown } = make();
  for (const text of ["l", "li", "lib"]) {
    finder.want(text);
    mock.timers.tick(100);
  }
  assert.deepEqual(asked.map(({ wish }) => wish), []);
  mock.timers.tick(1_000);
  assert.deepEqual(asked.map(({ wish }) => wish), ["lib"]);
  asked[0].resolve("Library");
  await settle();
  assert.deepEqual(shown, ["Library"]);
  assert.equal(finder.isWaiting, false);
  mock.timers.reset();
});

test("at most one request is under way, the newest wish follows it, and the late answer is dropped", async () => {
  const { finder, asked, shown } = make();
  for (const text of ["lib", "libr", "libra"]) finder.want(text, { isUrgent: true });
  assert.deepEqual(asked.map(({ wish }) => wish), ["lib"]);
  asked[0].resolve("late");
  await settle();
  assert.deepEqual(asked.map(({ wish }) => wish), ["lib", "libra"]);
  asked[1].resolve("newest");
  await settle();
  assert.deepEqual(shown, ["newest"]);
});

test("a late failure is dropped, and one of the newest wish is shown", async () => {
  const { finder, asked, shown } = make();
  finder.want("a", { isUrgent: true });
  finder.want("b", { isUrgent: true });
  asked[0].reject(new Error("late"));
  await settle();
  asked[1].reject(new Error("offline"));
  await settle();
  assert.deepEqual(shown, ["offline"]);
});

test("nothing is shown when the field was emptied or the page left before the answer", async () => {
  const { finder, asked, shown } = make();
  finder.want("a", { isUrgent: true });
  finder.want(null);
  asked[0].resolve("gone");
  await settle();
  assert.deepEqual(shown, []);
  finder.want("b", { isUrgent: true });
  finder.close();
  asked[1].resolve("left");
  await settle();
  assert.deepEqual(shown, []);
});
