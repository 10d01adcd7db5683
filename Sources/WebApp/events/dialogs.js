// Dialogs about an event: cancellation, deletion of a draft, its link.

import { characters } from "../kit/choices.js";
import { openDialog } from "../kit/dialog.js";
import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";

const reasonCharactersMax = 500;

/** Asks whether and why to cancel; resolves to the reason, which may be empty, or to null when the event stays. */
export function askCancel(event) {
  return new Promise((resolve) => {
    let reason = null;
    const field = h("textarea", { class: "input", id: "cancel-reason", rows: "3", "aria-describedby": "cancel-reason-problem" });
    const problem = h("p", { class: "problem", id: "cancel-reason-problem", role: "alert" });
    const form = h("form", { class: "stack", novalidate: true, onsubmit: (submitted) => {
      submitted.preventDefault();
      if (characters(field.value.trim()) > reasonCharactersMax) {
        problem.textContent = `At most ${reasonCharactersMax} characters.`;
        field.focus();
        return;
      }
      reason = field.value.trim();
      dialog.close();
    } },
    h("p", { class: "muted" }, cancelText(event)),
    h("div", { class: "field" }, h("label", { for: "cancel-reason" }, "Reason (optional)"), field, problem),
    h("div", { class: "row dialog-actions" },
      h("button", { class: "button", type: "button", dataset: { answer: "no" }, onclick: () => dialog.close() }, "Keep event"),
      h("button", { class: "button danger", type: "submit", dataset: { answer: "yes" } }, "Cancel event")));
    const dialog = openDialog({ id: "cancel-event-dialog", title: "Cancel this event?", content: form });
    dialog.addEventListener("close", () => resolve(reason));
  });
}

function cancelText({ going, maybe, waiting }) {
  const answers = going + maybe + waiting;
  const answered = answers > 0 ? `${count(answers, "person", "people")} answered. ` : "";
  return `${answered}We'll tell everyone involved. The event stays in the list as cancelled. This can't be undone.`;
}

/** Asks before a draft is deleted. */
export function askDelete(event) {
  return confirmDialog({
    id: "delete-event-dialog", title: "Delete this draft?", confirm: "Delete", danger: true,
    text: `“${event.details.title}” is deleted permanently. Nobody else has seen it.`,
  });
}

/** Shares the event's address: with the device's own sheet, or by the clipboard. */
export async function shareEvent(event) {
  const url = new URL(`/events/${event.id}`, location.origin).href;
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    try {
      return await navigator.share({ title: event.details.title, url });
    } catch (error) {
      if (error.name === "AbortError") return undefined;
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    toast("Link copied.");
    announce("Link copied.");
  } catch {
    showLink(url);
  }
  return undefined;
}

function showLink(url) {
  const field = h("input", {
    class: "input", id: "event-url", readonly: true, value: url, "aria-label": "Event link", onfocus: ({ target }) => target.select(),
  });
  const hint = h("p", { class: "hint" }, "Couldn't copy. Copy the link yourself.");
  openDialog({ id: "share-event", title: "Event link", content: h("div", { class: "stack" }, field, hint) });
  field.focus();
}
