// Drafts of the forms of events.

import { Drafts } from "../kit/drafts.js";

/** Drafts of the forms of events. The key is the event's number, or `new`. */
export const eventDrafts = new Drafts("campanile.eventForm.");
