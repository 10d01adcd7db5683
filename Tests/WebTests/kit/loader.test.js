import assert from "node:assert/strict";
import { test } from "node:test";
import { Loader } from "../../../Sources/WebApp/kit/loader.js";

/** A loader whose requests are answered by hand, with a list of the calls that drew. */
function make() {
  const requests = [];
  const calls = [];
  const loader = new Loader({
    fetch: () => new Promise((resolve, reject) => requests.push({ resolve, reject })),
    loading: () => calls.push("loading"), loaded: (result) => calls.push(result), failed: ({ message }) => calls.push(`failed: ${message}`),
  });
  return { loader, requests, calls };
}

test("a result is drawn after the state of loading", async () => {
  const { loader, requests, calls } = make();
  const done = loader.load();
  assert.deepEqual([loader.isLoading, loader.hasLoaded, ...calls], [true, false, "loading"]);
  requests[0].resolve("first");
  await done;
  assert.deepEqual([loader.isLoading, loader.hasLoaded, ...calls], [false, true, "loading", "first"]);
});

test("of two requests only the newest counts, also when the older one fails later", async () => {
  const { loader, requests, calls } = make();
  const both = [loader.load(), loader.load()];
  requests[1].resolve("second");
  requests[0].reject(new Error("late"));
  await Promise.all(both);
  assert.deepEqual(calls, ["loading", "loading", "second"]);
  assert.equal(loader.isLoading, false);
});

test("a failure is drawn, and loading again can succeed", async () => {
  const { loader, requests, calls } = make();
  const failing = loader.load();
  requests[0].reject(new Error("no network"));
  await failing;
  assert.equal(loader.hasLoaded, false);
  const again = loader.load();
  requests[1].resolve("there");
  await again;
  assert.deepEqual(calls, ["loading", "failed: no network", "loading", "there"]);
});

test("a failure of drawing is drawn as a failure", async () => {
  const calls = [];
  const loader = new Loader({
    fetch: async () => null, loaded: () => { throw new Error("cannot draw"); }, failed: ({ message }) => calls.push(message),
  });
  await loader.load();
  assert.deepEqual(calls, ["cannot draw"]);
});

test("nothing is drawn after close", async () => {
  const { loader, requests, calls } = make();
  const done = loader.load();
  loader.close();
  requests[0].resolve("late");
  await done;
  assert.deepEqual(calls, ["loading"]);
});
