// The first visit of somebody whom an admin added: a password, and in they are.

import { announce, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { firstPasswordProblems } from "../kit/validate.js";
import { makeField, makeForm } from "../kit/form.js";

export function show(root, { token }, { net, router }) {
  const place = h("div", { class: "card form-card stack" });
  root.append(h("div", { class: "page narrow" }, place));
  const fields = [
    makeField({ name: "password", label: "Password", type: "password", autocomplete: "new-password",
      hint: "8-20 characters, with at least 1 capital and 1 number." }),
    makeField({ name: "again", label: "The same once more", type: "password", autocomplete: "new-password" }),
  ];
  const form = makeForm({
    id: "welcome-form", fields, submitLabel: "Set the password", check: firstPasswordProblems,
    async send({ password }) {
      try {
        await net.signIn("account.accept", { token, password });
      } catch (error) {
        if (!error.isNotFound) throw error;
        return drawInvalid();
      }
      toast(`Welcome, ${net.account.username}!`);
      announce(`Logged in as ${net.account.username}.`);
      // The link has done its work; it stays out of the history.
      return router.go("/", { replace: true });
    },
  });
  const other = net.account?.username;
  place.append(h("h1", { tabindex: "-1" }, "Welcome to Campanile"),
    h("p", { class: "muted" },
      "An admin of your campus made an account for you. Choose a password; you log in with it and your email from then on."),
    other ? h("p", { class: "notice warn", id: "welcome-other" }, icon("warning"),
      h("span", {},
        `This browser is logged in as ${other}. Go on only if the link is for you: you are then logged in as the new person instead.`))
      : "", form);

  function drawInvalid() {
    const heading = h("h1", { tabindex: "-1" }, "This link does not work any more");
    place.replaceChildren(heading,
      h("p", { class: "muted", role: "alert", id: "welcome-invalid" },
        "It works once, for a week, and ends when an admin changes the account. If you have set a password with it, log in. "
        + "If not, ask an admin of your campus for a new link."),
      h("p", {}, h("a", { class: "button primary", href: "/login" }, "Log in")));
    heading.focus({ preventScroll: true });
  }
}
