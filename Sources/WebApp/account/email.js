// The email of the account (T-1): its confirmation by a code, and its change.

import { announce, h, keepFocus, toast } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { sentence } from "../kit/format.js";
import { makeField, makeForm } from "../kit/form.js";
import { emailProblems } from "../kit/validate.js";
import { hasPassword } from "../factors/proof.js";
import { confirmByText, emailCodeProblem, emailState, mustConfirm } from "./emailwords.js";

/** The card of the email: `{element, load(), close()}`. `onConfirmed()` is called when a code was right. */
export function makeEmailCard(app, { title = "Email", onConfirmed = () => {} } = {}) {
  return new EmailCard(app, title, onConfirmed);
}

class EmailCard {
  element = h("section", { class: "card stack", id: "email-card" });

  #net;
  #config;
  #onConfirmed;
  #heading;
  #body = h("div", { class: "stack" });
  #dialog = null;
  /** The address that waits for a code, or null. */
  #confirming = null;
  /** What is drawn, so that a field keeps what is typed. */
  #drawn = null;
  #end = new AbortController();
  /** Whether this card itself changes the account now. */
  #isTaking = false;

  constructor({ net, config }, title, onConfirmed) {
    this.#net = net;
    this.#config = config;
    this.#onConfirmed = onConfirmed;
    this.#heading = h("h2", {}, title);
    this.element.append(this.#heading, this.#body);
    // Confirmed or corrected on another device, perhaps; what this card does itself is known.
    net.addEventListener("account", () => { if (!this.#isTaking) this.load(); }, { signal: this.#end.signal });
    this.#draw();
  }

  close() {
    this.#end.abort();
    if (this.#dialog?.open) this.#dialog.close();
  }

  async load() {
    if (!this.#net.account) return;
    try {
      this.#take(await this.#net.request("account.me"));
    } catch {
      // What is known stays.
      this.#draw();
    }
  }

  #take({ account, confirming = null }) {
    this.#confirming = confirming;
    this.#isTaking = true;
    this.#net.accountChanged(account);
    this.#isTaking = false;
    this.#draw();
  }

  #draw() {
    const { account } = this.#net;
    if (!account) return;
    const state = emailState(account, this.#confirming);
    const sig = JSON.stringify([state, account.email, account.confirmBy, this.#confirming]);
    if (sig === this.#drawn) return;
    this.#drawn = sig;
    keepFocus(this.#body, () => this.#body.replaceChildren(...this.#parts(state, account).filter(Boolean)));
  }

  #parts(state, account) {
    const address = (text, tag) => h("p", { class: "row email-address" }, h("strong", {}, text),
      tag && h("span", { class: `tag ${tag === "Confirmed" ? "good" : "warn"}` }, tag));
    const mails = this.#config?.mail !== false;
    const row = (...buttons) => h("div", { class: "row" }, ...buttons);
    switch (state) {
      case "provisional":
        return [address(this.#confirming ?? account.email, "Not confirmed"),
          h("p", { class: "muted" }, confirmByText(account, { isRequired: mustConfirm(this.#config, account), mails })),
          mails ? this.#codeForm() : noMail(), mails && row(this.#resend(), this.#changeButton("Use another email"))];
      case "changing":
        return [address(account.email, account.isEmailConfirmed ? "Confirmed" : "Not confirmed"),
          h("p", {}, "We've sent a code to ", h("strong", {}, this.#confirming), ". Enter it to use that email from now on."),
          this.#codeForm(), row(this.#resend(), this.#cancelButton(account.email))];
      case "waiting":
        return [address(account.email, "Not confirmed"), h("p", { class: "muted" }, "Enter the code from our email."),
          this.#codeForm(), row(this.#resend(), this.#changeButton("Use another email"))];
      case "unconfirmed":
        // Without mail nobody can confirm it.
        return [address(account.email, mails ? "Not confirmed" : null),
          mails ? h("p", { class: "muted" }, "Confirm it so that you can reset your password, and nobody else can use it.") : noMail(),
          mails && row(this.#resend("Confirm email", true), this.#changeButton("Change email"))];
      default:
        return [address(account.email, "Confirmed"), mails ? row(this.#changeButton("Change email")) : noMail()];
    }
  }

  #codeForm() {
    return makeForm({
      id: "email-code-form", submitLabel: "Confirm email",
      fields: [makeField({
        name: "code", label: "Code from the email", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 9,
      })],
      check: ({ code }) => {
        const problem = emailCodeProblem(code);
        return problem ? { code: problem } : {};
      },
      send: async ({ code }) => {
        try {
          this.#take(await this.#net.request("account.confirmEmail", { code: code.replaceAll(" ", "") }));
        } catch (error) {
          error.message = sentence(error.message);
          throw error;
        }
        toast("Email confirmed.");
        announce("Email confirmed.");
        this.#onConfirmed();
      },
    });
  }

  #resend(label = "Send a new code", isPrimary = false) {
    const button = h("button", { class: isPrimary ? "button primary" : "button", type: "button", id: "resend-code", onclick: async () => {
      button.disabled = true;
      try {
        this.#take(await this.#net.request("account.sendConfirmation"));
        toast(`We've sent a code to ${this.#confirming ?? this.#net.account?.email}. Only the latest code works.`);
      } catch (error) {
        toast(sentence(error.message));
      } finally {
        button.disabled = false;
      }
    } }, label);
    return button;
  }

  #cancelButton(email) {
    return h("button", { class: "button", type: "button", id: "keep-email", onclick: () => this.#openForm({
      id: "keep-email-dialog", title: "Keep your email?", submitLabel: `Keep ${email}`, email,
      done: "Your email stays the same.",
    }) }, `Keep ${email}`);
  }

  #changeButton(label) {
    return h("button", { class: "button", type: "button", id: "change-email", onclick: () => this.#openForm({
      id: "change-email-dialog", title: label, submitLabel: "Send code", email: null, done: null,
    }) }, label);
  }

  /**
   * Asks for the password, and for an address unless `email` is given. An account that was made by a provider's log-in has no password:
   * it needs none until its address is confirmed, and afterwards sets one by an email first.
   */
  async #openForm({ id, title, submitLabel, email, done }) {
    const asksPassword = await hasPassword(this.#net);
    if (!asksPassword && this.#net.account?.isEmailConfirmed) {
      this.#dialog = openDialog({ id, title, content: h("p", { id: "email-no-password" }, "Your account has no password yet. ",
        h("a", { class: "link", href: "/reset", onclick: () => this.#dialog.close() }, "Set one by an email"), ", then try again.") });
      return;
    }
    const fields = [
      ...(email ? [] : [makeField({
        name: "email", label: "New email", type: "email", autocomplete: "email", inputmode: "email", id: "new-email",
      })]),
      ...(asksPassword ? [makeField({
        name: "password", label: "Your password", type: "password", autocomplete: "current-password", id: "email-password",
      })] : []),
    ];
    this.#dialog = openDialog({ id, title, content: h("div", { class: "stack" },
      email ? null : h("p", {}, newEmailText(this.#net.account)),
      makeForm({
        id: `${id}-form`, fields, submitLabel,
        check: (values) => ({
          ...(email ? {} : emailProblems(values)), ...(values.password === "" && { password: "Enter your password." }),
        }),
        send: async ({ email: typed, password = "" }) => {
          try {
            this.#take(await this.#net.request("account.changeEmail", { email: email ?? typed, password }));
          } catch (error) {
            error.message = sentence(error.message);
            throw error;
          }
          this.#dialog.close();
          toast(done ?? `We've sent a code to ${this.#confirming ?? this.#net.account?.email}.`);
        },
      })) });
  }
}

function newEmailText({ confirmBy }) {
  return `We'll send a code to the new email.${confirmBy ? "" : " It replaces your current one once you enter the code."}`;
}

function noMail() {
  return h("p", { class: "muted", id: "email-no-mail" }, "This server can't send email. To change yours, ask a campus admin.");
}
