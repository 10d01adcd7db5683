import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeServer, settled } from "./fakes.js";

const topic = "campus/notices";
const page = (epoch, from, to, more = {}) => ({
  topic, epoch, offset: to, recovered: true, ...more,
  publications: Array.from({ length: to - from }, (_, index) => ({ offset: from + index + 1, data: `n${from + index + 1}` })),
});

/** Subscribes with `answers` to one `subscribe` each; `seen` is what the handlers got. */
async function follow(answers, options) {
  const server = new FakeServer();
  server.answers.subscribe = () => answers.shift();
  const client = await server.connected();
  const seen = [];
  const subscription = client.subscribe(topic, {
    publication: (data, { offset }, { isRecovered }) => seen.push(`${data}@${offset}${isRecovered ? " recovered" : ""}`),
    push: (data) => seen.push(`push ${data}`), lost: (reason) => seen.push(`lost: ${reason}`),
    caughtUp: ({ offset }) => seen.push(`caught up at ${offset}`), error: (error) => seen.push(error.code),
  }, options);
  await settled();
  await settled();
  const reconnect = async () => {
    server.socket.end(1006);
    await server.scheduler.pass(1_000);
    await server.open();
  };
  const push = (offset, epoch = 5) => server.socket.push({ topic, epoch, offset, data: `n${offset}` });
  return { server, client, seen, subscription, reconnect, push, subscribed: () => server.socket.requests("subscribe") };
}

test("publications come once, in order, over a reconnect, and from the kept position", async () => {
  const { client, seen, reconnect, push, subscribed } = await follow([page(5, 1, 2), page(5, 3, 5)], { since: { epoch: 5, offset: 1 } });
  assert.deepEqual(subscribed(), [{ topic, since: { epoch: 5, offset: 1 } }]);
  push(3);
  push(3);
  push(2);
  await reconnect();
  assert.deepEqual(subscribed(), [{ topic, since: { epoch: 5, offset: 3 } }]);
  assert.deepEqual(seen, ["n2@2 recovered", "caught up at 2", "n3@3", "n4@4 recovered", "n5@5 recovered", "caught up at 5"]);
  client.close();
});

test("a gap and another epoch subscribe again from the position; what arrives twice is given once", async () => {
  const { client, seen, push, subscribed } = await follow([page(5, 0, 1), page(5, 1, 4)]);
  push(3);
  push(4);
  await settled();
  push(4);
  await settled();
  assert.deepEqual(subscribed(), [{ topic }, { topic, since: { epoch: 5, offset: 1 } }]);
  assert.deepEqual(seen.slice(2), ["n2@2 recovered", "n3@3 recovered", "n4@4 recovered", "caught up at 4"]);
  push(5);
  assert.equal(seen.at(-1), "n5@5");
  push(6, 9);
  assert.equal(subscribed().length, 3);
  client.close();
});

test("pages follow each other; what the server cannot return is lost, and the newest publications follow", async () => {
  const paged = await follow([page(5, 0, 2, { more: true }), page(5, 2, 3)], { since: { epoch: 5, offset: 0 } });
  await settled();
  assert.deepEqual(paged.subscribed()[1].since, { epoch: 5, offset: 2 });
  assert.deepEqual(paged.seen, ["n1@1 recovered", "n2@2 recovered", "n3@3 recovered", "caught up at 3"]);
  paged.client.close();

  const lost = await follow([page(6, 90, 92, { recovered: false, reason: "epochChanged" })], { since: { epoch: 5, offset: 400 } });
  assert.deepEqual(lost.seen, ["lost: epochChanged", "n91@91 recovered", "n92@92 recovered", "caught up at 92"]);
  assert.deepEqual(lost.subscription.position, { epoch: 6, offset: 92 });
  lost.client.close();
});

test("a reader that keeps its position itself is asked for it each time; pushes without an offset are no publications", async () => {
  let kept = { epoch: 5, offset: 7 };
  const { client, seen, server, reconnect, subscribed } = await follow([page(5, 7, 7), page(5, 2, 3)], { since: () => kept });
  server.socket.push({ topic, data: "typing" });
  assert.equal(seen.at(-1), "push typing");
  kept = { epoch: 5, offset: 2 };
  await reconnect();
  assert.deepEqual(subscribed()[0].since, kept);
  assert.equal(seen.at(-2), "n3@3 recovered");
  client.close();
});

test("the notices of an account have gaps by their nature", async () => {
  const server = new FakeServer();
  server.answers.subscribe = () => ({ topic: "notices", epoch: 5, offset: 10, recovered: false, publications: [] });
  const client = await server.connected();
  const seen = [];
  client.subscribe("notices", { publication: (_data, { offset }) => seen.push(offset) });
  await settled();
  await settled();
  for (const offset of [14, 12, 30]) server.socket.push({ topic: "notices", epoch: 5, offset, data: {} });
  assert.deepEqual([seen, server.socket.requests("subscribe").length], [[14, 30], 1]);
  client.close();
});

test("a subscription that the server cannot take now is sent again after the wait; one that it refuses is not", async () => {
  const later = { error: { code: 1006, message: "later", data: { retryAfter: 4 } } };
  const { client, seen, server, subscribed } = await follow([later, page(5, 0, 1)]);
  assert.deepEqual(seen, [1006]);
  await server.scheduler.pass(3_000);
  assert.equal(subscribed().length, 1);
  await server.scheduler.pass(1_500);
  assert.deepEqual([subscribed().length, seen.at(-1)], [2, "caught up at 1"]);
  client.close();

  const refused = await follow([{ error: { code: 1003, message: "none" } }]);
  await refused.server.scheduler.pass(60_000);
  assert.deepEqual([refused.seen, refused.subscribed().length], [[1003], 1]);
  refused.client.close();
});

test("a topic that a program subscribes because an account signed in is subscribed once", async () => {
  const { client, server } = await follow([page(5, 0, 1), page(5, 1, 1), page(5, 0, 1)]);
  server.answers["account.login"] = () => ({ account: { id: 2 }, token: "t" });
  client.addEventListener("account", () => client.subscribe("notices", {}));
  await client.signIn("account.login", { email: "a@b.c", password: "Secret123" });
  await settled();
  assert.deepEqual(server.socket.requests("subscribe").map((one) => one.topic), [topic, "notices", topic]);
  client.close();
});

test("an account that signs in subscribes everything again, and a closed subscription gets nothing more", async () => {
  const { client, seen, server, subscription, push, subscribed } = await follow([page(5, 0, 1), page(5, 1, 1)]);
  server.answers["account.login"] = () => ({ account: { id: 2 }, token: "t" });
  await client.signIn("account.login", { email: "a@b.c", password: "Secret123" });
  assert.equal(subscribed().length, 2);
  await settled();
  await settled();
  subscription.close();
  push(2);
  assert.deepEqual(seen, ["n1@1 recovered", "caught up at 1", "caught up at 1"]);
  assert.equal(server.socket.requests("unsubscribe").length, 1);
  client.close();
});
