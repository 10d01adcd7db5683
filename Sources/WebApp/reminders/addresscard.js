// Reminders to an address, by email or text message: it is given, confirmed by a code, changed and removed.

import { confirmDialog, h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { ChannelCard, messageWithWait } from "./channelcard.js";
import { addressProblem, codeProblem, plainNumber } from "./words.js";

const confirmHint = "We'll send a code to confirm it's yours.";

/** The card of `email` or `text`. */
export class AddressCard extends ChannelCard {
  contents({ state, address, reason }) {
    if (state === "off") return [this.#addressForm("")];
    if (state === "dead") {
      return [deadNote(address, reason), this.#addressForm(address ?? ""), h("div", { class: "row" }, this.#removeButton(address))];
    }
    const shown = h("p", {}, state === "on" ? "Reminders go to " : "Address: ",
      h("strong", { class: "channel-address" }, address ?? "your account's email"), ".");
    const others = [this.#changeButton(address), this.#removeButton(address)];
    if (state === "on") return [shown, h("div", { class: "row" }, this.testButton(), ...others)];
    return [shown, this.#codeForm(), h("div", { class: "row" }, this.#resendButton(address), ...others)];
  }

  #removeButton(address) {
    const remove = async () => {
      const sure = await confirmDialog({
        id: "remove-address", title: this.channel === "email" ? "Stop emails?" : "Stop text messages?", confirm: "Remove",
        text: `We'll no longer send reminders to ${address ?? "this address"}. To use it again, you'll have to confirm it again.`,
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
      name: "text-address", label: "Phone number with country code", type: "tel", autocomplete: "tel", inputmode: "tel", value,
      placeholder: "+65 9123 4567", hint: confirmHint,
    });
    const send = (text) => {
      const address = isMail ? text : plainNumber(text);
      // Without an address it is that of the account.
      const isOwn = address === "" || (isMail && address === own);
      return this.net.request("reminders.setAddress", { channel, ...(!isOwn && { address }) });
    };
    return this.#form({ id: `address-${channel}`, field, label: "Send code", check: (text) => addressProblem(channel, text), send });
  }

  #codeForm() {
    const { channel } = this;
    const field = makeField({
      name: `${channel}-code`, label: "Code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 6,
      hint: "Six digits. It may take a minute. Check your spam folder, too.",
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
    h("span", {}, h("strong", {}, `We can't reach ${address ?? "this address"}. `), reason ?? "",
      " Check it and confirm it again, or use another one."));
}
