// Proof that the person owns the account, by the password or a passkey, before something sensitive is done.

import { h } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { sentence } from "../kit/format.js";
import { makeField, makeForm } from "../kit/form.js";
import { answerByPasskey, hasPasskeys, inWords } from "./webauthn.js";

/** Resolves to whether the account has a password: one that a provider's log-in made has none until its owner sets one. */
export async function hasPassword(net) {
  try {
    return (await net.request("account.providers")).hasPassword;
  } catch {
    // The server decides anyway.
    return true;
  }
}

/**
 * Opens a dialog that asks for the password, or for a passkey if `hasPasskey`, and for further `fields`. `run(proof, values)` does the
 * work; the dialog stays open while it throws. An account without a password uses a passkey, or reads how to set a password. Returns the
 * dialog.
 * @param {{net: any, id: string, title: string, lead?: any[], fields?: any[], submitLabel: string, hasPasskey?: boolean,
 *   check?: (values: any) => object, run: (proof: any, values: any) => Promise<void>}} options
 */
export function askProof({ net, id, title, lead = [], fields = [], submitLabel, hasPasskey = false, check = () => ({}), run }) {
  const password = makeField({
    name: "password", id: `${id}-password`, label: "Your password", type: "password", autocomplete: "current-password",
  });
  const form = makeForm({
    id: `${id}-form`, fields: [...fields, password], submitLabel,
    check: (values) => ({ ...check(values), ...(values.password === "" && { password: "Enter your password." }) }),
    send: (values) => done({ password: values.password }, values),
  });
  const valuesOf = () => Object.fromEntries(fields.map(({ name, input }) => [name, input.value.trim()]));
  const problem = h("p", { class: "problem", role: "alert", id: `${id}-passkey-problem` });
  const byPasskey = h("button", { class: "button wide", type: "button", id: `${id}-passkey`, onclick: async () => {
    const values = valuesOf();
    const problems = check(values);
    for (const field of fields) field.setProblem(problems[field.name] ?? null);
    if (Object.keys(problems).length > 0) return;
    problem.textContent = "";
    byPasskey.disabled = true;
    try {
      const passkey = await inWords(async () => answerByPasskey(await net.request("account.beginPasskeyProof")));
      await done({ passkey }, values);
    } catch (error) {
      problem.textContent = error.message;
    } finally {
      byPasskey.disabled = false;
    }
  } }, "Use a passkey instead");
  const isByPasskey = hasPasskey && hasPasskeys();
  const dialog = openDialog({ id, title, content: h("div", { class: "stack" }, ...lead, form, isByPasskey ? byPasskey : null, problem) });
  hasPassword(net).then((has) => {
    if (!has) withoutPassword();
  });
  return dialog;

  function withoutPassword() {
    if (!isByPasskey) {
      form.replaceWith(h("p", { id: `${id}-no-password` }, "Your account has no password yet. ",
        h("a", { class: "link", href: "/reset", onclick: () => dialog.close() }, "Set one by an email"), ", then try again."));
      return;
    }
    password.element.remove();
    form.querySelector("[type=submit]").remove();
    byPasskey.textContent = "Use a passkey";
  }

  async function done(proof, values) {
    try {
      await run(proof, values);
    } catch (error) {
      error.message = sentence(error.message);
      throw error;
    }
    dialog.close();
  }
}
