// A conversation as lines to draw: days, sent and waiting messages, events of the group; and its texts in heads and lists. Pure.

import { count } from "../kit/format.js";
import { dayKey, dayName } from "../kit/times.js";

/** Messages of one person closer together than this are one group with one name. */
const groupMilliseconds = 5 * 60_000;

/**
 * `items` oldest first, `waiting` entries behind them, `newFrom` the offset behind which messages of others are new (null for no
 * line). Rows: `{kind, key}` with `day`: `text`; `new`; `system`: `item`; `message`: `item`, `isOwn`, `starts`, `ends` (of a
 * group); `waiting`: `entry`, `starts`.
 */
export function conversationRows({ items, waiting = [], me, newFrom = null, now = Date.now() }) {
  const rows = [];
  let day = null;
  let last = null;
  let isNewSaid = newFrom === null;
  const sayDay = (at) => {
    const key = dayKey(at);
    if (key === day) return;
    day = key;
    last = null;
    rows.push({ kind: "day", key: `day-${key}`, text: dayName(at, now) });
  };
  for (const item of items) {
    if (item.at) sayDay(item.at);
    if (item.type !== "message") {
      rows.push({ kind: "system", key: `event-${item.offset}`, item });
      last = null;
      continue;
    }
    if (!isNewSaid && item.offset > newFrom && item.by !== me && !item.deletedAt) {
      isNewSaid = true;
      last = null;
      rows.push({ kind: "new", key: "new" });
    }
    const continues = last && last.item.by === item.by && Date.parse(item.at) - Date.parse(last.item.at) < groupMilliseconds;
    if (continues) last.ends = false;
    last = { kind: "message", key: `message-${item.offset}`, item, isOwn: item.by === me, starts: !continues, ends: true };
    rows.push(last);
  }
  const sent = new Set(items.map(({ id }) => id).filter(Boolean));
  for (const entry of waiting) {
    if (sent.has(entry.id)) continue;
    sayDay(entry.at);
    const continues = last && (last.kind === "waiting" || last.item.by === me);
    if (continues) last.ends = false;
    last = { kind: "waiting", key: `waiting-${entry.id}`, entry, starts: !continues, ends: true };
    rows.push(last);
  }
  return rows;
}

/** A sentence for an event of a conversation. `name(account)` gives a name or null; `me` is the reader's account. */
export function eventSentence({ type, by, account, role, text }, name, me) {
  const who = (id) => (id === me ? "You" : name(id) ?? "Someone");
  const whom = (id) => (id === me ? "you" : name(id) ?? "somebody");
  switch (type) {
    case "joined": return `${who(account ?? by)} joined`;
    case "left": return `${who(account ?? by)} left`;
    case "removed": return `${who(by)} removed ${whom(account)}`;
    case "renamed": return text ? `${who(by)} named the group “${text}”` : `${who(by)} renamed the group`;
    case "role": return account === me ? `You are now ${roleWords[role]}` : `${who(account)} is now ${roleWords[role]}`;
    case "opened": return "You're now buddies. Say hello!";
    case "closed": return "This chat has ended";
    default: return "";
  }
}

const roleWords = { owner: "the owner", admin: "an admin", member: "a member" };

/** The newest message of a conversation in one line for the list: `You: `, `Picture`, `Message deleted`. */
export function lastLine({ kind, state, last, new: isNew, invitedBy }, me) {
  if (state === "invited") return invitedBy ? `${invitedBy.name} invited you` : "You're invited";
  if (!last) return isNew && kind === "direct" ? "You're now buddies. Say hello!" : "No messages yet";
  const who = last.by === me ? "You: " : kind === "group" && last.name ? `${last.name.split(" ")[0]}: ` : "";
  if (last.deleted) return "Message deleted";
  return who + (last.text ? last.text.replace(/\s+/g, " ") : last.picture ? "Picture" : "");
}

/** The line below the name of an open conversation. `conversation` is null while it is not known; `writing` are names. */
export function headLine({ conversation, isClosed, writing, isLive, isOffline = false, isMuted }) {
  if (!conversation) return "";
  if (isClosed) return "Ended";
  const { kind, members } = conversation;
  if (writing.length > 0) {
    if (kind === "direct") return "is typing…";
    return writing.length === 1 ? `${writing[0]} is typing…` : `${writing.length} people are typing…`;
  }
  if (!isLive) return isOffline ? "Offline" : "Waiting for connection…";
  return (kind === "direct" ? "Buddy" : count(members, "member")) + (isMuted ? " · muted" : "");
}

/** The line behind the newest message while somebody writes; empty while nobody does. */
export function typingLine(writing) {
  if (writing.length === 0) return "";
  return writing.length === 1 ? `${writing[0].split(" ")[0]} is typing` : `${writing.length} people are typing`;
}

/** Text split at its web addresses: `[{text, link}]`, where `link` is null for other text. */
export function linked(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}']/g)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), link: null });
    parts.push({ text: match[0], link: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), link: null });
  return parts;
}
