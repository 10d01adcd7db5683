// Selection of the next waiting message to send, and the meaning of an error for it. Pure.

/** Conversations that are sent to at the same time. */
const conversationsAtOnceMax = 4;

/**
 * The entries to send now: of each conversation the oldest that waits, unless one of it is under way. What was refused
 * is set aside and holds nothing up; what failed for the moment holds up what was written after it.
 */
export function nextEntries(entries, busy) {
  const found = new Map();
  for (const entry of [...entries].sort((a, b) => a.order - b.order)) {
    if (entry.problem || busy.has(entry.conversation) || found.has(entry.conversation)) continue;
    found.set(entry.conversation, entry);
  }
  return [...found.values()].slice(0, Math.max(0, conversationsAtOnceMax - busy.size));
}

/** The request for an entry, the same each time: with the same id it is the same message. */
export function sendParams({ conversation, id, text, pictureId, reply }) {
  const params = { conversation, id };
  if (text) params.text = text;
  if (pictureId) params.picture = pictureId;
  if (reply) params.reply = reply;
  return params;
}

/**
 * What to do about an error: `retry` later (the account may be back then), `upload` its picture again, which the server kept for a
 * day only, or `refuse`: sending again cannot mend it.
 */
export function afterSendError({ code, isTransient, data }, entry) {
  if (code === 1003 && data?.field === "picture" && entry.blob && entry.pictureId) return "upload";
  return isTransient || code === 1001 ? "retry" : "refuse";
}

/** In ms: the server's word if it gave one, else doubling up to half a minute. */
export function sendAgainIn(failures, retryAfterSeconds) {
  if (retryAfterSeconds > 0) return Math.min(retryAfterSeconds, 300) * 1000;
  return Math.min(30_000, 1000 * 2 ** Math.min(failures, 5));
}
