// Dialogs with a heading, questions, and work whose outcome a toast states.

import { confirmDialog, h, refocus, removeDialog, toast } from "./dom.js";
import { icon } from "./icons.js";

/** Opens a dialog with a heading, a button that closes it, and `content`. Returns the `dialog` element. */
export function openDialog({ id, title, content, className = "" }) {
  const dialog = h("dialog", { id, class: `tall ${className}`, "aria-labelledby": `${id}-title` },
    h("div", { class: "dialog-head" }, h("h2", { id: `${id}-title`, tabindex: "-1", autofocus: true }, title),
      h("button", { class: "icon-button", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"))),
    content);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    removeDialog(dialog);
    // The element that opened it may be gone by now, such as a question that was answered.
    if (!document.querySelector("dialog[open]")) refocus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Does the work. A toast states `done`, or the message of the error. Returns whether the work succeeded. Work that resolves to null waits
 * for the connection.
 */
export async function attempt(work, done = null) {
  try {
    const result = await work();
    if (done && result !== null) toast(done);
    return true;
  } catch (error) {
    toast(error.message);
    return false;
  }
}

/**
 * Asks a question (see `confirmDialog`), and does the work when the answer is yes; the outcome is stated as by `attempt`. Returns whether
 * the work was done.
 */
export async function confirmThen(question, work, done = null) {
  return await confirmDialog(question) && attempt(work, done);
}
