// Drafts of the form of a notice: `key` says which, such as `new`, `event-7` or `correct-12`.

import { Drafts } from "../kit/drafts.js";

/** Drafts of notices. */
export const noticeDrafts = new Drafts("campanile.noticeForm.");
