// Finishes a log-in by a provider of OpenID Connect: with the account that it is connected with, with a new one, or by connecting it with
// another, after a log-in with its password.

import { needsSecondStep, showSecondStep } from "../factors/secondstep.js";
import { announce, h, toast } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { makeField, makeForm, nextPath } from "../kit/form.js";
import { newUserProblems } from "../kit/validate.js";
import { takeAttempt } from "./providerattempt.js";

/** Serves `/login/provider`. */
export function show(root, _params, { net, router }) {
  const ticket = location.hash.slice(1);
  // It stays out of the history; it works once anyway.
  history.replaceState(history.state, "", location.pathname);
  const page = new ProviderLogin(net, router, ticket, takeAttempt());
  root.append(page.element);
  page.start();
  return () => page.close();
}

const passwordField = (label) => makeField({ name: "password", label, type: "password", autocomplete: "current-password" });
const passwordProblems = ({ password }) => (password === "" ? { password: "Enter your password." } : {});

class ProviderLogin {
  element = h("div", { class: "page narrow" });

  #net;
  #router;
  #ticket;
  #attempt;
  #isClosed = false;

  constructor(net, router, ticket, attempt) {
    this.#net = net;
    this.#router = router;
    this.#ticket = ticket;
    this.#attempt = attempt;
  }

  close() {
    this.#isClosed = true;
  }

  start() {
    if (!this.#attempt || this.#ticket === "") this.#drawProblem("This log-in is over or was begun in another tab. Start again.");
    else if (this.#attempt.purpose !== "connect") this.#finish();
    else if (this.#net.account) this.#drawConfirm();
    else this.#drawProblem("You were logged out meanwhile. Log in first.");
  }

  #draw(title, ...content) {
    const heading = h("h1", { tabindex: "-1" }, title);
    this.element.replaceChildren(h("div", { class: "card form-card stack", id: "provider-login" }, heading, ...content));
    heading.focus({ preventScroll: true });
  }

  #drawProblem(text, again = null) {
    this.#draw("Couldn't log you in", h("p", { class: "muted", role: "alert", id: "provider-problem" }, text),
      again ? h("p", {}, h("button", { class: "button", type: "button", id: "provider-again", onclick: again }, "Try again")) : null,
      this.#net.account ? h("a", { class: "button primary", href: "/settings/security" }, "Go to your account")
        : h("a", { class: "button primary", href: "/login" }, "Back to log in"));
  }

  #goOn() {
    this.#router.go(nextPath(new URLSearchParams({ next: this.#attempt.next ?? "" })), { replace: true });
  }

  /** A form whose errors are sentences. */
  #form(id, submitLabel, fields, check, send) {
    return makeForm({ id, submitLabel, fields, check, send: async (values) => {
      try {
        await send(values);
      } catch (error) {
        error.message = sentence(error.message);
        throw error;
      }
    } });
  }

  get #proof() {
    return { ticket: this.#ticket, secret: this.#attempt.secret };
  }

  async #finish() {
    this.#draw("One moment…", h("p", { class: "muted", role: "status" }, `Logging in with ${this.#attempt.label}…`));
    try {
      const result = await this.#net.signIn("account.finishOpenID", this.#proof);
      if (this.#isClosed) return;
      if (result.signedIn) {
        announce(`Logged in as ${result.signedIn.account.username}.`);
        this.#goOn();
      } else if (result.next === "connect") this.#drawConnect(result);
      else this.#drawRegister(result);
    } catch (error) {
      if (this.#isClosed) return;
      if (needsSecondStep(error)) this.#drawSecondStep(error, () => this.#goOn());
      else this.#drawProblem(sentence(error.message), error.isTransient ? () => this.#finish() : null);
    }
  }

  /** Continues a log-in of an account with a second factor; `done()` follows it. */
  #drawSecondStep(error, done) {
    const card = h("div", { class: "card form-card stack", id: "provider-login" });
    this.element.replaceChildren(card);
    const restart = (text) => this.#drawProblem(text ?? "You're not logged in.");
    showSecondStep(card, { net: this.#net, error, done, restart });
  }

  #drawRegister({ label, username = "", email = "", isEmailVerified }) {
    const fields = [makeField({ name: "username", label: "Username", autocomplete: "username", autocapitalize: "none",
      spellcheck: "false", value: username, hint: "4-20 letters and digits. People who don't know you see it on the map." })];
    if (!isEmailVerified) {
      fields.push(makeField({ name: "email", label: "Email", type: "email", autocomplete: "email", inputmode: "email", value: email,
        hint: "Only you see it. We'll send you a code to confirm it." }));
    }
    this.#draw("Choose a username",
      h("p", { class: "muted" }, isEmailVerified ? `You're new here. ${label} says that your email is ${email}.` : "You're new here."),
      this.#form("provider-register-form", "Create account", fields, (values) => newUserProblems({ email, ...values }),
        (values) => this.#register(values)),
      h("p", { class: "muted" }, `If you already have an account, log in to it, and connect ${label} in its security settings.`),
      h("p", { class: "center" }, h("a", { class: "link", href: "/login" }, "Log in to your account")));
  }

  async #register(values) {
    const result = await this.#net.signIn("account.registerOpenID", { ...this.#proof, ...values });
    toast(result.message);
    announce(result.message);
    if (!result.account.confirmBy) this.#goOn();
    else this.#router.go(`/confirm?next=${encodeURIComponent(this.#attempt.next ?? "/")}`, { replace: true });
  }

  /** The password proves the account, as the provider has proved the other side. */
  async #connect(password, label) {
    await this.#net.request("account.connectOpenID", { ...this.#proof, password });
    toast(`${label} is connected. It logs you in from now on.`);
    announce(`${label} is connected.`);
    this.#goOn();
  }

  async #connectOrSay(password, label) {
    try {
      await this.#connect(password, label);
    } catch (error) {
      this.#drawProblem(sentence(error.message));
    }
  }

  #drawConnect({ label, email }) {
    this.#draw("You already have an account",
      h("p", {}, `Your account has the email ${email}. To connect ${label}, enter its password. If it has none yet, set one first.`),
      this.#form("provider-connect-form", `Log in and connect ${label}`, [passwordField("Password")], passwordProblems,
        async ({ password }) => {
          try {
            if (!this.#net.account) await this.#net.signIn("account.login", { email, password });
          } catch (error) {
            if (!needsSecondStep(error)) throw error;
            return this.#drawSecondStep(error, () => this.#connectOrSay(password, label));
          }
          return this.#connect(password, label);
        }),
      h("p", { class: "center" }, h("a", { class: "link", href: "/reset" }, "Forgot your password, or have none?")));
  }

  #drawConfirm() {
    const { label } = this.#attempt;
    this.#draw(`Connect ${label}`,
      h("p", {}, `${label} can log in to your account from now on. Enter your password to confirm that this is your account.`),
      this.#form("provider-confirm-form", `Connect ${label}`, [passwordField("Your password")], passwordProblems,
        ({ password }) => this.#connect(password, label)),
      h("p", { class: "center" }, h("a", { class: "link", href: "/settings/security" }, "Cancel")));
  }
}
