// Drafts of messages, by conversation.

import { Drafts } from "../kit/drafts.js";

const drafts = new Drafts("campanile.draft.", { most: 200 });

/** `{text, reply}`, or null. `reply` is the offset of the message that the text replies to. */
export const readDraft = (account, conversation) => drafts.read(account, conversation);

/** Keeps the draft, or removes it when it is empty. */
export const writeDraft = (account, conversation, { text, reply = null }) =>
  drafts.write(account, conversation, text.trim() === "" && reply === null ? null : { text, reply });

/** Removes the drafts of all accounts, except those of `except` when it is given. */
export const clearDrafts = (except = null) => drafts.clear(except);
