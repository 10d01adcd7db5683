// The dialog for two people who have just become buddies.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { avatar } from "../kit/person.js";

const matchText = "You both accepted. You can now see each other's full names and chat.";

/** Opens the dialog; `sayHello()` is called when the user wants to write. */
export function openMatch({ card, conversation, scope, sayHello }) {
  const dialog = h("dialog", { id: "match", class: "match", dataset: { conversation }, "aria-labelledby": "match-title" },
    h("form", { method: "dialog", class: "stack center" },
      h("div", { class: "match-faces" }, avatar(scope, card, { size: 112 }),
        h("span", { class: "match-heart", "aria-hidden": "true" }, icon("heart", { filled: true }))),
      h("h2", { id: "match-title" }, `You and ${card.name} are now buddies`),
      h("p", { class: "muted" }, matchText),
      h("button", { class: "button primary big wide", value: "hello", id: "say-hello" }, icon("chats"), "Say hello"),
      h("button", { class: "button quiet wide", value: "", id: "keep-looking" }, "Keep looking")));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue === "hello") sayHello();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Removes the dialog with its page. */
export function removeMatch() {
  document.getElementById("match")?.remove();
}
