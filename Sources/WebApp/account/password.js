// The card with which people change their password.

import { h, toast } from "../kit/dom.js";
import { count, sentence } from "../kit/format.js";
import { openDialog } from "../kit/dialog.js";
import { makeField, makeForm } from "../kit/form.js";
import { makePasswordFields } from "./passwordfields.js";
import { newPasswordProblems, passwordRule } from "../kit/validate.js";

/** What the person reads after the change. */
function doneText(devices) {
  return devices > 0 ? `Password changed. ${count(devices, "other device was", "other devices were")} logged out.` : "Password changed.";
}

/** The card of the password: `{element, close()}`. `changed()` is called after a change. */
export function makePasswordCard({ net, config }, { changed }) {
  let dialog = null;
  const open = () => {
    dialog = openDialog({ id: "change-password", title: "Change your password", content: h("div", { class: "stack" },
      h("p", {}, "You'll stay logged in here. Other devices are logged out, and your shares, links and calendar address stop working."),
      (config?.signIns ?? []).length > 0
        ? h("p", {}, "Services that log you in with another email than your account's are disconnected.") : null,
      h("p", {}, "Reminders keep coming to your account's email and to this browser only."),
      net.account?.role === "admin" ? h("p", {}, "Welcome links that you made stop working, too.") : null,
      passwordForm(net, passwordRule(config), (text) => {
        dialog.close();
        toast(text);
        changed();
      })) });
  };
  const element = h("section", { class: "card stack" }, h("h2", {}, "Password"),
    h("p", { class: "muted" }, "Change it if somebody else might know it."),
    h("div", { class: "row" },
      h("button", { class: "button", type: "button", id: "to-change-password", onclick: open }, "Change password")));
  return { element, close() { if (dialog?.open) dialog.close(); } };
}

function passwordForm(net, rule, done) {
  const fields = [
    makeField({ name: "password", label: "Current password", type: "password", autocomplete: "current-password",
      id: "current-password" }),
    ...makePasswordFields({ rule, name: "newPassword", ids: ["new-password", "new-password-again"] }),
  ];
  return makeForm({
    id: "password-form", fields, submitLabel: "Change password", check: (values) => newPasswordProblems(values, rule),
    async send({ password, newPassword }) {
      try {
        const { revoked } = await net.request("account.changePassword", { password, newPassword });
        done(doneText(revoked));
      } catch (error) {
        error.message = sentence(error.message);
        throw error;
      }
    },
  });
}
