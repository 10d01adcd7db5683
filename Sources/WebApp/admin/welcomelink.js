// The link by which a new person sets a password: shown once, to hand over.

import { announce, h, toast } from "../kit/dom.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";

/** A card with the link of a `Welcome`. */
export function welcomeLink({ user, path, expiresAt }) {
  const field = h("input", { class: "input number", id: "welcome-link", readonly: true, value: location.origin + path,
    "aria-describedby": "welcome-hint", onfocus: () => field.select() });
  const copy = h("button", { class: "button primary", type: "button", id: "copy-welcome", onclick: async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      toast("Link copied.");
    } catch {
      // Without the permission, or not over https.
      field.select();
      toast("Couldn't copy. The link is selected, so you can copy it yourself.");
    }
    announce("Copied.");
  } }, icon("copy"), "Copy");
  return h("section", { class: "card stack welcome-card", id: "welcome-card" },
    h("div", { class: "field" }, h("label", { for: "welcome-link" }, `Welcome link for ${user.username}`),
      h("div", { class: "copy-row" }, field, copy)),
    h("p", { class: "hint", id: "welcome-hint" },
      `${user.username} sets a password with this link. It works once, until ${momentText(expiresAt)}, and `
        + `is shown only now.`),
    h("p", { class: "notice" }, icon("mail"),
      h("span", {}, "If this server sends mail, they get the link by email. You can also send it yourself.")));
}
