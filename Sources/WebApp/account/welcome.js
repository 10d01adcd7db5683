// The first visit of somebody whom an admin added: a password, and in they are.

import { announce, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { firstPasswordProblems, passwordRule } from "../kit/validate.js";
import { makeForm } from "../kit/form.js";
import { makePasswordFields } from "./passwordfields.js";
import { needsSecondStep, showSecondStep } from "../factors/secondstep.js";

export function show(root, { token }, { net, router, config }) {
  const rule = passwordRule(config);
  const place = h("div", { class: "card form-card stack" });
  root.append(h("div", { class: "page narrow" }, place));
  const fields = makePasswordFields({ rule, isFirst: true });
  const form = makeForm({
    id: "welcome-form", fields, submitLabel: "Set password", check: (values) => firstPasswordProblems(values, rule),
    async send({ password }) {
      try {
        await net.signIn("account.accept", { token, password });
      } catch (error) {
        if (needsSecondStep(error)) {
          const restart = () => router.go("/login", { replace: true });
          return showSecondStep(place, { net, error, done: () => router.go("/", { replace: true }), restart });
        }
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
      "A campus admin created an account for you. Choose a password to log in with your email."),
    other ? h("p", { class: "notice warn", id: "welcome-other" }, icon("warning"),
      h("span", {},
        `You're logged in as ${other}. If you continue, you'll switch to the new account.`))
      : "", form);

  function drawInvalid() {
    const heading = h("h1", { tabindex: "-1" }, "This link no longer works");
    place.replaceChildren(heading,
      h("p", { class: "muted", role: "alert", id: "welcome-invalid" },
        "Welcome links work once, within a week. If you've already set a password, log in. "
        + "Otherwise ask a campus admin for a new link."),
      h("p", {}, h("a", { class: "button primary", href: "/login" }, "Log in")));
    heading.focus({ preventScroll: true });
  }
}
