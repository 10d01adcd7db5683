import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { campusClock, openState, openText, weekOf } from "../../../Sources/WebApp/places/hours.js";

const berlin = campusClock("Europe/Berlin", ["de"]);
/** A Friday, 15:00 in Berlin. */
const now = Date.parse("2026-11-27T14:00:00Z");
const interval = (from, to) => ({ from: `2026-${from}:00Z`, to: `2026-${to}:00Z` });

test("a place is open until the end of the interval, and opens with the next one", () => {
  const openings = [interval("11-27T07:00", "11-27T21:00"), interval("11-28T09:00", "11-28T13:00"), interval("11-30T07:00", "11-30T21:00")];
  assert.deepEqual(openState(openings, now), { isOpen: true, changesAt: Date.parse("2026-11-27T21:00Z") });
  assert.equal(openText({ openings }, now, berlin), "Open until 22:00");
  assert.equal(openText({ openings }, Date.parse("2026-11-27T06:00Z"), berlin), "Closed, opens at 08:00");
  assert.equal(openText({ openings }, Date.parse("2026-11-27T21:00Z"), berlin), "Closed, opens tomorrow at 10:00");
  assert.equal(openText({ openings }, Date.parse("2026-11-28T13:30Z"), berlin), "Closed, opens Monday at 08:00");
  assert.equal(openText({ openings }, Date.parse("2026-12-01T13:30Z"), berlin), "Closed");
});

test("intervals that touch are one, and a place without a gap is always open", () => {
  const days = Array.from({ length: 8 }, (_, index) => {
    const at = (day) => new Date(Date.parse("2026-11-26T23:00Z") + day * 86_400_000).toISOString();
    return { from: at(index), to: at(index + 1) };
  });
  assert.equal(openText({ openings: days }, now, berlin), "Always open");
  assert.deepEqual(weekOf(days, now, berlin)[0].hours, ["Open all day"]);
});

test("hours that cannot be evaluated leave what the server says now, or nothing", () => {
  assert.equal(openText({ openings: undefined, open: true }, now, berlin), "Open now");
  assert.equal(openText({ openings: undefined, open: false }, now, berlin), "Closed now");
  assert.equal(openText({ openings: undefined }, now, berlin), null);
  assert.equal(openText({ openings: [] }, now, berlin), "Closed");
});

test("the week begins today in the time zone of the campus, and a night belongs to the day on which it begins", () => {
  const late = [interval("11-27T19:00", "11-28T01:00"), interval("11-28T09:00", "11-28T11:00"), interval("11-28T12:00", "11-28T16:00")];
  const week = weekOf(late, now, berlin);
  assert.deepEqual(week.map(({ day }) => day),
    ["Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday"]);
  assert.deepEqual(week[0].hours, ["20:00 – 02:00"]);
  assert.deepEqual(week[1].hours, ["10:00 – 12:00", "13:00 – 17:00"]);
  assert.deepEqual(week[2].hours, []);
});

test("midnight is right when the clocks change, and where the day is another than here", () => {
  // Summer time ends on 25 October 2026 at 3:00 in Berlin.
  const saturday = Date.parse("2026-10-24T10:00Z");
  assert.equal(new Date(berlin.midnight(saturday, 1)).toISOString(), "2026-10-24T22:00:00.000Z");
  assert.equal(new Date(berlin.midnight(saturday, 2)).toISOString(), "2026-10-25T23:00:00.000Z");
  const kiritimati = campusClock("Pacific/Kiritimati", ["en"]);
  assert.equal(new Date(kiritimati.midnight(Date.parse("2026-10-24T12:00Z"), 0)).toISOString(), "2026-10-24T10:00:00.000Z");
  assert.equal(kiritimati.dayName(Date.parse("2026-10-25T11:00Z"), Date.parse("2026-10-24T12:00Z")), "tomorrow");
});
