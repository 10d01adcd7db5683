// The link by which a new person sets a password: shown once, to hand over.

import { announce, h, toast } from "../kit/dom.js";
import { dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";

/** A card with the link of a `Welcome`. */
export function welcomeLink({ user, path, expiresAt }) {
  const field = h("input", { class: "input number", id: "welcome-link", readonly: true, value: location.origin + path,
    "aria-describedby": "welcome-hint", onfocus: () => field.select() });
  const copy = h("button", { class: "button primary", type: "button", id: "copy-welcome", onclick: async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      toast("The link is copied.");
    } catch {
      // Without the permission, or not over https.
      field.select();
      toast("The link is selected: copy it with the keyboard or the menu.");
    }
    announce("Copied.");
  } }, icon("copy"), "Copy");
  return h("section", { class: "card stack welcome-card", id: "welcome-card" },
    h("div", { class: "field" }, h("label", { for: "welcome-link" }, `Welcome link for ${user.username}`),
      h("div", { class: "copy-row" }, field, copy)),
    h("p", { class: "hint", id: "welcome-hint" },
      `With it ${user.username} sets a password and is logged in. It works once, until ${dayText(expiresAt)} ${timeText(expiresAt)}, and `
      + `is shown only here: the server does not keep it.`),
    h("p", { class: "notice" }, icon("mail"),
      h("span", {}, "If this server sends mail, it goes to them by itself. If not, or to be sure, hand the link over yourself.")));
}
