// Values of a notice's form, their errors, and the request made of them. Pure; the server checks again.

import { characters } from "../kit/choices.js";
import { fieldsOf, timeOf } from "../events/times.js";

export const titleCharactersMax = 120;
export const bodyCharactersMax = 4_000;
const aheadMillisecondsMax = 365 * 86_400_000;

/** Usual duration of a notice by its level, in words. */
export const usualLengths = { info: "30 days", important: "7 days", emergency: "a day" };

/** Audiences that a role may write to: each role to the people of its own events, lecturers to the campus and zones, admins to all. */
export function audiencesFor(role, { hasEvent }) {
  const kinds = [
    { id: "campus", label: "The whole campus", hint: "Everyone, including guests.", roles: ["admin", "lecturer"] },
    {
      id: "zone", label: "A zone", hint: "Everyone who follows it or is there when you send it. Guests can see it, too.",
      roles: ["admin", "lecturer"],
    },
    { id: "role", label: "A role", hint: "Everyone with this role.", roles: ["admin"] },
    {
      id: "event", label: "Attendees of an event", hint: "Everyone who is going, might go, is waiting, is invited or saved it.",
      roles: hasEvent ? ["admin", "lecturer", "student", "rewards"] : [],
    },
    { id: "user", label: "One person", hint: "Nobody else sees it.", roles: ["admin"] },
  ];
  return kinds.filter(({ roles }) => roles.includes(role));
}

/** Values of a new notice. */
export function emptyNotice(now, audience = "campus") {
  const next = fieldsOf(Math.ceil(now / 3_600_000) * 3_600_000);
  const week = fieldsOf(now + 7 * 86_400_000);
  return {
    audience, zone: "", role: "student", person: "", level: "info", title: "", body: "", when: "now", date: next.date, time: next.time,
    ends: "usual", endDate: week.date, endTime: week.time,
  };
}

/** The form's values of a notice that was sent. */
export function valuesOfNotice({ notice, audience }, now) {
  const end = fieldsOf(Date.parse(notice.expiresAt ?? new Date(now + 7 * 86_400_000)));
  return {
    ...emptyNotice(now, audience.kind), zone: String(audience.zone ?? ""), role: audience.role ?? "student",
    person: String(audience.account ?? ""), level: notice.level, title: notice.title, body: notice.body ?? "",
    endDate: end.date, endTime: end.time,
  };
}

/** `notices.publish`'s `audience`, or null as long as something is missing; `account` is the person's number. */
export function audienceOf({ audience, zone, role }, { event, account }) {
  switch (audience) {
    case "campus": return { kind: "campus" };
    case "zone": return zone === "" ? null : { kind: "zone", zone: Number(zone) };
    case "role": return { kind: "role", role };
    case "event": return event === null ? null : { kind: "event", event };
    default: return account === null ? null : { kind: "user", account };
  }
}

/** Parameters besides the id and the audience, of values without problems. A new notice (`isNew`) has a beginning. */
export function detailsOfNotice(values, { isNew }) {
  return {
    title: values.title.trim(), ...(values.body.trim() && { body: values.body.trim() }), level: values.level,
    ...(isNew && values.when === "later" && { publishAt: new Date(timeOf(values.date, values.time)).toISOString() }),
    ...(values.ends === "date" && { expiresAt: new Date(timeOf(values.endDate, values.endTime)).toISOString() }),
  };
}

/** Problems of values: `{field: message}`; `now` is the server's time. */
export function noticeProblems(values, now, { isNew = true, publishedAt = now } = {}) {
  const problems = {};
  if (values.title.trim() === "") problems.title = "Enter a title.";
  else if (characters(values.title.trim()) > titleCharactersMax) problems.title = `At most ${titleCharactersMax} characters.`;
  if (characters(values.body.trim()) > bodyCharactersMax) problems.body = `At most ${bodyCharactersMax.toLocaleString("en")} characters.`;
  if (isNew && values.audience === "zone" && values.zone === "") problems.zone = "Choose a zone.";
  if (isNew && values.audience === "user" && values.person.trim() === "") problems.person = "Enter a person.";
  let start = publishedAt;
  if (isNew && values.when === "later") {
    start = timeOf(values.date, values.time);
    if (timeOf(values.date, "00:00") === null) problems.date = "Choose a day.";
    else if (start === null) problems.time = "Choose a time.";
    else if (start <= now) problems.date = "That's in the past. Choose a later time, or send it now.";
    else if (start - now > aheadMillisecondsMax) problems.date = "At most a year ahead.";
  }
  if (values.ends === "date") {
    const end = timeOf(values.endDate, values.endTime);
    if (timeOf(values.endDate, "00:00") === null) problems.endDate = "Choose a day.";
    else if (end === null) problems.endTime = "Choose a time.";
    else if (end <= Math.max(now, start ?? now)) problems.endDate = "Choose a later time.";
    else if (end - (start ?? now) > aheadMillisecondsMax) problems.endDate = "At most a year after sending.";
  }
  return problems;
}

const fieldsOfServer = {
  title: "title", body: "body", level: "level", publishAt: "date", expiresAt: "endDate",
  audience: "audience", "audience.zone": "zone", "audience.account": "person",
};

/** The form's field for a field in an error of the server, or null. */
export function fieldOfNoticeServer(field) {
  return fieldsOfServer[field] ?? null;
}
