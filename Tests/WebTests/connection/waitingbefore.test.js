import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";
import { Clock, Network, Storage, settle } from "./fakequeue.js";

/** A browser whose network, clock and server the test moves. */
function device() {
  const [net, clock] = [new Network(), new Clock()];
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: clock });
  const expired = [];
  writes.addEventListener("refused", ({ detail }) => expired.push(detail.params));
  return {
    net, writes, expired,
    audience: (audience, before) => writes.write("tracking.audience", { session: 5, audience }, { before }),
    zone: (id, lat, metres, before) => writes.write("privacy.saveZone", { ...id, name: "Home", lat, lon: 2, size: String(metres) },
      { before: before && { ...before, lon: 2 }, metres }),
    /** The next requests are sent, and no reply comes. */
    async losing(body) {
      net.state = "live";
      net.answer = () => { net.state = "offline"; throw new RequestError("timeout", "No reply came in time."); };
      await body();
      net.answer = () => ({});
    },
    /** What is sent after two days without a network. */
    async afterTwoDays() {
      net.asked = [];
      clock.time += 2 * 86_400_000;
      net.become("live");
      await settle();
      return net.asked.map(([, params]) => params);
    },
  };
}

/** A network on which a request is in flight until `arrive` is called. */
function holding(net) {
  let arrive = () => {};
  net.request = (method, params) => {
    net.asked.push([method, params]);
    return new Promise((resolve) => { arrive = () => resolve({}); });
  };
  return async () => {
    arrive();
    await settle();
    delete net.request;
  };
}

const audiencesOf = (sent) => sent.map(({ audience }) => audience);
const placesOf = (sent) => sent.map(({ lat, size }) => `${lat} ${size}`);

test("a smaller audience is sent, however long it waited, when the server may have the larger one", async () => {
  const { audience, losing, afterTwoDays, expired } = device();
  await losing(() => audience("public", "private"));
  await audience("campus", "private");
  assert.deepEqual(audiencesOf(await afterTwoDays()), ["campus"]);
  assert.deepEqual(expired, []);
});

test("an audience that was chosen while a larger one was in flight is sent, whether its reply came or was lost", async () => {
  for (const isLost of [false, true]) {
    const { net, audience, writes, afterTwoDays } = device();
    let end = () => {};
    net.request = (method, params) => {
      net.asked.push([method, params]);
      return new Promise((resolve, reject) => {
        end = () => (isLost ? reject(new RequestError("timeout", "No reply came in time.")) : resolve({}));
      });
    };
    audience("public", "private");
    audience("campus", "private");
    await settle();
    net.become("offline");
    end();
    await settle();
    delete net.request;
    assert.equal(writes.waiting.length, 1);
    assert.deepEqual(audiencesOf(await afterTwoDays()), ["campus"]);
  }
});

test("a larger audience that was chosen while a smaller one was in flight is sent for a day at most", async () => {
  const { net, audience, afterTwoDays, expired } = device();
  const arrive = holding(net);
  audience("private", "public");
  audience("campus", "public");
  await settle();
  net.become("offline");
  await arrive();
  assert.deepEqual(await afterTwoDays(), []);
  assert.deepEqual(audiencesOf(expired), ["campus"]);
});

test("the same audience, chosen again after a lost reply, is no smaller one", async () => {
  const { audience, losing, afterTwoDays } = device();
  await losing(() => audience("public", "private"));
  await audience("campus", "private");
  await audience("public", "private");
  assert.deepEqual(audiencesOf(await afterTwoDays()), ["campus"]);
});

test("an audience that was never sent is none that the server may have", async () => {
  const { audience, losing, afterTwoDays } = device();
  await losing(() => audience("campus", "private"));
  await audience("public", "private");
  await audience("campus", "private");
  assert.deepEqual(await afterTwoDays(), []);
});

test("a private zone that is put back is sent, however long it waited, when the server may have moved it", async () => {
  const { zone, losing, afterTwoDays } = device();
  await losing(() => zone({ zone: 3 }, 4, 300, { lat: 1, metres: 300 }));
  await zone({ zone: 3 }, 1, 300, { lat: 4, metres: 300 });
  assert.deepEqual(placesOf(await afterTwoDays()), ["1 300"]);
});

test("a private zone that was made larger while it was made smaller is sent once the server has the smaller one", async () => {
  const { net, zone, afterTwoDays } = device();
  const arrive = holding(net);
  zone({ zone: 3 }, 1, 150, { lat: 1, metres: 500 });
  zone({ zone: 3 }, 1, 300, { lat: 1, metres: 500 });
  await settle();
  net.become("offline");
  await arrive();
  assert.deepEqual(placesOf(await afterTwoDays()), ["1 300"]);
});

test("a new zone may be moved for as long as it was never sent, and then for a day", async () => {
  const [unsent, tried, saved] = [device(), device(), device()];
  const create = ({ zone }) => zone({ clientId: "c" }, 1, 300, null);
  const move = ({ zone }) => zone({ clientId: "c" }, 4, 300, { lat: 1, metres: 300 });
  unsent.net.state = "offline";
  await create(unsent);
  await move(unsent);
  assert.deepEqual(placesOf(await unsent.afterTwoDays()), ["4 300"]);

  await tried.losing(() => create(tried));
  await move(tried);
  assert.deepEqual(placesOf(await tried.afterTwoDays()), ["1 300"]);
  assert.deepEqual(placesOf(tried.expired), ["4 300"]);

  const arrive = holding(saved.net);
  create(saved);
  move(saved);
  await settle();
  saved.net.become("offline");
  await arrive();
  assert.deepEqual(await saved.afterTwoDays(), []);
});

test("while a choice waits, a page that is opened knows what the server has", async () => {
  const { net, audience, writes } = device();
  assert.equal(writes.before("tracking.audience", 5), undefined);
  net.state = "offline";
  await audience("campus", "private");
  await audience("public", "campus");
  assert.equal(writes.before("tracking.audience", 5), "private");
});
