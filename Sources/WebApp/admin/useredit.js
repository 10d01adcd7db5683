// The form with which an admin changes an account: username, email, role.

import { roles } from "./parts.js";
import { changesOf, changesText, needsPassword, problemsOf } from "./userchanges.js";
import { confirmDialog, h, setText, toast } from "../kit/dom.js";
import { makeField, makeForm } from "../kit/form.js";

const passwordHint = "Needed to change an email or an admin.";

/** The form of a user. `isOwn` is whether it is the admin's own account; `saved()` after a change. */
export function makeUserForm({ net, user, isOwn, saved }) {
  const role = h("select", { id: "field-role", name: "role" },
    ...roles.map(({ id: value, label }) => h("option", { value, selected: value === user.role }, label)));
  const roleHint = h("p", { class: "hint", id: "field-role-hint" });
  role.setAttribute("aria-describedby", "field-role-hint");
  const password = makeField({ name: "password", label: "Your password", type: "password", autocomplete: "current-password",
    hint: passwordHint });
  const username = makeField({ name: "username", label: "Username", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    value: user.username });
  const email = makeField({ name: "email", label: "New email", type: "email", autocomplete: "off", inputmode: "email",
    placeholder: user.email, hint: "Leave empty to keep it." });
  const changed = (values) => changesOf(user, { username: values.username, email: values.email, role: role.value });
  const form = makeForm({
    id: "user-form", fields: [username, email, password], submitLabel: "Save changes",
    check: (values) => problemsOf(user, changed(values), values),
    async send(values) {
      const changes = changed(values);
      const sure = await confirmDialog({ id: "edit-dialog", title: `Change ${user.username}?`, confirm: "Save changes",
        text: `${changesText(changes)} ${isOwn ? "You'll be" : `${user.username} will be`} logged out on every device.` });
      if (!sure) return;
      const own = needsPassword(user, changes) && { password: values.password };
      await net.request("admin.editUser", { account: user.id, ...changes, ...own });
      toast(`${changes.username ?? user.username} updated.`);
      await saved();
    },
  });
  const redraw = () => {
    const changes = changed({ username: username.input.value.trim(), email: email.input.value.trim() });
    password.element.hidden = !needsPassword(user, changes);
    setText(roleHint, roles.find(({ id: value }) => value === role.value)?.hint ?? "");
  };
  email.element.after(h("div", { class: "field" }, h("label", { for: "field-role" }, "Role"), role, roleHint));
  form.addEventListener("input", redraw);
  role.addEventListener("change", redraw);
  redraw();
  return form;
}
