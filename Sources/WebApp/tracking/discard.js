// The question before a session is deleted from this device.

import { confirmDialog } from "../kit/dom.js";

/** Asks whether a session that the server refused is discarded. */
export function confirmDiscard() {
  return confirmDialog({
    id: "discard-dialog", title: "Discard this session?", confirm: "Discard", danger: true,
    text: "This deletes the session from this device. It was never uploaded.",
  });
}
