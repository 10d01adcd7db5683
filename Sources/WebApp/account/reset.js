// A forgotten password (U-2): asks for a link by mail. The answer is the same for every address.

import { announce, h } from "../kit/dom.js";
import { emailProblems } from "../kit/validate.js";
import { makeField, makeForm } from "../kit/form.js";

/** What everybody reads after the request, whether or not the address has an account. */
const sentText = "If this address has an account, we've sent it a link. It works for one hour.";

/** Serves `/reset`. */
export function show(root, _params, { net, config }) {
  const place = h("div", { class: "card form-card stack" });
  root.append(h("div", { class: "page narrow" }, place));
  if (config?.mail === false) {
    place.append(h("h1", { tabindex: "-1" }, "Forgot your password?"),
      h("p", { class: "muted", id: "reset-unavailable" }, "This server can't send email. Ask a campus admin for a new password."),
      loginLink());
    return;
  }
  const fields = [
    makeField({ name: "email", label: "Email", type: "email", autocomplete: "username", inputmode: "email" }),
  ];
  place.append(h("h1", { tabindex: "-1" }, "Forgot your password?"),
    h("p", { class: "muted" }, "Enter your email. We'll send you a link to set a new password."),
    makeForm({
      id: "reset-form", fields, submitLabel: "Send link", check: emailProblems,
      async send({ email }) {
        await net.request("account.requestReset", { email });
        drawSent();
      },
    }),
    loginLink());

  function drawSent() {
    const heading = h("h1", { tabindex: "-1" }, "Check your email");
    place.replaceChildren(heading, h("p", { id: "reset-sent" }, sentText),
      h("p", { class: "muted" }, "No email? Look in your spam folder. You can ask for five links an hour."), loginLink());
    heading.focus({ preventScroll: true });
    announce(sentText);
  }
}

function loginLink() {
  return h("p", { class: "muted center" }, h("a", { class: "link", href: "/login" }, "Back to log in"));
}
