// Drafts of the forms of notices.

import { Drafts } from "../kit/drafts.js";

/** Drafts of notices. The key is `new`, `event-` with an event's number, or `correct-` with a notice's number. */
export const noticeDrafts = new Drafts("campanile.noticeForm.");
