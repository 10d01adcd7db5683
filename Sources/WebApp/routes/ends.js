// The ends of a route, in an address and in a request. Pure.
//
// In an address an end is `me`, the id of a destination such as `room/34`, `event/5`, `person/6`, or a position: `52.5,13.4` or, with a
// level, `52.5,13.4,2`.

const destination = /^(building|room|place|zone)\/[1-9]\d{0,15}$/;
const numbered = /^(event|person)\/([1-9]\d{0,15})$/;
const level = /^-?\d{1,3}(\.\d{1,2})?$/;
/** Digits of a coordinate in an address: about a decimetre. */
const digits = 6;

/**
 * @typedef {{kind: "me"} | {kind: "destination", id: string} | {kind: "event" | "person", id: number}
 *   | {kind: "point", lat: number, lon: number, level: string | null}} End
 */

/** The position of this device. */
export const me = Object.freeze({ kind: "me" });

/** The end that a text names, or null. */
export function endOf(text) {
  if (!text) return null;
  if (text === "me") return me;
  if (destination.test(text)) return { kind: "destination", id: text };
  const [, kind, id] = numbered.exec(text) ?? [];
  if (kind) return { kind, id: Number(id) };
  const [lat, lon, onLevel = null, ...more] = text.split(",");
  const [north, east] = [lat, lon].map((part) => (/^-?\d+(\.\d+)?$/.test(part ?? "") ? Number(part) : NaN));
  if (more.length > 0 || !(Math.abs(north) <= 90) || !(Math.abs(east) <= 180)) return null;
  if (onLevel !== null && !level.test(onLevel)) return null;
  return { kind: "point", lat: north, lon: east, level: onLevel };
}

/** The text of an end. */
export function textOf(end) {
  switch (end.kind) {
    case "me": return "me";
    case "destination": return end.id;
    case "point": return [end.lat.toFixed(digits), end.lon.toFixed(digits), ...(end.level === null ? [] : [end.level])].join(",");
    default: return `${end.kind}/${end.id}`;
  }
}

/** The end as a request has it; `position` is that of this device, for `me`. */
export function wireEnd(end, position = null) {
  switch (end.kind) {
    case "me": return { lat: position.lat, lon: position.lon, ...(position.level && { level: position.level }) };
    case "destination": return { destination: end.id };
    case "point": return { lat: end.lat, lon: end.lon, ...(end.level !== null && { level: end.level }) };
    default: return { [end.kind]: end.id };
  }
}

/** The address of a page, such as `/walk`, for a route. */
export function addressOf(page, { from, to }) {
  const query = [to && `to=${textOf(to)}`, from && from.kind !== "me" && `from=${textOf(from)}`].filter(Boolean).join("&");
  return query ? `${page}?${query}` : page;
}

/** `{from, to}` of an address's query. The start is this device's position unless another is named; the destination may be null. */
export function endsOf(query) {
  return { from: endOf(query?.get("from")) ?? me, to: endOf(query?.get("to")) };
}

/** Whether two ends are the same. */
export function isSameEnd(one, other) {
  return Boolean(one && other) && textOf(one) === textOf(other);
}
