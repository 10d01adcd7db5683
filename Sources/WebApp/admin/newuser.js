// Adding a person: an account without a password, and the link by which they set one.

import { roles } from "./parts.js";
import { announce, h, toast } from "../kit/dom.js";
import { newUserProblems } from "../kit/validate.js";
import { consolePage } from "./frame.js";
import { makeField, makeForm } from "../kit/form.js";
import { welcomeLink } from "./welcomelink.js";

export function show(root, _params, app) {
  const { net, router } = app;
  const frame = consolePage(root, app, { part: "users", title: "Add person", className: "console-narrow" });
  if (!frame || frame.isRefused) return frame?.close;
  const place = h("div", { class: "stack" });
  frame.page.querySelector(".console-head").before(h("p", {}, h("a", { href: "/admin/users", class: "back" }, "← People")));
  frame.page.append(place);

  function drawForm() {
    const chosen = () => form.querySelector("input[name=role]:checked").value;
    const password = makeField(
      { name: "password", label: "Your password", type: "password", autocomplete: "current-password",
        hint: "Needed to add an admin." });
    password.element.hidden = true;
    const roleChoice = h("fieldset", { class: "choices", dataset: { field: "role" } }, h("legend", { class: "legend" }, "Role"),
      ...roles.map(({ id, label, hint }) => h("label", { class: "choice" },
        h("input", { type: "radio", name: "role", value: id, checked: id === "student",
          onchange: () => { password.element.hidden = chosen() !== "admin"; } }),
        h("span", { class: "grow" }, h("strong", {}, label), h("span", { class: "hint" }, hint)))));
    const fields = [
      makeField({ name: "username", label: "Username", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
        hint: "4-20 letters and digits. People who don't know them see it on the map." }),
      makeField({ name: "email", label: "Email", type: "email", autocomplete: "off", inputmode: "email",
        hint: "They log in with it and get the welcome link there." }),
      password,
    ];
    const form = makeForm({
      id: "new-user-form", fields, submitLabel: "Add person",
      check: (values) => ({ ...newUserProblems(values),
        ...(chosen() === "admin" && values.password === "" && { password: "Enter your password to add an admin." }) }),
      async send({ username, email, password: own }) {
        const role = chosen();
        try {
          drawDone(await net.request("admin.addUser", { username, email, role, ...(role === "admin" && { password: own }) }));
        } catch (error) {
          // The answer was lost, and with it the link; a new one can be made on the person's page.
          if (error.isUnanswered) error.message += " The person may have been added anyway. Check People before you try again.";
          throw error;
        }
      },
    });
    fields[1].element.after(roleChoice);
    place.replaceChildren(h("section", { class: "card form-card" }, form));
  }

  function drawDone(welcome) {
    const { user } = welcome;
    toast("User created");
    announce(`${user.username} added. Send them the link.`);
    const heading = h("h2", { tabindex: "-1" }, `${user.username} added`);
    place.replaceChildren(heading, welcomeLink(welcome),
      h("div", { class: "row" }, h("a", { class: "button", href: `/admin/users/${user.id}`, id: "to-user" }, `View ${user.username}`),
      h("button", { class: "button", type: "button", id: "add-another", onclick: () => router.go("/admin/users/new", { replace: true }) },
        "Add another")));
    heading.focus({ preventScroll: true });
  }

  drawForm();
  return frame.close;
}
