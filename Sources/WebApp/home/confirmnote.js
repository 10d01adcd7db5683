// For the start page: the email that is not confirmed yet (T-1).

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** A note that leads to the code, or null for an account whose email is confirmed or need not be. */
export function confirmNote(account) {
  if (!account?.confirmBy) return null;
  return h("p", { class: "notice warn", id: "confirm-note" }, icon("warning"),
    h("span", {}, "Your email isn't confirmed yet. ", h("a", { class: "link", href: "/confirm" }, "Enter the code")));
}
