import assert from "node:assert/strict";
import { test } from "node:test";
import { Uploader } from "../../../Sources/WebApp/client/uploader.js";

/** An outbox of `entries`, `{clientId, kind, order, …}`, in memory. */
class FakeOutbox {
  saved = [];
  forgotten = [];

  constructor(entries, kept = []) {
    this.entries = entries;
    this.kept = kept;
  }

  async head(_account, limit, isWanted) { return this.entries.filter(isWanted).slice(0, limit); }
  async sessions() { return this.kept; }
  async save(record) { this.saved.push(record); }

  async settle(orders, record) {
    this.entries = this.entries.filter(({ order }) => !orders.includes(order));
    if (record) this.saved.push(record);
  }

  async forget(clientId) {
    this.entries = this.entries.filter((entry) => entry.clientId !== clientId);
    this.forgotten.push(clientId);
  }
}

/** Uploads `entries` of one record; `answer(method, params)` is the server. Gives the events in order. */
async function upload(entries, answer, { record = running(), mayUpload = true, kept = [] } = {}) {
  const outbox = new FakeOutbox(entries, kept);
  const events = [];
  const sessions = {
    mayUpload: () => mayUpload,
    find: (clientId) => (clientId === record.clientId ? record : undefined),
    acknowledge: (one, session, local) => {
      one.server = { ...one.server, ...session };
      if (local !== null) one.acknowledgedDistance = local;
    },
    uploaded: (_record, points) => events.push(`uploaded ${points}`),
    saved: (_record, session) => events.push(`saved ${session.state}`),
    dropped: (_record, error) => events.push(`dropped: ${error.message}`),
    deleted: async ({ clientId }) => {
      events.push("deleted");
      await outbox.forget(clientId);
    },
    settled: async () => {},
    drained: async () => { events.push("drained"); },
    ended: () => events.push("ended"),
  };
  const net = {
    state: "live", account: { id: 1 },
    request: async (method, params) => {
      events.push(method);
      return answer(method, params);
    },
  };
  const uploader = new Uploader({ net, outbox, sessions });
  await uploader.send();
  uploader.reset();
  return { events, outbox, record, uploader };
}

const running = () => ({ clientId: "c", id: 7, server: { id: 7, state: "running" }, acknowledgedDistance: 0, refused: {}, problem: null });
const point = (order, lat = 51) => ({ clientId: "c", kind: "point", order, point: { seq: order, lat, lon: 8 }, local: order * 10 });
const failure = (code, more) => Object.assign(new Error("It failed."), { code, isTransient: false, ...more });
const refuse = (error) => () => { throw error; };

test("points go in one request, and the end of the session after them", async () => {
  const stop = { clientId: "c", kind: "stop", order: 3, at: "2026-05-04T08:00:00.000Z" };
  const { events, outbox, record } = await upload([point(1), point(2), stop],
    (method) => ({ session: { id: 7, state: method === "tracking.stop" ? "finished" : "running" } }));
  assert.deepEqual(events, ["tracking.points", "uploaded 2", "tracking.stop", "saved finished", "drained", "ended"]);
  assert.deepEqual([outbox.entries, outbox.forgotten, record.acknowledgedDistance], [[], ["c"], 20]);
});

test("a tab that does not record uploads nothing", async () => {
  assert.deepEqual((await upload([point(1)], () => ({}), { mayUpload: false })).events, []);
});

test("without an answer entries are kept and nothing is said; other transient errors are", async () => {
  const offline = await upload([point(1)], refuse(failure("offline", { isTransient: true })));
  assert.deepEqual([offline.outbox.entries.length, offline.uploader.problem], [1, null]);
  const busy = await upload([point(1)], refuse(failure(1006, { isTransient: true })));
  assert.deepEqual([busy.outbox.entries.length, busy.uploader.problem?.message], [1, "It failed."]);
});

test("a start that is refused makes the record's problem, and its other entries wait", async () => {
  const start = { clientId: "c", kind: "start", order: 1, params: {} };
  const { events, outbox, record } = await upload([start, point(2)], refuse(failure(1008)), { record: { ...running(), id: null } });
  assert.deepEqual([record.problem, outbox.saved.length, outbox.entries.length], ["It failed.", 1, 2]);
  assert.deepEqual(events, ["tracking.start", "drained", "ended"]);
});

test("the one point at fault is left out, and those around it are sent", async () => {
  const answer = (_method, { points }) => {
    const index = points.findIndex(({ lat }) => lat > 90);
    if (index >= 0) throw failure(-32602, { isInvalid: true, data: { field: `points[${index}].lat`, name: "invalidParams" } });
    return { session: { id: 7, state: "running" } };
  };
  const { events, outbox, record } = await upload([point(1), point(2, 99), point(3)], answer);
  assert.deepEqual(events, ["tracking.points", "uploaded 1", "tracking.points", "uploaded 2", "drained", "ended"]);
  assert.deepEqual([outbox.entries, record.refused], [[], { invalidParams: 1 }]);
});

test("a session that the server does not have is deleted here as well", async () => {
  const { events, outbox } = await upload([point(1)], refuse(failure(1003, { isNotFound: true })));
  assert.deepEqual([events, outbox.entries], [["tracking.points", "deleted", "drained", "ended"], []]);
});

test("entries without a session are forgotten, but not while their session is stored", async () => {
  const orphan = { ...point(1), clientId: "other" };
  assert.equal((await upload([orphan], () => ({}))).outbox.entries.length, 0);
  assert.equal((await upload([orphan], () => ({}), { kept: [{ clientId: "other" }] })).outbox.entries.length, 1);
});
