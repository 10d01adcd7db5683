// The age of replies that this browser kept.

/** Times of the replies that came from the store. */
const times = new WeakMap();

/**
 * Time of the device when the server sent the oldest of these replies, in ms, or null if all of them are new. A list or an object of
 * replies counts as its members.
 */
export function keptAt(...replies) {
  const found = replies.flatMap((reply) => [reply, ...(reply && typeof reply === "object" ? Object.values(reply) : [])])
    .map((reply) => times.get(reply)).filter((at) => at !== undefined);
  return found.length > 0 ? Math.min(...found) : null;
}

/** Notes that a reply came from the store, where it was kept at this time of the device, in ms. */
export function noteKept(reply, at) {
  times.set(reply, at);
}
