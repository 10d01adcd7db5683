// Sharing a place: in a chat, by the device's own sheet, or as a copied link.

import { openDialog } from "../kit/dialog.js";
import { announce, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { conversationMark } from "../kit/person.js";
import { pathOf } from "./destinations.js";

/** Opens the dialog; a guest has the link alone. */
export function openSharePlace({ net, chat, pictures, known }, destination) {
  const { name } = destination;
  const url = new URL(pathOf(destination), location.origin).href;
  const scope = pictures.scope();
  const field = h("input", {
    class: "input", id: "place-url", readonly: true, value: url, "aria-label": "Link", onfocus: ({ target }) => target.select(),
  });
  const hint = h("p", { class: "hint", role: "status" });
  const copy = h("button", { class: "button", type: "button", id: "copy-place", onclick: () => copyLink({ url, field, hint, dialog }) },
    icon("copy"), "Copy link");
  const passOn = async () => {
    try {
      await navigator.share({ title: name, url });
      dialog.close();
    } catch {
      // It was cancelled; the link is still here.
    }
  };
  const pass = typeof navigator.share !== "function" ? null
    : h("button", { class: "button", type: "button", id: "pass-place", onclick: passOn }, icon("share"), "More ways");
  const chats = net.account ? chat.inbox.ordered.filter(({ state }) => state !== "invited") : [];
  const send = async (conversation, to) => {
    await chat.sender.add({ conversation, text: `${name}\n${url}` });
    dialog.close();
    const text = net.state === "live" ? `Sent to ${to}.` : `Sent to ${to} when you're back online.`;
    toast(text);
    announce(text);
  };
  const row = (conversation) => {
    const to = conversation.kind === "group" ? conversation.name : known.shown(conversation.buddy ?? {}).name ?? "Someone";
    return h("li", {}, h("button", { class: "place-row", type: "button", dataset: { conversation: conversation.id },
      onclick: () => send(conversation.id, to) }, conversationMark(scope, conversation, { size: 36 }), h("span", { class: "grow" }, to),
    icon("send")));
  };
  const dialog = openDialog({ id: "share-place", title: `Share ${name}`, content: h("div", { class: "stack" },
    h("div", { class: "copy-row" }, field), h("div", { class: "row" }, copy, pass), hint,
    chats.length > 0 ? h("section", { class: "stack tight", "aria-labelledby": "share-place-chats" },
      h("h3", { id: "share-place-chats", class: "small-title" }, "Send in a chat"),
      h("ul", { class: "place-list share-chats" }, ...chats.map(row))) : null) });
  dialog.addEventListener("close", () => scope.close());
}

async function copyLink({ url, field, hint, dialog }) {
  try {
    await navigator.clipboard.writeText(url);
  } catch {
    hint.textContent = "Couldn't copy. Copy the link yourself.";
    field.focus();
    return;
  }
  dialog.close();
  toast("Link copied.");
  announce("Link copied.");
}
