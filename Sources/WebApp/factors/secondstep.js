// The second step of a log-in: a code of the authenticator app, a recovery code, or a passkey.

import { announce, h } from "../kit/dom.js";
import { errorCodes } from "../client/registry.js";
import { makeField, makeForm } from "../kit/form.js";
import { recoveryCodeProblem, totpProblem } from "./passkeywords.js";
import { answerByPasskey, hasPasskeys, inWords } from "./webauthn.js";

/** Whether a log-in continues with a second step. */
export const needsSecondStep = (error) => error.code === errorCodes.secondFactorRequired && Boolean(error.data?.ticket);

/**
 * Draws the second step in `place`, a card. `error` is that of the first step. `done()` follows the log-in, `restart(text)` the end of the
 * time for it.
 */
export function showSecondStep(place, { net, error, done, restart }) {
  const { ticket, factors = [] } = error.data;
  const has = (factor) => factors.includes(factor) && (factor !== "passkey" || hasPasskeys());
  const [first = null] = ["totp", "passkey", "recoveryCode"].filter(has);
  draw(first);

  async function send(params) {
    try {
      await net.signIn("account.secondFactor", { ticket, ...params });
    } catch (failure) {
      if (failure.isNotFound) return restart("That took too long. Log in again.");
      throw failure;
    }
    announce(`Logged in as ${net.account.username}.`);
    return done();
  }

  function draw(factor) {
    const heading = h("h1", { tabindex: "-1" }, titles[factor] ?? "Two-step log-in");
    place.replaceChildren(heading, ...(factor === "passkey" ? passkeyPart() : factor ? codePart(factor) : [noWay()]), ways(factor));
    (place.querySelector("input") ?? heading).focus({ preventScroll: true });
    announce(titles[factor] ?? "Two-step log-in");
  }

  function codePart(factor) {
    const isTOTP = factor === "totp";
    const name = isTOTP ? "code" : "recoveryCode";
    const field = isTOTP
      ? makeField({ name, label: "Code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 7 })
      : makeField({ name, label: "Recovery code", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 40 });
    return [
      h("p", { class: "muted" }, isTOTP ? "Open your authenticator app and enter the code for Campanile."
        : "Enter one of the codes that you saved. Each works once."),
      makeForm({ id: "second-step", fields: [field], submitLabel: "Log in",
        check: (values) => {
          const problem = isTOTP ? totpProblem(values.code) : recoveryCodeProblem(values.recoveryCode);
          return problem ? { [name]: problem } : {};
        },
        send: (values) => send(values) }),
    ];
  }

  function passkeyPart() {
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "button primary big wide", type: "button", id: "second-step-passkey", onclick: async () => {
      problem.textContent = "";
      button.disabled = true;
      try {
        await send({ passkey: await inWords(async () => answerByPasskey(await net.request("account.beginPasskeyLogin"))) });
      } catch (failure) {
        problem.textContent = failure.message;
      } finally {
        button.disabled = false;
      }
    } }, "Use a passkey");
    return [h("p", { class: "muted" }, "Confirm with the passkey of your account that it's you."), problem, button];
  }

  function ways(present) {
    const way = (factor) => h("button", { class: "button quiet", type: "button", dataset: { way: factor }, onclick: () => draw(factor) },
      wayNames[factor]);
    return h("div", { class: "stack center second-step-ways" },
      ...["totp", "passkey", "recoveryCode"].filter((factor) => factor !== present && has(factor)).map((factor) => h("p", {}, way(factor))),
      h("p", {}, h("button", { class: "button quiet", type: "button", id: "second-step-back",
        onclick: () => restart(null) }, "Back to log in")));
  }
}

function noWay() {
  return h("p", { class: "muted", id: "second-step-impossible" },
    "This browser can't use your passkey. Log in with another browser or device, or ask a campus admin.");
}

const titles = { totp: "Enter your code", passkey: "Use your passkey", recoveryCode: "Enter a recovery code" };
const wayNames = { totp: "Use a code from your app", passkey: "Use a passkey", recoveryCode: "Use a recovery code" };
