// A new password by a link that was mailed (U-2).

import { announce, h, toast } from "../kit/dom.js";
import { firstPasswordProblems } from "../kit/validate.js";
import { makeField, makeForm } from "../kit/form.js";

const doneText = "Password changed. Log in with your new password.";

/** Serves `/reset/:token`. */
export function show(root, { token }, { net, router }) {
  const place = h("div", { class: "card form-card stack" });
  root.append(h("div", { class: "page narrow" }, place));
  const fields = [
    makeField({ name: "password", label: "New password", type: "password", autocomplete: "new-password",
      hint: "8-20 characters, with at least 1 capital letter and 1 number." }),
    makeField({ name: "again", label: "Repeat new password", type: "password", autocomplete: "new-password" }),
  ];
  place.append(h("h1", { tabindex: "-1" }, "Set a new password"),
    h("p", { class: "muted" }, "All your devices are logged out, and your shares and links end."),
    makeForm({
      id: "reset-link-form", fields, submitLabel: "Set password", check: firstPasswordProblems,
      async send({ password }) {
        try {
          await net.request("account.reset", { token, password });
        } catch (error) {
          if (!error.isNotFound) throw error;
          return drawInvalid();
        }
        toast(doneText);
        announce(doneText);
        // The link has done its work; it stays out of the history.
        return router.go("/login", { replace: true });
      },
    }));

  function drawInvalid() {
    const heading = h("h1", { tabindex: "-1" }, "This link no longer works");
    place.replaceChildren(heading,
      h("p", { class: "muted", role: "alert", id: "reset-invalid" }, "Links work once, within an hour. Ask for a new one."),
      h("p", {}, h("a", { class: "button primary", href: "/reset" }, "Send a new link")));
    heading.focus({ preventScroll: true });
  }
}
