// The username of the account, and its change (U-3).

import { announce, h, setText, toast } from "../kit/dom.js";
import { dayText, sentence } from "../kit/format.js";
import { makeField, makeForm } from "../kit/form.js";
import { messages, newUsernameProblems } from "../kit/validate.js";

/** The card: `{element, close()}`. */
export function makeUsernameCard({ net }) {
  const field = makeField({ name: "username", label: "Username", autocomplete: "username", autocapitalize: "none", spellcheck: "false",
    id: "new-username", value: net.account.username, hint: "4-20 letters and digits. People who don't know you see it." });
  const limit = h("p", { class: "hint", id: "username-limit" },
    "You can change it twice in 30 days. Nobody else can take your old one for 90 days.");
  const form = makeForm({
    id: "username-form", submitLabel: "Change username", fields: [field], check: newUsernameProblems,
    async send({ username }) {
      if (username === net.account?.username) throw fieldError("That is your username already.");
      try {
        const profile = await net.request("account.updateProfile", { username });
        drawLimit(profile);
      } catch (error) {
        if (error.message !== messages.usernameInvalid) error.message = sentence(error.message);
        throw error;
      }
      toast("Username changed.");
      announce("Username changed.");
    },
  });

  function drawLimit({ usernameFrom = null }) {
    if (usernameFrom) setText(limit, `You can change it again from ${dayText(usernameFrom)}.`);
    form.querySelector("#username-form-submit").disabled = usernameFrom !== null;
    field.input.readOnly = usernameFrom !== null;
  }

  const end = new AbortController();
  let shown = net.account.username;
  net.addEventListener("account", () => {
    // Changed on another device, perhaps.
    if (!net.account || net.account.username === shown) return;
    if (field.input.value.trim() === shown) field.input.value = net.account.username;
    shown = net.account.username;
  }, { signal: end.signal });
  net.request("account.profile").then(({ profile }) => { if (!end.signal.aborted) drawLimit(profile); }, () => {});
  const element = h("section", { class: "card stack", id: "username-card", "aria-labelledby": "username-title" },
    h("h2", { id: "username-title" }, "Username"), form, limit);
  return { element, close: () => end.abort() };
}

function fieldError(message) {
  return Object.assign(new Error(message), { data: { field: "username" } });
}
