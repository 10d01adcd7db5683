// Chats: the list, and beside or instead of it the open conversation.

import { dropToast, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { makeChatList } from "./list.js";
import { makeConversationPane } from "./pane.js";

/** Serves `/chats` and `/chats/:id`; `?at=` opens at a message. */
export function show(root, { id, query }, app) {
  if (!requireSignIn(app, id ? `/chats/${id}` : "/chats")) return undefined;
  const scope = app.pictures.scope();
  const life = new AbortController();
  const openId = id === undefined ? null : Number(id);
  const list = makeChatList({ app, scope, openId, headingTag: openId === null ? "h1" : "h2" });
  const pane = openId === null ? null : makeConversationPane({ app, scope, id: openId, at: Number(query?.get("at")) || null });
  const nothing = h("section", { class: "chat-pane chat-nothing" },
    icon("chats"), h("p", { class: "muted" }, "Choose a chat."));
  root.append(h("div", { class: openId === null ? "chats" : "chats has-open" }, list.element, pane?.element ?? nothing));
  pane?.start();
  // The list shows what these toasts say.
  for (const conversation of app.chat.inbox.conversations.keys()) dropToast(`chat-${conversation}`);
  leaveWhenSignedOut(app, life.signal);
  return () => {
    life.abort();
    list.close();
    pane?.close();
    scope.close();
  };
}
