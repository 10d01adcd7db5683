// A dialog with a heading, and work whose outcome a toast states.

import { h, refocus, removeDialog, toast } from "./dom.js";
import { icon } from "./icons.js";

/** A dialog with a heading, content and a way out; resolves when it is closed. */
export function openDialog({ id, title, content, className = "" }) {
  const dialog = h("dialog", { id, class: `tall ${className}`, "aria-labelledby": `${id}-title` },
    h("div", { class: "dialog-head" }, h("h2", { id: `${id}-title`, tabindex: "-1", autofocus: true }, title), h("button", { class: "icon-button", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"))),
    content);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    removeDialog(dialog);
    // What opened it may be gone by now, as a question that was answered.
    if (!document.querySelector("dialog[open]")) refocus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Does it, and says that it is done or why it is not. */
export async function attempt(work, done = null) {
  try {
    await work();
    if (done) toast(done);
    return true;
  } catch (error) {
    toast(error.message);
    return false;
  }
}
