// Log in (U-2). A refusal does not say whether the email or the password was wrong.

import { announce, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loginProblems } from "../kit/validate.js";
import { makeField, makeForm, nextPath } from "../kit/form.js";
import { providerButtons } from "./providers.js";
import { sampleButtons } from "./samples.js";
import { needsSecondStep, showSecondStep } from "../factors/secondstep.js";
import { answerByPasskey, hasPasskeys, inWords, isSiteOf, offersPasskeys } from "../factors/webauthn.js";

/** Time after which passkeys are offered in the field with a new challenge: the server's is valid for five minutes. */
const offerMilliseconds = 240_000;

export function show(root, { query }, app) {
  const { net, router } = app;
  // Known already, or a moment after the page that led here, which had only the token.
  if (net.account) {
    router.go(nextPath(query), { replace: true });
    return undefined;
  }
  const enter = () => { if (net.account) router.go(nextPath(query), { replace: true }); };
  net.addEventListener("account", enter);
  const place = h("div", { class: "card form-card stack" });
  root.append(h("div", { class: "page narrow" }, place));
  const offer = new PasskeyOffer(net);
  draw();
  return () => {
    offer.end();
    net.removeEventListener("account", enter);
  };

  /** `text` says why the page is back at its start. */
  function draw(text = null) {
    const heading = h("h1", { tabindex: "-1" }, "Log in");
    const form = passwordForm(net, (error) => {
      offer.end();
      showSecondStep(place, { net, error, done: enter, restart: draw });
    });
    place.replaceChildren(heading, ...[
      text ? h("p", { class: "notice warn", role: "alert", id: "login-again" }, icon("warning"), h("span", {}, text)) : null,
      query?.get("next") ? h("p", { class: "muted" }, "Log in to continue. You don't need an account to watch the map.") : null,
      sampleButtons(app), form,
      h("p", { class: "center" }, h("a", { class: "link", id: "to-reset", href: "/reset" }, "Forgot your password?")),
      otherWays(net, offer, { config: app.config, next: nextPath(query) }), registration(query, app.config),
    ].filter(Boolean));
    if (text) heading.focus({ preventScroll: true });
    offer.begin();
  }
}

/** `goOn(error)` continues with the second step. */
function passwordForm(net, goOn) {
  const fields = [
    makeField({ name: "email", label: "Email", type: "email", autocomplete: "username webauthn", inputmode: "email" }),
    makeField({ name: "password", label: "Password", type: "password", autocomplete: "current-password" }),
  ];
  return makeForm({
    id: "login-form", fields, submitLabel: "Log in", check: loginProblems,
    async send(values) {
      try {
        await net.signIn("account.login", values);
      } catch (error) {
        if (!needsSecondStep(error)) throw error;
        return goOn(error);
      }
      return announce(`Logged in as ${net.account.username}.`);
    },
  });
}

function passkeyPart(net, offer) {
  const problem = h("p", { class: "problem", role: "alert", id: "passkey-problem" });
  const button = h("button", { class: "button big wide", type: "button", id: "passkey-login", onclick: async () => {
    problem.textContent = "";
    button.disabled = true;
    // A browser has one question at a time.
    offer.end();
    try {
      const challenge = await net.request("account.beginPasskeyLogin");
      if (!isSiteOf(challenge.site, location.hostname)) throw new Error(`Passkeys work at ${challenge.site}. Open Campanile there.`);
      await net.signIn("account.passkeyLogin", { passkey: await inWords(() => answerByPasskey(challenge)) });
      announce(`Logged in as ${net.account.username}.`);
    } catch (error) {
      problem.textContent = error.message;
      offer.begin();
    } finally {
      button.disabled = false;
    }
  } }, icon("key"), "Use a passkey");
  return [button, problem];
}

/** Passkeys and providers; null if there are none. */
function otherWays(net, offer, { config, next }) {
  const ways = [...(hasPasskeys() ? passkeyPart(net, offer) : []), ...providerButtons(config, next)];
  return ways.length > 0 ? h("div", { class: "stack other-ways" }, h("p", { class: "or-line" }, "or"), ...ways) : null;
}

function registration(query, config) {
  const next = query?.get("next");
  return config?.registration === "closed"
    ? h("p", { class: "muted center", id: "registration-closed" }, "New here? Ask a campus admin for an account.")
    : h("p", { class: "muted center" }, "New here? ",
      h("a", { class: "link", href: next ? `/register?next=${encodeURIComponent(next)}` : "/register" }, "Register"));
}

/** Offers the browser's passkeys in the field of the email, as long as the page is open. */
class PasskeyOffer {
  #net;
  #end = null;

  constructor(net) {
    this.#net = net;
  }

  end() {
    this.#end?.abort();
    this.#end = null;
  }

  async begin() {
    this.end();
    const end = new AbortController();
    this.#end = end;
    if (!(await offersPasskeys()) || end.signal.aborted) return;
    try {
      const challenge = await this.#net.request("account.beginPasskeyLogin");
      if (end.signal.aborted || !isSiteOf(challenge.site, location.hostname)) return;
      const again = setTimeout(() => this.begin(), offerMilliseconds);
      end.signal.addEventListener("abort", () => clearTimeout(again));
      const passkey = await answerByPasskey(challenge, { mediation: "conditional", signal: end.signal });
      await this.#net.signIn("account.passkeyLogin", { passkey });
      announce(`Logged in as ${this.#net.account.username}.`);
    } catch (error) {
      // Nobody asked for it, so only what the server says of a chosen passkey is shown.
      const place = document.getElementById("passkey-problem");
      if (place && !end.signal.aborted && error.data?.field === "passkey") place.textContent = error.message;
    }
  }
}
