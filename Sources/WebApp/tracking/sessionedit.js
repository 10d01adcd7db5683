// An owner's changes of a session: its title (U-3), while it is tracked or afterwards, and whether it is kept (U-5).

import { announce, confirmDialog, h, refocus, removeDialog, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeField, makeForm } from "../kit/form.js";

const titleLengthMax = 80;

/**
 * Asks for another title of a session, `{id, title}`; resolves to the session as the server then has it, to its number and title when that
 * waits, or to null.
 */
export function renameDialog({ net, session: { id, title } }) {
  return new Promise((resolve) => {
    let renamed = null;
    let sending = Promise.resolve();
    const field = makeField({ name: "title", label: "Title", autocomplete: "off", maxlength: titleLengthMax });
    field.input.value = title;
    const form = makeForm({
      id: "rename-form", fields: [field], submitLabel: "Save",
      check: (values) => (values.title === "" ? { title: "Enter a title." } : {}),
      send: (values) => {
        sending = send(values.title);
        return sending;
      },
    });
    const dialog = h("dialog", { id: "rename-dialog", "aria-labelledby": "rename-title" }, h("div", { class: "stack" },
      h("h2", { id: "rename-title" }, "Rename session"), form,
      h("button", { class: "button wide", type: "button", onclick: () => dialog.close() }, "Cancel")));
    async function send(wanted) {
      const reply = await net.writes.write("tracking.rename", { session: id, title: wanted });
      renamed = reply ? reply.session : { id, title: wanted };
      if (reply) announce("Renamed.");
      dialog.close();
    }
    dialog.addEventListener("close", async () => {
      removeDialog(dialog);
      // A title that is on its way may be the server's already, whether or not the dialog was closed meanwhile.
      await sending.catch(() => {});
      resolve(renamed);
    });
    document.body.append(dialog);
    dialog.showModal();
    field.input.select();
  });
}

/**
 * Makes the buttons of a finished session; `onRenamed(session)` is called after a new title, `onDeleted()` when it is gone. Returns the
 * element.
 */
export function makeSessionEdit({ net, session, onRenamed, onDeleted }) {
  const problem = h("p", { class: "problem", role: "alert" });
  let { title } = session;

  async function rename() {
    const renamed = await renameDialog({ net, session: { id: session.id, title } });
    if (!renamed) return;
    ({ title } = renamed);
    onRenamed(renamed);
  }

  async function remove() {
    const sure = await confirmDialog({
      id: "delete-dialog", title: "Delete this session?", confirm: "Delete", danger: true,
      text: "This deletes its route, times and links, and removes it from your goal and totals.",
    });
    if (!sure) return;
    problem.textContent = "";
    setBusy(true);
    try {
      if (await net.writes.write("tracking.delete", { session: session.id })) {
        toast("Session deleted.");
        announce("Session deleted.");
      }
    } catch (error) {
      problem.textContent = error.message;
      setBusy(false);
      refocus(deleteButton);
      return;
    }
    onDeleted();
  }

  const renameButton = h("button", { class: "button quiet", type: "button", id: "rename", onclick: rename }, icon("edit"), "Rename");
  const deleteButton = h("button", { class: "button quiet danger", type: "button", id: "delete", onclick: remove }, icon("bin"), "Delete");
  const setBusy = (isBusy) => { renameButton.disabled = deleteButton.disabled = isBusy; };
  return h("div", { id: "session-edit" }, h("div", { class: "row" }, renameButton, deleteButton), problem);
}
