// A picture of a message over the whole page.

import { h, removeDialog, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** Opens the picture with this id; a click beside it closes it. */
export function showPicture(pictures, picture, alt) {
  const scope = pictures.scope();
  const image = h("img", { alt, class: "full-picture" });
  const note = h("p", { class: "picture-note", role: "status" }, "Loading…");
  image.onload = () => note.remove();
  const close = h("button", { class: "icon-button", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"));
  const dialog = h("dialog", { class: "picture-dialog", id: "picture", "aria-label": alt }, close, note, image);
  dialog.addEventListener("click", (event) => { if (event.target !== image) dialog.close(); });
  dialog.addEventListener("close", () => {
    scope.close();
    removeDialog(dialog);
  });
  const onMissing = () => setText(note, "Couldn't load the picture. Check your connection and try again.");
  scope.show(image, picture, { thumb: false, onMissing });
  document.body.append(dialog);
  dialog.showModal();
}
