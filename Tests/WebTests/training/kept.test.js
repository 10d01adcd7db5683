import assert from "node:assert/strict";
import { test } from "node:test";
import { sendKept } from "../../../Sources/WebApp/training/kept.js";
import { FakeNet, makeGuide, start } from "./fakes.js";

/** `{net, records, guide}` with the records that this device keeps, by the guides that made them. */
function make(...guides) {
  return { net: new FakeNet(), records: { all: async (account) => guides.map(({ record }) => record).filter((one) => one.account === account) } };
}
const methods = ({ sent }) => sent.map(({ method }) => method);

test("sets that a killed browser kept are sent at the next start of the app, and the training goes on", async () => {
  const { guide } = makeGuide({ isSent: true, generation: 4 });
  guide.done("w/0", { seconds: 100 });
  const { net, records } = make(guide);
  assert.equal(await sendKept({ net, records }), 1);
  assert.deepEqual(methods(net), ["training.record"]);
  assert.deepEqual([net.sent[0].params.generation, net.sent[0].params.sets.map(({ id }) => id)], [4, ["w/0"]]);
});

test("a training whose start was never sent begins first; one with nothing new sends nothing", async () => {
  const fresh = makeGuide({ id: "new" }).guide;
  fresh.done("w/0", {});
  const known = makeGuide({ isSent: true }).guide;
  const { net, records } = make(fresh, known);
  assert.equal(await sendKept({ net, records }), 1);
  assert.deepEqual(methods(net), ["training.start", "training.record"]);
  assert.equal(net.sent[1].params.generation, 1);
});

test("heart rates and the end of a training that was killed while it ended are sent", async () => {
  const { guide, clock } = makeGuide({ isSent: true, chunks: [[{ at: new Date(start).toISOString(), beatsPerMinute: 120 }]] });
  clock.now += 60_000;
  guide.finish();
  const { net, records } = make(guide);
  await sendKept({ net, records });
  assert.deepEqual(methods(net), ["training.record", "training.finish"]);
  assert.equal(net.sent[1].params.endedAt, new Date(clock.now).toISOString());
});

test("one refused training does not hold up the next; nothing is sent without a connection or for another account", async () => {
  const guides = ["one", "two"].map((id) => makeGuide({ id, isSent: true }).guide);
  for (const guide of guides) guide.done("w/0", {});
  const { net, records } = make(...guides);
  net.replies["training.record"] = ({ training }) => {
    if (training === "one") throw new Error("gone");
    return {};
  };
  assert.equal(await sendKept({ net, records }), 1);
  net.become("offline");
  assert.equal(await sendKept({ net, records }), 0);
  net.become("live");
  net.account = { id: 8, username: "bob" };
  assert.equal(await sendKept({ net, records }), 0);
});
