// A new password by a link that was mailed (U-2).

import { announce, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { firstPasswordProblems, passwordRule } from "../kit/validate.js";
import { makeForm } from "../kit/form.js";
import { makePasswordFields } from "./passwordfields.js";

/** Serves `/reset/:token`. */
export function show(root, { token }, { net, config }) {
  const rule = passwordRule(config);
  const place = h("div", { class: "card form-card stack" });
  root.append(h("div", { class: "page narrow" }, place));
  const fields = makePasswordFields({ rule });
  place.append(h("h1", { tabindex: "-1" }, "Set a new password"),
    h("p", { class: "muted" }, "All your devices are logged out, and your shares and links end."),
    otherNotice(net.account?.username),
    makeForm({
      id: "reset-link-form", fields, submitLabel: "Set password", check: (values) => firstPasswordProblems(values, rule),
      async send({ password }) {
        try {
          await net.request("account.reset", { token, password });
        } catch (error) {
          if (!error.isNotFound) throw error;
          return drawInvalid();
        }
        return drawDone();
      },
    }));

  function drawDone() {
    // The link has done its work; it stays out of the history.
    history.replaceState(history.state, "", "/login");
    const heading = h("h1", { tabindex: "-1" }, "Password changed");
    place.replaceChildren(heading, h("p", { id: "reset-done" }, "Log in with your new password."),
      h("p", {}, h("a", { class: "button primary", href: "/login" }, "Log in")));
    heading.focus({ preventScroll: true });
    announce("Password changed.");
  }

  function drawInvalid() {
    const heading = h("h1", { tabindex: "-1" }, "This link no longer works");
    place.replaceChildren(heading,
      h("p", { class: "muted", role: "alert", id: "reset-invalid" },
        "Links work once, within an hour. If you've already set a new password, log in. "
        + "Otherwise ask for a new link."),
      h("p", {}, h("a", { class: "button primary", href: "/login" }, "Log in")),
      h("p", {}, h("a", { class: "link", href: "/reset" }, "Send a new link")));
    heading.focus({ preventScroll: true });
  }
}

/** The link may belong to another account than the one that this browser is logged in to. */
function otherNotice(username) {
  if (!username) return "";
  return h("p", { class: "notice warn", id: "reset-other" }, icon("warning"),
    h("span", {}, `You're logged in as ${username}. This link may belong to another account.`));
}
