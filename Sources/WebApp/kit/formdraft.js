// The draft of a form that is open, the note above a form that was filled from one, and the question before it is discarded.

import { confirmDialog, h } from "./dom.js";
import { DraftTimer } from "./drafts.js";
import { momentText } from "./format.js";
import { icon } from "./icons.js";

/** The draft of one open form. It is kept a moment after each change, before the browser leaves the page, and at `close`. */
export class FormDraft {
  /** Whether the person changed the form, now or in the draft that was read. */
  isTouched = false;

  #net;
  #account;
  #drafts;
  #key;
  #contents;
  #timer = new DraftTimer(() => this.#write());
  #isClosed = false;

  /** `drafts` is a `Drafts`; `contents()` gives the members to keep besides the time, or null while there is no form. */
  constructor({ net, drafts, key, contents }) {
    this.#net = net;
    this.#account = net.account.id;
    this.#drafts = drafts;
    this.#key = key;
    this.#contents = contents;
  }

  /** The draft that was kept: `contents` with its time `at`; or null. */
  read() {
    const draft = this.#drafts.read(this.#account, this.#key);
    this.isTouched = Boolean(draft);
    return draft;
  }

  /** Notes that the person changed the form. */
  touch() {
    this.isTouched = true;
    this.#timer.changed();
  }

  /** Keeps the draft now. */
  keep() {
    this.#timer.keepNow();
  }

  /** Removes the draft. */
  forget() {
    this.#timer.cancel();
    this.isTouched = false;
    this.#drafts.write(this.#account, this.#key, null);
  }

  close() {
    this.keep();
    this.#timer.close();
    this.#isClosed = true;
  }

  #write() {
    if (this.#isClosed || !this.isTouched || !this.#isAuthorsDevice) return;
    const contents = this.#contents();
    if (contents !== null) this.#drafts.write(this.#account, this.#key, { ...contents, at: Date.now() });
  }

  /** Whether the author is signed in here, or was signed out only for a moment. */
  get #isAuthorsDevice() {
    return (this.#net.account?.id ?? this.#net.returning) === this.#account;
  }
}

/** The note above a form that was filled from a draft of the time `at`. */
export function draftNote(at, startAfresh) {
  return h("div", { class: "notice", id: "draft-note" }, icon("edit"),
    h("div", { class: "grow" }, `Restored what you entered on ${momentText(at)}.`),
    h("button", { class: "button small-button", type: "button", id: "start-afresh", onclick: startAfresh }, "Start over"));
}

/** Asks whether to start over. `thing` is what the form makes, such as `event`; a new one has nothing that stays. */
export const confirmStartAfresh = ({ isNew, thing }) => confirmDialog({
  id: "afresh-dialog", title: "Start over?", confirm: "Start over", danger: true,
  text: isNew ? "What you entered is deleted." : `Your changes are discarded. The ${thing} stays as it is.`,
});
