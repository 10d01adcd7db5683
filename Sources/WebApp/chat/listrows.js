// Rows of the list of conversations: a chat, and an invitation to a group.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { conversationMark, groupMark } from "../kit/person.js";
import { waitingText } from "../kit/saved.js";
import { listTime } from "../kit/times.js";
import { isMuted } from "./inbox.js";
import { lastLine } from "./rows.js";

const unreadShownMax = 999;
const purposeTexts = { workout: "Workout group", event: "Event group" };

/** The row of a chat, which leads to it. `me` is the reader's account; `isOpen` marks the chat beside the list. */
export function chatRow(conversation, { scope, me, isOpen }) {
  const { id, name, unread, last, at } = conversation;
  const isMessage = last && !last.deleted;
  return h("li", {}, h("a", {
    class: "chat-row", href: `/chats/${id}`, dataset: { conversation: id, unread }, "aria-current": isOpen ? "true" : null,
  },
  conversationMark(scope, conversation),
  h("span", { class: "chat-what" },
    h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, name),
      conversation.new ? h("span", { class: "tag" }, "new") : null,
      isMuted(conversation) ? h("span", { class: "muted-mark", role: "img", "aria-label": "muted" }, icon("mute")) : null,
      h("time", { class: "chat-time number", datetime: at }, listTime(last?.at ?? at))),
    h("span", { class: "chat-bottom" },
      h("span", { class: isMessage ? "chat-last" : "chat-last nothing" }, lastLine(conversation, me)), unreadMark(unread)))));
}

function unreadMark(unread) {
  if (!(unread > 0)) return null;
  const text = unread > unreadShownMax ? `${unreadShownMax}+` : String(unread);
  return h("span", { class: "unread number" }, text, h("span", { class: "visually-hidden" }, " unread"));
}

/** The row of a new group that waits to be sent. */
export function waitingGroupRow(name) {
  return h("li", { class: "chat-row", dataset: { waiting: name } }, groupMark(), h("span", { class: "chat-what" },
    h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, name)), h("span", { class: "chat-last nothing" }, waitingText)));
}

/** The row of an invitation; `answer(accept)` is called for an answer, once. With `isWaiting`, an acceptance waits to be sent. */
export function invitationRow(conversation, { scope, me, isWaiting, answer }) {
  const { id, name, purpose } = conversation;
  const button = (label, className, value, accept) => h("button", {
    class: className, type: "button", dataset: { answer: value }, onclick: (event) => {
      event.currentTarget.disabled = true;
      answer(accept);
    },
  }, label);
  return h("li", { class: "chat-row invitation", dataset: { invitation: id } }, conversationMark(scope, conversation),
    h("span", { class: "chat-what" },
      h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, name), h("span", { class: "tag" }, "invitation")),
      h("span", { class: "chat-last" }, `${purposeTexts[purpose] ?? "Group"}. ${lastLine(conversation, me)}.`),
      h("span", { class: "row invitation-actions" },
        isWaiting ? h("span", { class: "muted small" }, `Accepted. ${waitingText}.`)
          : button("Accept", "button primary small-button", "accept", true),
        button("Decline", "button small-button", "decline", false))));
}
