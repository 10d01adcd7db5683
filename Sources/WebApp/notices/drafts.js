// Drafts of the form of a notice: `key` says which, such as `new`, `event-7` or `correct-12`.

import { makeFormDrafts } from "../kit/formdrafts.js";

/** Drafts of notices. */
export const noticeDrafts = makeFormDrafts("campanile.noticeForm.");
