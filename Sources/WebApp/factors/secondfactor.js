// The card of two-step log-in: the authenticator app and the recovery codes.

import { announce, h, keepFocus, toast } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { count, dayText, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeField, makeForm } from "../kit/form.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { grouped, totpProblem } from "./passkeywords.js";
import { askProof } from "./proof.js";
import { showRecoveryCodes } from "./recoverycodes.js";

/** The card of two-step log-in: `{element, load(), close()}`. */
export function makeSecondFactorCard(app) {
  return new SecondFactorCard(app);
}

class SecondFactorCard {
  #net;
  #body = h("div", { class: "stack" });
  #dialog = null;
  #end = new AbortController();

  element = h("section", { class: "card stack", id: "second-factor-card" }, h("h2", {}, "Two-step log-in"), this.#body);

  constructor({ net }) {
    this.#net = net;
    this.#body.append(loading(net));
    net.addEventListener("account", () => this.load(), { signal: this.#end.signal });
  }

  close() {
    this.#end.abort();
    if (this.#dialog?.open) this.#dialog.close();
  }

  async load() {
    if (!this.#net.account) return;
    let parts;
    try {
      parts = this.#parts(await this.#net.request("account.secondFactors"));
    } catch (error) {
      // The page loads again when the connection is back.
      if (isOnlyOffline(error, this.#net)) return;
      parts = [h("p", { class: "problem", role: "alert" }, sentence(error.message)),
        h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => this.load() }, "Try again"))];
    }
    if (this.#end.signal.aborted) return;
    keepFocus(this.#body, () => this.#body.replaceChildren(...parts.filter(Boolean)));
  }

  #parts({ totpSince = null, hasPasskey, recoveryCodes, isOn, isRequired }) {
    const button = (id, label, run) => h("button", { class: "button", type: "button", id, onclick: run }, label);
    const missing = isRequired && !totpSince && !hasPasskey
      ? h("p", { class: "notice warn", id: "second-factor-required" }, icon("warning"),
        h("span", {}, "Admins need two-step log-in. Until you set up an authenticator app or add a passkey, the admin pages stay closed."))
      : null;
    const codes = isOn ? codesLeft(recoveryCodes) : null;
    const makeCodes = isOn ? button("make-codes", recoveryCodes === 0 ? "Make recovery codes" : "New recovery codes",
      () => this.#makeCodes(hasPasskey, recoveryCodes)) : null;
    if (totpSince) {
      return [h("p", {}, h("span", { class: "tag good" }, "On"), ` Authenticator app, set up on ${dayText(totpSince)}`), codes,
        h("div", { class: "row" }, makeCodes, button("remove-totp", "Remove app", () => this.#remove(hasPasskey)))];
    }
    const setUp = this.#net.account?.confirmBy
      ? h("p", { class: "muted" }, "Confirm your email to turn this on.")
      : h("div", { class: "row" }, button("set-up-totp", "Set up an authenticator app", () => this.#setUp(hasPasskey)), makeCodes);
    return [missing, h("p", { class: "muted" }, isOn
      ? "Logging in with your password also takes your passkey. An authenticator app can be another way."
      : "After your password, also enter a code from an app on your phone. Nobody gets in with your password alone."), codes, setUp];
  }

  #makeCodes(hasPasskey, left) {
    this.#dialog = askProof({
      net: this.#net, id: "make-codes-dialog", title: "New recovery codes", submitLabel: "Make new codes", hasPasskey,
      lead: left === 0 ? [] : [h("p", {}, "Your earlier codes stop working.")],
      run: async (proof) => {
        const { recoveryCodes } = await this.#net.request("account.makeRecoveryCodes", { proof });
        await this.load();
        this.#dialog = showRecoveryCodes(recoveryCodes);
      },
    });
  }

  #remove(hasPasskey) {
    this.#dialog = askProof({
      net: this.#net, id: "remove-totp-dialog", title: "Remove your authenticator app?", submitLabel: "Remove app", hasPasskey,
      lead: [h("p", {}, "Its codes no longer log in. Also delete Campanile in the app.")],
      run: async (proof) => {
        await this.#net.request("account.removeTOTP", { proof });
        toast("Authenticator app removed.");
        await this.load();
      },
    });
  }

  #setUp(hasPasskey) {
    this.#dialog = askProof({
      net: this.#net, id: "set-up-totp-dialog", title: "Set up an authenticator app", submitLabel: "Continue", hasPasskey,
      lead: [h("p", {}, "You need an app such as Aegis, Google Authenticator or 1Password on your phone."),
        hasPasskey && this.#net.account?.role === "admin" ? null : h("p", { class: "logs-out-others" },
          "When it is on, your other devices are logged out, because they logged in with your password alone.")],
      run: async (proof) => this.#showSecret(await this.#net.request("account.beginTOTP", { proof })),
    });
  }

  #showSecret({ secret, address, rows }) {
    const form = makeForm({
      id: "confirm-totp", submitLabel: "Turn on",
      fields: [makeField({ name: "code", id: "totp-code", label: "Code from the app", inputmode: "numeric", autocomplete: "one-time-code",
        maxlength: 7 })],
      check: ({ code }) => {
        const problem = totpProblem(code);
        return problem ? { code: problem } : {};
      },
      send: async ({ code }) => {
        const { recoveryCodes } = await this.#net.request("account.confirmTOTP", { code });
        dialog.close();
        announce("Two-step log-in is on.");
        await this.load();
        this.#dialog = showRecoveryCodes(recoveryCodes);
      },
    });
    const dialog = openDialog({ id: "totp-secret-dialog", title: "Scan this code", content: h("div", { class: "stack" },
      h("p", {}, "Scan it with your authenticator app, then enter the code that the app shows."),
      qrCode(rows),
      h("p", {}, "Or type this key in the app: ", h("code", { id: "totp-secret" }, grouped(secret))),
      h("div", { class: "row" },
        h("button", { class: "button small-button", type: "button", id: "copy-secret", onclick: () => copySecret(secret) },
          icon("copy"), "Copy key"),
        h("a", { class: "button small-button", id: "open-totp", href: address }, "Open app on this device")),
      form) });
    this.#dialog = dialog;
  }
}

/** How many recovery codes are left. None is a warning: whoever becomes an admin may have a passkey and no codes. */
function codesLeft(left) {
  if (left === 0) {
    return h("p", { class: "notice warn", id: "codes-missing" }, icon("warning"),
      h("span", {}, "You have no recovery codes. If you lose your phone or passkey, only they let you in: make some now."));
  }
  return h("p", { class: left < 3 ? "" : "muted", id: "codes-left" }, `You have ${count(left, "recovery code")} left.`);
}

async function copySecret(secret) {
  try {
    await navigator.clipboard.writeText(secret);
    toast("Key copied.");
  } catch {
    toast("Couldn't copy. Select the key and copy it yourself.");
  }
}

/** A QR code, with the margin of four modules that readers need. Always dark on white. */
function qrCode(rows) {
  const margin = 4;
  const size = rows.length + 2 * margin;
  const shape = rows.flatMap((row, y) => Array.from(row, (module, x) =>
    (module === "1" ? `M${x + margin} ${y + margin}h1v1h-1z` : ""))).join("");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, class: "qr-code", role: "img", id: "totp-qr",
    "aria-label": "QR code for your authenticator app", "shape-rendering": "crispEdges" })) svg.setAttribute(name, value);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", shape);
  svg.append(path);
  return svg;
}
