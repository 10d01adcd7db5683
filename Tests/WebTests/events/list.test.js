import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.navigator ??= { languages: ["en-GB"] };
const { filterOf, groupsByDay, isFiltered, listParams, ListPages, pathOf } = await import("../../../Sources/WebApp/events/listmodel.js");

const none = { which: "all", workout: "", zone: "", text: "" };
const hour = 3_600_000;

test("a filter's address leads back to the filter", () => {
  for (const filter of [none, { ...none, which: "saved" }, { which: "own", workout: "run", zone: "3", text: "a & b" }]) {
    const { searchParams } = new URL(pathOf(filter), "https://example.org");
    assert.deepEqual(filterOf(searchParams, { isGuest: false }), filter);
  }
  assert.equal(pathOf(none), "/events");
});

test("an unknown list is the list of all, and guests have no other", () => {
  assert.equal(filterOf(new URLSearchParams("which=odd"), { isGuest: false }).which, "all");
  assert.equal(filterOf(new URLSearchParams("which=own"), { isGuest: true }).which, "all");
  assert.deepEqual(filterOf(undefined, { isGuest: true }), none);
});

test("a request has the members that filter, and the zone as a number", () => {
  assert.deepEqual(listParams(none), {});
  assert.deepEqual(listParams({ which: "own", workout: "run", zone: "3", text: "a" }), { which: "own", workout: "run", zone: 3, text: "a" });
  assert.deepEqual([none, { ...none, which: "own" }, { ...none, text: "a" }].map(isFiltered), [false, false, true]);
});

test("a list is divided into days, without events that are over", () => {
  const now = new Date(2026, 4, 4, 12).getTime();
  const event = (id, hours) => ({ id, details: { startsAt: new Date(now + hours * hour).toISOString(), duration: 3_600 } });
  const groups = groupsByDay([event(1, -2), event(2, -0.5), event(3, 1), event(4, 25)], now);
  assert.deepEqual(groups.map(({ heading, events }) => [heading.title, events.map(({ id }) => id)]), [["Today", [2, 3]], ["Tomorrow", [4]]]);
});

/** A server with `count` events in pages of `size`, which are shorter than asked for. */
function server(count, size) {
  const requests = [];
  const request = async (_method, params) => {
    requests.push(params);
    const from = Number(params.after ?? 0);
    const events = Array.from({ length: Math.max(0, Math.min(size, count - from)) }, (_, index) => ({ id: from + index + 1 }));
    return { events, next: from + size < count ? String(from + size) : undefined };
  };
  const kept = { list: () => null, putList() {} };
  return { requests, pages: new ListPages({ net: { account: { id: 1 }, request }, kept }) };
}

test("short pages are joined until the list is as long as wanted", async () => {
  const { pages, requests } = server(50, 8);
  const first = await pages.request(none, { isMore: false, isCurrent: () => true });
  assert.equal(first.list.events.length, 24);
  pages.take(none, first.list, []);
  const more = await pages.request(none, { isMore: true, isCurrent: () => true });
  assert.deepEqual([more.list.events.length, more.firstNew, requests.length], [32, 25, 4]);
  pages.take(none, more.list, []);
  const again = await pages.request(none, { isMore: false, isCurrent: () => true });
  assert.deepEqual([again.list.events.length, again.firstNew], [32, 1]);
});

test("a request that is not current any more ends without a list", async () => {
  const { pages, requests } = server(50, 8);
  assert.equal(await pages.request(none, { isMore: false, isCurrent: () => requests.length < 2 }), null);
  assert.equal(requests.length, 2);
});

test("the list of each filter is remembered until lists are forgotten", async () => {
  const { pages } = server(3, 8);
  const { list } = await pages.request(none, { isMore: false, isCurrent: () => true });
  pages.take(none, list, []);
  pages.recall({ ...none, text: "other" });
  assert.equal(pages.list, null);
  pages.recall(none);
  assert.deepEqual(pages.list.events.map(({ id }) => id), [1, 2, 3]);
  pages.remove(2);
  assert.deepEqual(pages.list.events.map(({ id }) => id), [1, 3]);
});
