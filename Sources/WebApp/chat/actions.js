// Actions in an open conversation: on a message, on a picture, on the conversation itself.

import { block, openCard, openMute, openReport, removeBuddy } from "../buddies/safety.js";
import { attempt, confirmThen } from "../kit/dialog.js";
import { toast } from "../kit/dom.js";
import { openMenu } from "../kit/menu.js";
import { openAsk } from "../sharing/ask.js";
import { openShareSheet } from "../sharing/sharesheet.js";
import { showPicture } from "./fullpicture.js";
import { openGroup } from "./groups.js";
import { isMuted } from "./inbox.js";
import { reactions } from "./message.js";

/** As on the server. */
const editableMilliseconds = 24 * 3600 * 1000;

/** The menus and dialogs of one open conversation. */
export class ConversationActions {
  #app;
  #scope;
  #opened;
  #me;
  #nameOf;
  #composer;

  /** `composer()` returns the composer of the conversation; `nameOf(account)` is a name for the reader. */
  constructor({ app, scope, opened, nameOf, composer }) {
    this.#app = app;
    this.#scope = scope;
    this.#opened = opened;
    this.#me = app.net.account.id;
    this.#nameOf = nameOf;
    this.#composer = composer;
  }

  /** Gives a reaction, or takes it back when `on` is false. */
  react(item, emoji, on) {
    attempt(() => this.#opened.react(item.offset, emoji, on));
  }

  openMessageMenu(item, anchor) {
    const mine = [...item.reactions].filter(([, by]) => by.has(this.#me)).map(([emoji]) => emoji);
    openMenu({
      anchor, label: "Message", actions: this.#messageActions(item), mine, reactions,
      react: (emoji) => this.react(item, emoji, !mine.includes(emoji)),
    });
  }

  /** Opens the members of a group, or the card of a buddy. */
  openDetails() {
    const { conversation, isClosed } = this.#opened;
    if (!conversation || isClosed) return;
    const { net } = this.#app;
    if (conversation.kind === "group") openGroup({ app: this.#app, scope: this.#scope, opened: this.#opened });
    else if (conversation.buddy) openCard({ net, scope: this.#scope, account: conversation.buddy.account });
  }

  openConversationMenu(anchor) {
    const conversation = this.#opened.conversation ?? this.#app.chat.inbox.conversations.get(this.#opened.id);
    if (!conversation) return;
    const { kind, name, buddy } = conversation;
    const mute = this.#muteAction(conversation);
    let actions = [mute];
    if (kind === "group") actions = [...this.#groupActions(conversation), mute];
    else if (buddy) actions = [...this.#buddyActions(buddy), mute, ...this.#partingActions(name, buddy.account)];
    openMenu({ anchor, label: name, actions });
  }

  showPicture(picture, alt) {
    showPicture(this.#app.pictures, picture, alt);
  }

  #messageActions(item) {
    const isOwn = item.by === this.#me;
    const isEditable = isOwn && Date.now() - Date.parse(item.at) < editableMilliseconds;
    const mayDelete = isOwn || ["owner", "admin"].includes(this.#opened.conversation?.role);
    const composer = this.#composer();
    return [
      { id: "reply", label: "Reply", iconName: "reply", run: () => composer.reply(item) },
      item.text && { id: "copy", label: "Copy", iconName: "copy", run: () => copyText(item.text) },
      isEditable && { id: "edit", label: "Edit", iconName: "edit", run: () => composer.edit(item) },
      mayDelete && { id: "delete", label: "Delete for everyone", iconName: "bin", isDanger: true, run: () => this.#remove(item) },
      !isOwn && { id: "report", label: "Report", iconName: "flag", run: () => this.#report(item) },
    ].filter(Boolean);
  }

  #report({ by, offset }) {
    const { net } = this.#app;
    openReport({ net, account: by, name: this.#nameOf(by), conversation: this.#opened.id, message: offset });
  }

  #remove({ offset }) {
    confirmThen(
      {
        id: "delete-dialog", title: "Delete this message?", text: "It disappears for everyone here.", confirm: "Delete", danger: true,
      },
      () => this.#opened.write("chat.delete", { message: offset }, { type: "deleted" }));
  }

  #muteAction(conversation) {
    const { net, chat } = this.#app;
    const { name } = conversation;
    const muted = isMuted(conversation);
    return {
      id: "mute", label: muted ? "Change mute" : "Mute", iconName: "mute",
      run: () => openMute({ net, chat, id: this.#opened.id, name, isMuted: muted }),
    };
  }

  #groupActions({ name, state }) {
    const group = { id: this.#opened.id, name };
    return [
      { id: "members", label: "Group details", iconName: "group", run: () => this.openDetails() },
      state !== "invited" && {
        id: "share-here", label: "Share my location", iconName: "share", run: () => openShareSheet(this.#app, { group }),
      },
    ].filter(Boolean);
  }

  #buddyActions(person) {
    return [
      { id: "card", label: "View profile", iconName: "account", run: () => this.openDetails() },
      { id: "share-here", label: "Share my location", iconName: "share", run: () => openShareSheet(this.#app, { person }) },
      { id: "train-together", label: "Train together", iconName: "run", run: () => this.#goWith("/together/new", person) },
      { id: "share-workout", label: "Share a workout", iconName: "strength", run: () => this.#goWith("/together/share", person) },
      { id: "ask-where", label: "Ask for location", iconName: "question", run: () => openAsk(this.#app, { person }) },
    ];
  }

  /** Opens a page with a buddy chosen. */
  async #goWith(path, { account }) {
    const { net, router } = this.#app;
    let username = null;
    try {
      const { people } = await net.read("people.known");
      username = people.find((one) => one.account === account)?.username ?? null;
    } catch {
      // The page offers all buddies.
    }
    router.go(username ? `${path}?buddy=${encodeURIComponent(username)}` : path);
  }

  #partingActions(name, account) {
    const { net } = this.#app;
    const conversation = this.#opened.id;
    return [
      {
        id: "remove", label: "Remove buddy", iconName: "bin", isDanger: true,
        run: async () => this.#leave(await removeBuddy({ net, account, name })),
      },
      { id: "block", label: "Block", iconName: "block", isDanger: true, run: async () => this.#leave(await block({ net, account, name })) },
      { id: "report", label: "Report", iconName: "flag", run: () => openReport({ net, account, name, conversation }) },
    ];
  }

  /** Leaves a conversation that has ended; `isDone` is false when the user changed their mind. */
  #leave(isDone) {
    if (!isDone) return;
    const { chat, router } = this.#app;
    chat.inbox.remove(this.#opened.id);
    chat.load();
    router.go("/chats", { replace: true });
  }
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("Couldn't copy. Select the text and copy it yourself.");
  }
}
