// Actions in an open conversation: on a message, on a picture, on the conversation itself.

import { confirmDialog, h, removeDialog, setText, toast } from "../kit/dom.js";
import { isMuted } from "./inbox.js";
import { icon } from "../kit/icons.js";
import { openAsk } from "../sharing/ask.js";
import { openGroup } from "./groups.js";
import { openMenu } from "../kit/menu.js";
import { reactions } from "./message.js";
import { openShareSheet } from "../sharing/sharesheet.js";
import { attempt } from "../kit/dialog.js";
import { block, openCard, openMute, openReport, removeBuddy } from "../buddies/safety.js";

/** As on the server. */
const editableMilliseconds = 24 * 3600 * 1000;

/** `{openMessageMenu, openWho, openConversationMenu, showPicture, react}`; `composer()` gives where one writes. */
export function makeConversationActions({ app, scope, id, opened, composer, nameOf }) {
  const { chat, net, router } = app;
  const me = net.account.id;
  const react = (item, emoji, on) => attempt(() => opened.react(item.offset, emoji, on));

  function openMessageMenu(item, anchor) {
    const isOwn = item.by === me;
    const conversation = opened.conversation;
    const actions = [{ id: "reply", label: "Reply", iconName: "reply", run: () => composer().reply(item) }];
    if (item.text) actions.push({ id: "copy", label: "Copy", iconName: "copy", run: () => copy(item.text) });
    if (isOwn && Date.now() - Date.parse(item.at) < editableMilliseconds) actions.push({ id: "edit", label: "Edit", iconName: "edit", run: () => composer().edit(item) });
    if (isOwn || ["owner", "admin"].includes(conversation?.role)) actions.push({ id: "delete", label: "Delete for everybody", iconName: "bin", isDanger: true, run: () => remove(item) });
    if (!isOwn) actions.push({ id: "report", label: "Report", iconName: "flag", run: () => openReport({ net, account: item.by, name: nameOf(item.by), conversation: id, message: item.offset }) });
    const mine = [...item.reactions].filter(([, by]) => by.has(me)).map(([emoji]) => emoji);
    openMenu({ anchor, label: "Message", actions, mine, reactions, react: (emoji) => react(item, emoji, !mine.includes(emoji)) });
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied");
    } catch {
      toast("The browser does not let the app copy. Mark the text and copy it yourself.");
    }
  }

  async function remove(item) {
    const sure = await confirmDialog({ id: "delete-dialog", title: "Delete this message?", text: "It is deleted for everybody here.", confirm: "Delete", danger: true });
    if (sure) attempt(() => net.request("chat.delete", { conversation: id, message: item.offset }));
  }

  function openWho() {
    const { conversation } = opened;
    if (!conversation || opened.isClosed) return;
    if (conversation.kind === "group") openGroup({ app, scope, opened });
    else if (conversation.buddy) openCard({ net, scope, account: conversation.buddy.account });
  }

  function openConversationMenu(anchor) {
    const conversation = opened.conversation ?? chat.inbox.conversations.get(id);
    if (!conversation) return;
    const { name, buddy } = conversation;
    const leave = async (done) => {
      if (!done) return;
      chat.inbox.remove(id);
      chat.load();
      router.go("/chats", { replace: true });
    };
    const muted = isMuted(conversation);
    const actions = [{ id: "mute", label: muted ? "Muted: change" : "Mute", iconName: "mute", run: () => openMute({ net, chat, id, name, isMuted: muted }) }];
    if (conversation.kind === "group") {
      if (conversation.state !== "invited") actions.unshift({ id: "share-here", label: "Share where I am", iconName: "share", run: () => openShareSheet(app, { group: { id, name } }) });
      actions.unshift({ id: "members", label: "Members and more", iconName: "group", run: openWho });
    } else if (buddy) {
      const { account } = buddy;
      actions.unshift({ id: "share-here", label: "Share where I am", iconName: "share", run: () => openShareSheet(app, { person: buddy }) },
        { id: "ask-where", label: "Where are you now?", iconName: "question", run: () => openAsk(app, { person: buddy }) });
      actions.unshift({ id: "card", label: "View card", iconName: "account", run: openWho });
      actions.push({ id: "remove", label: "Remove buddy", iconName: "bin", isDanger: true, run: async () => leave(await removeBuddy({ net, account, name })) });
      actions.push({ id: "block", label: "Block", iconName: "block", isDanger: true, run: async () => leave(await block({ net, account, name })) });
      actions.push({ id: "report", label: "Report", iconName: "flag", run: () => openReport({ net, account, name, conversation: id }) });
    }
    openMenu({ anchor, label: name, actions });
  }

  function showPicture(picture, alt) {
    const img = h("img", { alt, class: "full-picture" });
    const note = h("p", { class: "picture-note", role: "status" }, "Loading…");
    img.onload = () => note.remove();
    const dialog = h("dialog", { class: "picture-dialog", id: "picture", "aria-label": alt }, h("button", { class: "icon-button", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close")), note, img);
    dialog.addEventListener("click", (event) => { if (event.target !== img) dialog.close(); });
    dialog.addEventListener("close", () => {
      full.close();
      removeDialog(dialog);
    });
    const full = app.pictures.scope();
    full.show(img, picture, { thumb: false, onMissing: () => setText(note, "The picture could not be loaded. Check the network and try again.") });
    document.body.append(dialog);
    dialog.showModal();
  }

  return { openMessageMenu, openWho, openConversationMenu, showPicture, react };
}
