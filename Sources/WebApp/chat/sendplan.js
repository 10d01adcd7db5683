// Selection of the next waiting message to send, and the meaning of an error for it. Pure.

/** Conversations that are sent to at the same time. */
const conversationsAtOnceMax = 4;

/**
 * The entries to send now: of each conversation the oldest waiting one, unless one is in flight (`busy`) or the conversation waits after
 * a momentary failure (`held`). A refused entry holds nothing up; one that failed for the moment holds up the later ones of its
 * conversation, and those of others only after a rate limit. `busy.has` and `held.has` take a conversation.
 */
export function nextEntries(entries, busy, held) {
  const found = new Map();
  for (const entry of [...entries].sort((a, b) => a.order - b.order)) {
    const { conversation } = entry;
    if (entry.problem || busy.has(conversation) || held.has(conversation) || found.has(conversation)) continue;
    found.set(conversation, entry);
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
 * The step after an error: `retry` later (the account may be back then), `upload` the picture again, which the server keeps for a day only,
 * or `refuse`: sending again would fail again.
 */
export function afterSendError(error, entry) {
  if (error.isNotFound && error.data?.field === "picture" && entry.blob && entry.pictureId) return "upload";
  return error.isTransient || error.isUnauthenticated ? "retry" : "refuse";
}
