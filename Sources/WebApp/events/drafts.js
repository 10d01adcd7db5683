// Drafts of an event's form.

import { Drafts } from "../kit/drafts.js";

const drafts = new Drafts("campanile.eventForm.");

/** What `writeEventDraft` was given, or null. `event` is null for a new one. */
export const readEventDraft = (account, event) => drafts.read(account, event ?? "new");

/** Keeps it, or forgets it when it is null. */
export const writeEventDraft = (account, event, draft) => drafts.write(account, event ?? "new", draft);

/** Forgets all, but those of the account `except` when one is given. */
export const clearEventDrafts = (except = null) => drafts.clear(except);
