// The names of the ends of routes. No DOM.

import { textOf } from "./ends.js";

/** Names that are known of this visit, by the text of the end. */
const known = new Map();
const knownMax = 200;

/** Notes the name of an end that a person chose. */
export function noteName(end, name) {
  if (!name || known.size >= knownMax) return;
  known.set(textOf(end), name);
}

/** Notes the names of people who share with this account. */
export function notePeople(shares, ...ends) {
  for (const end of ends) if (end?.kind === "person") noteName(end, nameOfPerson(shares, end));
}

const nameOfPerson = (shares, { id }) => shares.find(({ person }) => person?.account === id)?.person.name ?? null;

/** The name of an end as far as it is known now. */
export function nameNow(end) {
  if (!end) return null;
  if (end.kind === "me") return "My location";
  return known.get(textOf(end)) ?? { point: "Point on the map", event: "The event", person: "The person" }[end.kind] ?? null;
}

/** The name of an end, from the server if it is not known; null where that has none. */
export async function nameOf(net, end) {
  if (!end || end.kind === "me" || end.kind === "point" || known.has(textOf(end))) return nameNow(end);
  try {
    const name = await ask(net, end);
    noteName(end, name);
    return name;
  } catch {
    return nameNow(end);
  }
}

async function ask(net, end) {
  switch (end.kind) {
    case "person": return nameOfPerson((await net.request("sharing.withMe", {})).shares, end);
    case "destination": return (await net.request("places.page", { destination: end.id })).destination.name;
    case "event": return (await net.request("events.get", { event: end.id })).event.title;
    default: return nameNow(end);
  }
}
