// Log in (U-2). A refusal does not say whether the email or the password was wrong.

import { announce, h } from "../kit/dom.js";
import { loginProblems } from "../kit/validate.js";
import { makeField, makeForm, nextPath } from "../kit/form.js";
import { providerButtons } from "./providers.js";

export function show(root, { query }, { net, router, config }) {
  // Known already, or a moment after the page that led here, which had only the token.
  if (net.account) {
    router.go(nextPath(query), { replace: true });
    return undefined;
  }
  const fields = [
    makeField({ name: "email", label: "Email", type: "email", autocomplete: "username", inputmode: "email" }),
    makeField({ name: "password", label: "Password", type: "password", autocomplete: "current-password" }),
  ];
  const form = makeForm({
    id: "login-form", fields, submitLabel: "Log in", check: loginProblems,
    async send(values) {
      await net.signIn("account.login", values);
      announce(`Logged in as ${net.account.username}.`);
    },
  });
  const enter = () => { if (net.account) router.go(nextPath(query), { replace: true }); };
  net.addEventListener("account", enter);
  const next = query?.get("next");
  root.append(h("div", { class: "page narrow" }, h("div", { class: "card form-card stack" },
    h("h1", { tabindex: "-1" }, "Log in"),
    next ? h("p", { class: "muted" }, "Log in to continue. You don't need an account to watch the map.") : null,
    form,
    h("p", { class: "center" }, h("a", { class: "link", id: "to-reset", href: "/reset" }, "Forgot your password?")),
    providerButtons(config, nextPath(query)),
    config?.registration === "closed"
      ? h("p", { class: "muted center", id: "registration-closed" },
        "New here? Ask a campus admin for an account.")
      : h("p", { class: "muted center" }, "New here? ",
        h("a", { class: "link", href: next ? `/register?next=${encodeURIComponent(next)}` : "/register" }, "Register")))));
  return () => net.removeEventListener("account", enter);
}
