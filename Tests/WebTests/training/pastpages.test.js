import assert from "node:assert/strict";
import { test } from "node:test";
import { keptAt, noteKept } from "../../../Sources/WebApp/connection/keptage.js";
import { readPages } from "../../../Sources/WebApp/training/pastpages.js";

const training = (day) => ({ id: `t${day}`, startedAt: new Date(Date.UTC(2026, 10, day)).toISOString() });
const ids = ({ trainings }) => trainings.map(({ id }) => id);

/** A server with trainings, the latest first, two to a page. */
function make(all) {
  const page = ({ beforeTraining = null }) => {
    const from = beforeTraining === null ? 0 : all.findIndex(({ id }) => id === beforeTraining) + 1;
    return { trainings: all.slice(from, from + 2), hasMore: from + 2 < all.length };
  };
  return {
    read: async (_method, params) => page(params), request: async (_method, params) => page(params),
    writes: { shown: (_method, _params, reply) => reply },
  };
}

test("the pages that are loaded stay when the list is read again, with what is new", async () => {
  const all = [9, 8, 7, 6, 5, 4].map(training);
  const net = make(all);
  assert.deepEqual(ids(await readPages(net, {}, [])), ["t9", "t8"]);
  all.unshift(training(10));
  const reply = await readPages(net, {}, [9, 8, 7, 6].map(training));
  assert.deepEqual([ids(reply), reply.hasMore], [["t10", "t9", "t8", "t7"], true]);
});

test("without a connection the pages after the first stay as they were shown, and the age is that of the first", async () => {
  const net = make([9, 8, 7, 6, 5].map(training));
  net.request = () => Promise.reject(new Error("offline"));
  const { read } = net;
  net.read = async (...given) => {
    const reply = await read(...given);
    noteKept(reply, 5);
    return reply;
  };
  const reply = await readPages(net, {}, [9, 8, 7, 6].map(training));
  assert.deepEqual([ids(reply), reply.hasMore, keptAt(reply)], [["t9", "t8", "t7", "t6"], true, 5]);
});
