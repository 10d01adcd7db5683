// Reminders to an address, by email or text message: it is given, confirmed by a code, changed and removed.

import { confirmDialog, h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { ChannelCard, messageWithWait } from "./channelcard.js";
import { addressProblem, codeProblem, plainNumber } from "./words.js";

const confirmHint = "A code is sent there, to be sure that it is yours.";

/** The card of `email` or `text`. */
export class AddressCard extends ChannelCard {
  contents({ state, address, reason }) {
    if (state === "off") return [this.#addressForm("")];
    if (state === "dead") {
      return [deadNote(address, reason), this.#addressForm(address ?? ""), h("div", { class: "row" }, this.#removeButton(address))];
    }
    const shown = h("p", {}, state === "on" ? "Reminders go to " : "The address is ",
      h("strong", { class: "channel-address" }, address ?? "your account's address"), ".");
    const others = [this.#changeButton(address), this.#removeButton(address)];
    if (state === "on") return [shown, h("div", { class: "row" }, this.testButton(), ...others)];
    return [shown, this.#codeForm(), h("div", { class: "row" }, this.#resendButton(address), ...others)];
  }

  #removeButton(address) {
    const remove = async () => {
      const sure = await confirmDialog({
        id: "remove-address", title: this.channel === "email" ? "No more mails?" : "No more text messages?", confirm: "Remove it",
        text: `Nothing goes to ${address ?? "this address"} any more. To have it again it has to be confirmed anew.`,
      });
      if (sure) this.change(() => this.net.request("reminders.removeAddress", { channel: this.channel }));
    };
    return h("button", { class: "button quiet", type: "button", id: `remove-${this.channel}`, onclick: remove }, "Remove");
  }

  #resendButton(address) {
    const { channel } = this;
    const resend = () => this.change(() => this.net.request("reminders.setAddress", { channel, ...(address && { address }) }));
    return h("button", { class: "button", type: "button", id: `resend-${channel}`, onclick: resend }, "Send a new code");
  }

  #changeButton(address) {
    const change = () => {
      const cancel = h("button", { class: "button", type: "button", onclick: () => this.redraw() }, "Cancel");
      this.body.replaceChildren(this.#addressForm(address ?? ""), cancel);
      this.body.querySelector("input").select();
    };
    return h("button", { class: "button", type: "button", id: `change-${this.channel}`, onclick: change }, "Change");
  }

  #addressForm(value) {
    const { channel } = this;
    const isMail = channel === "email";
    const own = isMail ? this.net.account?.email ?? "" : "";
    const field = makeField(isMail ? {
      name: "email-address", label: "Email address", type: "email", autocomplete: "email", inputmode: "email", value: value || own,
      hint: confirmHint,
    } : {
      name: "text-address", label: "Phone number, with its country", type: "tel", autocomplete: "tel", inputmode: "tel", value,
      placeholder: "+65 9123 4567", hint: confirmHint,
    });
    const send = (text) => {
      const address = isMail ? text : plainNumber(text);
      // Without an address it is that of the account.
      const isOwn = address === "" || (isMail && address === own);
      return this.net.request("reminders.setAddress", { channel, ...(!isOwn && { address }) });
    };
    return this.#form({ id: `address-${channel}`, field, label: "Send me a code", check: (text) => addressProblem(channel, text), send });
  }

  #codeForm() {
    const { channel } = this;
    const field = makeField({
      name: `${channel}-code`, label: "The code that came", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 6,
      hint: "Six digits. It may take a minute to come; look among the spam, too.",
    });
    const send = (code) => this.net.request("reminders.confirm", { channel, code });
    return this.#form({ id: `code-${channel}`, field, label: "Confirm", check: codeProblem, send });
  }

  /** A form of one field. `check(value)` gives a problem or null; `send(value)` gives the settings, or throws. */
  #form({ id, field, label, check, send }) {
    const submit = h("button", { class: "button primary", type: "submit" }, label);
    return h("form", { class: "stack tight", id, novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      const value = field.input.value.trim();
      const problem = check(value);
      field.setProblem(problem);
      if (problem) {
        field.input.focus();
        return;
      }
      submit.disabled = true;
      await this.#send(field, () => send(value));
      submit.disabled = false;
    } }, field.element, h("div", { class: "row" }, submit));
  }

  async #send(field, work) {
    try {
      const settings = await work();
      /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
      this.take(settings);
      this.element.querySelector("input, button")?.focus({ preventScroll: true });
    } catch (error) {
      field.setProblem(messageWithWait(error));
      field.input.focus();
    }
  }
}

function deadNote(address, reason) {
  return h("p", { class: "notice bad", role: "alert" }, icon("warning"),
    h("span", {}, h("strong", {}, `${address ?? "This address"} does not take what we send. `), reason ?? "",
      " Check it and confirm it again, or use another one."));
}
