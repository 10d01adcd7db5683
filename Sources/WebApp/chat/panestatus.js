// The messages in the place of a conversation: it is loading, it could not be loaded, or it is an invitation to answer.

import { attempt } from "../kit/dialog.js";
import { emptyState, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadProblem } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";

/** The message in the place of a conversation that is not loaded. */
export function notLoaded(opened, net) {
  if (opened.state === "loading") return loading(net, { class: "muted center" });
  const id = "conversation-problem";
  if (!opened.isClosed) {
    const text = opened.error?.message ?? "Check your connection and try again.";
    return loadProblem({ id, title: "Couldn't load this chat", text, again: () => opened.open() });
  }
  return emptyState({
    id, iconElement: icon("chats"), title: "Chat not found", text: "It has ended, or you're not in it.",
    action: h("a", { class: "button", href: "/chats" }, "See all chats"),
  });
}

/** The question whether to join the group `opened`. */
export function invitation(opened, { net, chat, router }) {
  const { invitedBy, name } = opened.conversation;
  const answer = async (accept) => {
    if (!(await attempt(() => net.writes.write("group.answer", { conversation: opened.id, accept })))) return;
    chat.load();
    if (accept && net.writes.find("group.answer", opened.id)) router.go("/chats");
    else if (accept) opened.open();
    else router.go("/chats", { replace: true });
  };
  const button = (label, className, accept) => h("button", { class: className, type: "button", onclick: () => answer(accept) }, label);
  const inviter = invitedBy?.name ?? "Someone";
  return emptyState({
    id: "invitation", iconElement: icon("group"), title: `Join ${name}?`,
    text: `${inviter} invited you. Members see your name and picture. You see messages from when you join.`,
    action: h("div", { class: "row" }, button("Accept", "button primary", true), button("Decline", "button", false)),
  });
}
