// The card of passkeys: the list, adding, naming and removing.

import { announce, h, keepFocus, toast } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { dayText, momentText, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeField, makeForm } from "../kit/form.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { askProof } from "./proof.js";
import { passkeyName } from "./passkeywords.js";
import { showRecoveryCodes } from "./recoverycodes.js";
import { createPasskey, inWords, isSiteOf, makesPasskeys } from "./webauthn.js";

const nameCharactersMax = 40;
const nameProblem = ({ name }) => (name === "" ? { name: "Enter a name." } : {});

/** The card of passkeys: `{element, load(), close()}`. */
export function makePasskeysCard(app) {
  return new PasskeysCard(app);
}

class PasskeysCard {
  #net;
  #list = h("ul", { class: "rows", id: "passkeys" });
  #body = h("div", { class: "stack" });
  #dialog = null;
  #end = new AbortController();

  element = h("section", { class: "card stack", id: "passkeys-card" }, h("h2", {}, "Passkeys"),
    h("p", { class: "muted" }, "Log in with your fingerprint, face or screen lock instead of your password."), this.#body);

  constructor({ net }) {
    this.#net = net;
    this.#body.append(loading(net));
    // Changed on another device, perhaps.
    net.addEventListener("account", () => this.load(), { signal: this.#end.signal });
  }

  close() {
    this.#end.abort();
    if (this.#dialog?.open) this.#dialog.close();
  }

  async load() {
    if (!this.#net.account) return;
    try {
      const { passkeys, max, site } = await this.#net.request("account.passkeys");
      if (!this.#end.signal.aborted) this.#draw(passkeys, max, site);
    } catch (error) {
      if (!this.#end.signal.aborted) this.#drawTrouble(error);
    }
  }

  #draw(passkeys, max, site) {
    this.#list.replaceChildren(...passkeys.map((passkey) => this.#row(passkey)));
    const hasAny = passkeys.length > 0;
    keepFocus(this.#body, () => this.#body.replaceChildren(
      hasAny ? this.#list : h("p", { id: "no-passkeys" }, "You don't have a passkey yet."), this.#addPart(passkeys, max, site)));
  }

  #addPart(passkeys, max, site) {
    const note = (id, text) => h("p", { class: "muted", id }, text);
    if (this.#net.account?.confirmBy) return note("passkeys-unconfirmed", "Confirm your email to add a passkey.");
    if (!makesPasskeys()) return note("passkeys-unsupported", "This browser can't add passkeys. Try a newer browser, or another device.");
    if (!isSiteOf(site, location.hostname)) return note("passkeys-elsewhere", `Passkeys work at ${site}. Open Campanile there to add one.`);
    if (passkeys.length >= max) return note("passkeys-full", `You have ${max} passkeys. Remove one to add another.`);
    return h("div", { class: "row" }, h("button", { class: "button", type: "button", id: "add-passkey",
      onclick: () => this.#add(passkeys.length > 0) }, icon("plus"), "Add a passkey"));
  }

  #drawTrouble(error) {
    // The page loads again when the connection is back.
    if (isOnlyOffline(error, this.#net)) return;
    this.#body.replaceChildren(h("p", { class: "problem", role: "alert" }, sentence(error.message)),
      h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => this.load() }, "Try again")));
  }

  #row(passkey) {
    const used = passkey.lastUsedAt ? `last used ${momentText(passkey.lastUsedAt)}` : "not used yet";
    const button = (label, className, run) => h("button", { class: className, type: "button",
      "aria-label": `${label} ${passkey.name}`, onclick: run }, label);
    return h("li", { class: "row-item passkey", dataset: { passkey: passkey.id } }, icon("key"),
      h("div", { class: "grow" }, h("strong", {}, passkey.name),
        passkey.isBackedUp && !passkey.stoppedAt ? h("span", { class: "tag" }, "Synced") : null,
        passkey.stoppedAt ? h("span", { class: "tag bad" }, "Stopped") : null,
        h("p", { class: "muted small" }, passkey.stoppedAt
          ? "Somebody may have a copy, so it no longer logs in. Remove it, and add a new one."
          : `Added ${dayText(passkey.createdAt)}, ${used}`)),
      h("div", { class: "row" }, button("Rename", "button quiet", () => this.#rename(passkey)),
        button("Remove", "button quiet", () => this.#remove(passkey))));
  }

  #add(hasPasskey) {
    const { account } = this.#net;
    this.#dialog = askProof({
      net: this.#net, id: "add-passkey-dialog", title: "Add a passkey", submitLabel: "Continue", hasPasskey,
      lead: [h("p", {}, "Your browser then asks where to keep it: on this device, your phone or a security key."),
        account.role === "admin" && !account.hasSecondFactor
          ? h("p", { class: "logs-out-others" },
            "Your other devices are logged out, because they logged in with your password alone.") : null],
      fields: [makeField({ name: "name", id: "passkey-name", label: "Name", value: passkeyName(navigator.userAgent), autocomplete: "off",
        maxlength: nameCharactersMax, hint: "So that you recognise it later." })],
      check: nameProblem,
      run: async (proof, { name }) => {
        const begun = await this.#net.request("account.beginPasskey", { proof });
        const made = await inWords(() => createPasskey(begun, account));
        const { recoveryCodes } = await this.#net.request("account.addPasskey", { name, ...made });
        toast("Passkey added.");
        announce("Passkey added.");
        await this.load();
        if (recoveryCodes) this.#dialog = showRecoveryCodes(recoveryCodes);
      },
    });
  }

  #rename({ id, name: before }) {
    const field = makeField({ name: "name", id: "passkey-name", label: "Name", value: before, autocomplete: "off",
      maxlength: nameCharactersMax });
    this.#dialog = openDialog({ id: "rename-passkey-dialog", title: "Rename passkey", content: makeForm({
      id: "rename-passkey", fields: [field], submitLabel: "Save", check: nameProblem,
      send: async ({ name }) => {
        await this.#net.request("account.renamePasskey", { passkey: id, name });
        this.#dialog.close();
        await this.load();
      },
    }) });
  }

  #remove({ id, name }) {
    this.#dialog = askProof({
      net: this.#net, id: "remove-passkey-dialog", title: `Remove ${name}?`, submitLabel: "Remove passkey", hasPasskey: true,
      lead: [h("p", {}, "It no longer logs in to Campanile. Also delete it on the device or in the password manager that keeps it.")],
      run: async (proof) => {
        await this.#net.request("account.removePasskey", { passkey: id, proof });
        toast("Passkey removed.");
        await this.load();
      },
    });
  }
}
