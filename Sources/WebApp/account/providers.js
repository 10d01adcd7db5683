// Providers of OpenID Connect, such as Google: the buttons of the log-in, and the card with those that log in to the account.

import { h, keepFocus, toast } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { dayText, sentence } from "../kit/format.js";
import { makeField, makeForm } from "../kit/form.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { beginAttempt } from "./providerattempt.js";

/** Sends the browser to a provider. */
async function leaveFor(attempt) {
  try {
    location.assign(await beginAttempt(attempt));
  } catch (error) {
    toast(error.message);
  }
}

/** A button for each provider that the operator has set up. */
export function providerButtons(config, next) {
  return (config?.signIns ?? []).map(({ name, label }) => h("button", {
    class: "button big wide", type: "button", id: `provider-${name}`,
    onclick: () => leaveFor({ name, label, purpose: "login", next }),
  }, `Continue with ${label}`));
}

/**
 * The card of the providers: `{element, load(), close()}`. It is hidden where the operator has set up none. `changed()` is called when one
 * was disconnected.
 */
export function makeProvidersCard({ net, config }, { changed }) {
  return new ProvidersCard(net, config, changed);
}

class ProvidersCard {
  element = h("section", { class: "card stack", id: "providers-card", hidden: true });

  #net;
  #changed;
  #body = h("div", { class: "stack" });
  #dialog = null;

  constructor(net, config, changed) {
    [this.#net, this.#changed] = [net, changed];
    this.element.hidden = (config?.signIns ?? []).length === 0;
    this.#body.append(loading(net));
    this.element.append(h("h2", {}, "Other ways to log in"), this.#body);
  }

  close() {
    if (this.#dialog?.open) this.#dialog.close();
  }

  async load() {
    if (this.element.hidden || !this.#net.account) return;
    try {
      this.#draw(await this.#net.request("account.providers"));
    } catch (error) {
      // The page loads again when the connection is back.
      if (isOnlyOffline(error, this.#net)) return;
      this.#body.replaceChildren(h("p", { class: "problem", role: "alert" }, sentence(error.message)),
        h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => this.load() }, "Try again")));
    }
  }

  #draw({ providers, hasPassword }) {
    keepFocus(this.#body, () => this.#body.replaceChildren(
      ...providers.map((provider) => this.#row(provider, hasPassword)),
      hasPassword ? "" : h("p", { class: "muted", id: "no-password" }, "You don't have a password yet. ",
        h("a", { class: "link", href: "/reset" }, "Set one"), " to change how you log in.")));
  }

  #row({ name, label, connectedAt }, hasPassword) {
    const text = h("div", { class: "grow" }, h("strong", {}, label),
      h("p", { class: "muted small" }, connectedAt ? `Connected since ${dayText(connectedAt)}` : "Not connected"));
    return h("div", { class: "row provider-row", id: `provider-row-${name}` }, text, connectedAt
      ? h("button", { class: "button", type: "button", id: `disconnect-${name}`, disabled: !hasPassword,
        "aria-describedby": hasPassword ? null : "no-password", onclick: () => this.#disconnect(name, label) }, "Disconnect")
      : h("button", { class: "button", type: "button", id: `connect-${name}`, disabled: !hasPassword,
        "aria-describedby": hasPassword ? null : "no-password",
        onclick: () => leaveFor({ name, label, purpose: "connect", next: location.pathname }) }, "Connect"));
  }

  #disconnect(name, label) {
    this.#dialog = openDialog({ id: "disconnect-provider", title: `Disconnect ${label}?`, content: h("div", { class: "stack" },
      h("p", {}, `${label} no longer logs you in. You keep your account and log in with your password.`),
      h("p", { id: "disconnect-effects" }, "You'll stay logged in here. Other devices are logged out, and your shares, links and calendar "
        + "address stop working. Other services with another email than your account's are disconnected, too."),
      makeForm({
        id: "disconnect-form", submitLabel: `Disconnect ${label}`,
        fields: [makeField({ name: "password", label: "Your password", type: "password", autocomplete: "current-password",
          id: "disconnect-password" })],
        check: ({ password }) => (password === "" ? { password: "Enter your password." } : {}),
        send: async ({ password }) => {
          try {
            this.#draw(await this.#net.request("account.disconnectOpenID", { provider: name, password }));
          } catch (error) {
            error.message = sentence(error.message);
            throw error;
          }
          this.#dialog.close();
          toast(`${label} is disconnected.`);
          this.#changed();
        },
      })) });
  }
}
