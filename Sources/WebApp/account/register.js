// Register (U-1): the messages are word for word, checked here and by the server.

import { announce, h, toast } from "../kit/dom.js";
import { passwordRule, registerProblems } from "../kit/validate.js";
import { makeField, makeForm, nextPath } from "../kit/form.js";
import { makePasswordFields } from "./passwordfields.js";
import { providerButtons } from "./providers.js";

export function show(root, { query }, { net, router, config }) {
  if (config?.registration === "closed") {
    root.append(h("div", { class: "page narrow" }, h("div", { class: "card form-card stack", id: "registration-closed" },
      h("h1", { tabindex: "-1" }, "Registration is closed"),
      h("p", { class: "muted" },
        "Ask a campus admin for an account. You'll get a link to set your password."),
      h("a", { class: "button primary", href: "/login" }, "Log in"), h("a", { class: "button", href: "/map" }, "Watch the map"))));
    return;
  }
  const rule = passwordRule(config);
  const fields = [
    makeField({ name: "username", label: "Username", autocomplete: "username", autocapitalize: "none", spellcheck: "false",
      hint: "4-20 letters and digits. People who don't know you see it on the map." }),
    makeField({ name: "email", label: "Email", type: "email", autocomplete: "email", inputmode: "email", hint: emailHint(config) }),
    ...makePasswordFields({ rule, isFirst: true }),
  ];
  const form = makeForm({
    id: "register-form", fields, submitLabel: "Register", check: (values) => registerProblems(values, rule),
    async send({ username, email, password }) {
      const result = await net.signIn("account.register", { username, email, password });
      toast(result.message);
      announce(result.message);
      // The code is on its way, and whoever waits for it sees where it goes.
      const next = nextPath(query);
      router.go(result.account.confirmBy ? `/confirm?next=${encodeURIComponent(next)}` : next, { replace: true });
    },
  });
  const next = query?.get("next");
  root.append(h("div", { class: "page narrow" }, h("div", { class: "card form-card stack" },
    h("h1", { tabindex: "-1" }, "Register"), form, providerButtons(config, nextPath(query)),
    h("p", { class: "muted center" }, "Already have an account? ",
      h("a", { class: "link", href: next ? `/login?next=${encodeURIComponent(next)}` : "/login" }, "Log in")))));
}

/** Who sees the email, and which ones may register. */
function emailHint(config) {
  const domains = config?.registrationDomains ?? [];
  if (domains.length === 0) return "Only you see it.";
  return `Only you see it. Use your campus email: it ends with ${domains.map((domain) => `@${domain}`).join(" or ")}.`;
}
