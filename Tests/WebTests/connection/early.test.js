import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { fetchEarly, takeEarlySocket } from "../../../Sources/WebApp/connection/early.js";

const url = "ws://campus.example/ws";
const before = { fetch: globalThis.fetch, WebSocket: globalThis.WebSocket };

beforeEach(() => {
  globalThis.WebSocket = /** @type {any} */ ({ CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });
  globalThis.fetch = /** @type {any} */ (async (path) => `asked for ${path}`);
});

afterEach(() => {
  delete globalThis.campanileEarly;
  Object.assign(globalThis, before);
});

test("a reply that is on its way is taken once; after that, and without one, the server is asked", async () => {
  assert.equal(await fetchEarly("/config.json"), "asked for /config.json");
  globalThis.campanileEarly = { replies: new Map([["/config.json", Promise.resolve("early")]]), socket: null };
  assert.equal(await fetchEarly("/config.json"), "early");
  assert.equal(await fetchEarly("/config.json"), "asked for /config.json");
  assert.equal(await fetchEarly("/other"), "asked for /other");
});

test("a socket that was opened early is taken once, while it connects or is open, and only for its address", () => {
  assert.equal(takeEarlySocket(url), null);
  for (const [readyState, address, isTaken] of [[0, url, true], [1, url, true], [2, url, false], [3, url, false], [1, `${url}2`, false]]) {
    const socket = { url: address, readyState };
    globalThis.campanileEarly = { replies: new Map(), socket };
    assert.equal(takeEarlySocket(url), isTaken ? socket : null);
    assert.equal(takeEarlySocket(url), null);
  }
});
