import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { heading, page } from "../elements.js";

const { makeUpcomingCard } = await import("../../../Sources/WebApp/insights/upcoming.js");

const at = (time) => Date.parse(`2026-11-28T${time}:00Z`);
const one = (event, time) => ({ title: `Event ${event}`, event, startsAt: new Date(at(time)).toISOString() });

/** `{card, clock, links(), focus(path)}`. */
function make(...upcoming) {
  const clock = { now: at("09:00") };
  const card = makeUpcomingCard({ now: () => clock.now });
  card.draw(/** @type {any} */ ({ upcoming }));
  const element = /** @type {any} */ (card.element);
  const links = () => element.all().map((part) => part.getAttribute("href")).filter((path) => path?.startsWith("/events/"));
  return { card, clock, links, focus: (path) => element.querySelector(`[href="${path}"]`).focus() };
}

test("an event that has begun is not drawn, and goes from the card once it begins", () => {
  const { card, clock, links } = make(one(1, "08:30"), one(2, "09:10"), one(3, "18:00"));
  assert.deepEqual(links(), ["/events/2", "/events/3"]);
  clock.now = at("09:10");
  card.tick();
  assert.deepEqual(links(), ["/events/3"]);
});

test("the focus stays on its event when another one begins, and goes to the heading with its own", () => {
  const { card, clock, focus } = make(one(2, "09:10"), one(3, "18:00"));
  focus("/events/3");
  card.tick();
  clock.now = at("09:10");
  card.tick();
  assert.equal(page.activeElement.getAttribute("href"), "/events/3");
  clock.now = at("18:00");
  card.tick();
  assert.equal(page.activeElement, heading);
});
