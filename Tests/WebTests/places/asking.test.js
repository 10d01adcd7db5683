import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { askOrDrawn } from "../../../Sources/WebApp/places/asking.js";

const feature = { properties: { kind: "place", id: 3, class: "cafe", name: "Oak" }, geometry: { type: "Point", coordinates: [8, 51] } };

/** An app whose requests fail with `error`, or are answered. */
function make({ error = null, state = "live", hasMap = true }) {
  const asked = [];
  const request = async (method) => {
    asked.push(method);
    if (error) throw error;
    return { results: [] };
  };
  const campusMap = async () => {
    if (!hasMap) throw new Error("no map");
    return { features: [feature] };
  };
  return { asked, app: { net: { state, request }, campusMap } };
}

test("the server's reply counts; without a connection it is what is drawn, with the reason", async () => {
  assert.deepEqual(await askOrDrawn(make({}).app, "search.find", {}), { reply: { results: [] }, drawn: null, problem: null });
  const lost = await askOrDrawn(make({ error: new RequestError("timeout", "No answer") }).app, "search.find", {});
  assert.deepEqual([lost.reply, lost.drawn.map(({ id }) => id), lost.problem], [null, ["place/3"], "No answer."]);
});

test("offline nothing is asked for", async () => {
  const { app, asked } = make({ state: "offline" });
  assert.equal((await askOrDrawn(app, "search.find", {})).problem, "You're offline.");
  assert.deepEqual(asked, []);
});

test("a refusal, and a lost connection without a drawing, are errors", async () => {
  const refused = new RequestError(-32602, "text: too long");
  await assert.rejects(askOrDrawn(make({ error: refused }).app, "search.find", {}), refused);
  const lost = new RequestError("timeout", "No answer");
  await assert.rejects(askOrDrawn(make({ error: lost, hasMap: false }).app, "search.find", {}), lost);
});
