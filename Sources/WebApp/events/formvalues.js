// Values of an event's form, their errors, and the request made of them. Pure; the server checks again.

import { characters } from "../kit/choices.js";
import { fieldsOf, timeOf } from "./times.js";

export const titleCharactersMax = 120;
export const descriptionCharactersMax = 2_000;
export const capacityMax = 100_000;
const durationSecondsMin = 300;
const durationSecondsMax = 1_209_600;
const aheadMillisecondsMax = 730 * 86_400_000;

/** Lengths to choose from, in minutes; another is given in hours and minutes. */
export const lengths = [30, 45, 60, 90, 120, 180, 240, 480, 1_440];

/** A new event begins at the next full hour after next, so that others have time to see it. */
export function emptyValues(now, audience = "private") {
  const start = fieldsOf(Math.ceil(now / 3_600_000) * 3_600_000 + 3_600_000);
  return {
    title: "", audience, workout: "", date: start.date, time: start.time, length: "60", hours: "1", minutes: "0",
    place: "", position: null, capacity: "", description: "",
  };
}

/** The form's values of an event. */
export function valuesOf({ audience, details }) {
  const { place, duration } = details;
  const minutes = Math.round(duration / 60);
  return {
    title: details.title, audience, workout: details.workout ?? "", ...fieldsOf(details.startsAt),
    length: lengths.includes(minutes) ? String(minutes) : "other", hours: String(Math.floor(minutes / 60)), minutes: String(minutes % 60),
    place: place.name, position: Number.isFinite(place.lat) ? { lat: place.lat, lon: place.lon } : null,
    capacity: details.capacity ? String(details.capacity) : "", description: details.description ?? "",
  };
}

/** Seconds, or NaN. */
export function durationOf({ length, hours, minutes }) {
  const whole = (text) => (/^\d{1,4}$/.test(text.trim() || "0") ? Number(text) : NaN);
  return length === "other" ? (whole(hours) * 60 + whole(minutes)) * 60 : Number(length) * 60;
}

/** `events.create`'s and `events.update`'s `details`, of values without problems. */
export function detailsOf(values) {
  const { position, workout } = values;
  const description = values.description.trim();
  return {
    title: values.title.trim(), ...(description && { description }), ...(workout && { workout }),
    startsAt: new Date(timeOf(values.date, values.time)).toISOString(), duration: durationOf(values),
    place: { name: values.place.trim(), ...(position && { lat: position.lat, lon: position.lon }) },
    ...(values.capacity.trim() && { capacity: Number(values.capacity) }),
  };
}

/** Problems of values: `{field: message}`; `now` is the server's time. */
export function eventProblems(values, now) {
  const problems = {};
  const text = (field, what, most) => {
    if (values[field].trim() === "") problems[field] = what;
    else if (characters(values[field].trim()) > most) problems[field] = `At most ${most} characters.`;
  };
  text("title", "Enter a title.", titleCharactersMax);
  text("place", "Enter a place.", titleCharactersMax);
  if (characters(values.description.trim()) > descriptionCharactersMax) {
    problems.description = `At most ${descriptionCharactersMax.toLocaleString("en")} characters.`;
  }
  const start = timeOf(values.date, values.time);
  const duration = durationOf(values);
  if (!(duration >= durationSecondsMin && duration <= durationSecondsMax)) problems.length = "Choose from 5 minutes to 14 days.";
  if (timeOf(values.date, "00:00") === null) problems.date = "Choose a day.";
  else if (start === null) problems.time = "Choose a time.";
  else if (start + (duration || 0) * 1_000 <= now) problems.date = "That's in the past. Choose a later time.";
  else if (start - now > aheadMillisecondsMax) problems.date = "At most two years ahead.";
  if (!isCapacity(values.capacity.trim())) {
    problems.capacity = `Enter a number from 1 to ${capacityMax.toLocaleString("en")}, or leave it empty for no limit.`;
  }
  return problems;
}

/** Whether it is a number of places, or nothing. */
function isCapacity(text) {
  return text === "" || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= capacityMax);
}

const fieldsOfServer = {
  audience: "audience", "details.title": "title", "details.description": "description", "details.workout": "workout",
  "details.startsAt": "date", "details.duration": "length", "details.place.name": "place", "details.place": "position",
  "details.place.lat": "position", "details.capacity": "capacity",
};

/** The form's field for a field in an error of the server, or null. */
export function fieldOfServer(field) {
  return fieldsOfServer[field] ?? null;
}

/** Whether two `details` say the same; the zone is the server's. */
export function sameDetails(one, other) {
  const plain = ({ title, description, workout, startsAt, duration, place, capacity }) => JSON.stringify([
    title.normalize("NFC"), (description ?? "").normalize("NFC"), workout ?? "", Date.parse(startsAt), duration,
    place.name.normalize("NFC"), place.lat ?? null, place.lon ?? null, capacity ?? null,
  ]);
  return plain(one) === plain(other);
}
