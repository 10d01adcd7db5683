import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderedWrites } from "../../../Sources/WebApp/client/orderedwrites.js";

test("records are written in order, each as it was, and a failure does not stop those after it", async () => {
  const saved = [];
  let failures = 0;
  const outbox = { save: async ({ seq }, entry) => {
    if (seq === 2) throw new Error("no space");
    saved.push([seq, entry]);
  } };
  const writes = new OrderedWrites(outbox, () => { failures += 1; });
  const record = { seq: 1 };
  writes.write(record, "a");
  record.seq = 2;
  writes.write(record);
  record.seq = 3;
  writes.write(record, "c");
  await writes.settled;
  assert.deepEqual([saved, failures], [[[1, "a"], [3, "c"]], 1]);
});
