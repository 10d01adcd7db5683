import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../elements.js";

const { EventFacts } = await import("../../../Sources/WebApp/events/eventfacts.js");

const now = Date.parse("2026-11-28T09:00:00Z");
const app = { net: { campus: null, account: null }, lastCampus: () => null };
const event = {
  id: 4, state: "published", owner: null, mine: { workout: "abc" },
  details: { startsAt: "2026-11-28T18:00:00Z", duration: 3_600, place: { name: "Gym" }, description: "" },
};

function make() {
  const facts = new EventFacts(/** @type {any} */ (app), null);
  const draw = (changes = {}, at = now) => facts.draw(/** @type {any} */ ({ ...event, ...changes }), { workouts: [], now: at });
  return { draw, link: (path) => /** @type {any} */ (facts.element).querySelector(`[href="${path}"]`) };
}

test("a link on the page of an event keeps the focus when the page is drawn again with the same", () => {
  const { draw, link } = make();
  draw();
  for (const path of ["/workouts/abc", "/login?next=/events/4"]) {
    link(path).focus();
    draw({}, now + 20_000);
    assert.equal(page.activeElement, link(path), path);
  }
});

test("the link to the person's workout follows the event", () => {
  const { draw, link } = make();
  draw({ mine: {} });
  assert.equal(link("/workouts/abc"), null);
  draw();
  draw({ mine: { workout: "def" } });
  assert.deepEqual([link("/workouts/abc"), Boolean(link("/workouts/def"))], [null, true]);
  draw({ mine: {} });
  assert.equal(link("/workouts/def"), null);
});
