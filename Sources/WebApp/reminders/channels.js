// The ways by which reminders come: this browser and others, email, text messages.

import { confirmDialog, h, toast } from "../kit/dom.js";
import { count, dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { currentSubscription, pushPermission, subscribePush, unsubscribePush } from "./push.js";
import { addressProblem, codeProblem, plainNumber } from "./words.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";

const permissionNotes = {
  unsupported: "This browser cannot be reached while Campanile is closed. On an iPhone or iPad, add Campanile to the home screen first, and open it from there.",
  insecure: "Browsers are reached only from pages with https. Ask who runs this server.",
  denied: "The browser is set to show no notifications of Campanile. Allow them in its settings for this site (mostly behind the sign before the address), then come back.",
};
const unavailable = { push: "Reminders in browsers are not set up on this server.", email: "Mails are not set up on this server.", text: "Text messages are not set up on this server." };
const names = { push: "Browser", email: "Email", text: "Text message" };
const icons = { push: "bell", email: "mail", text: "phone" };

/** `{element, draw(settings), close}`; `taken(settings)` gets what the server says after each change. */
export function makeChannelCards({ app, taken }) {
  const { net } = app;
  const cards = { push: makeCard("push"), email: makeCard("email"), text: makeCard("text") };
  const element = h("section", { class: "stack", id: "channels", "aria-labelledby": "channels-title" }, h("h2", { id: "channels-title" }, "Where to reach you"), ...Object.values(cards).map((card) => card.element));
  let own = null;
  let closed = false;
  let settings = null;

  function makeCard(channel) {
    const saved = makeSaved();
    const state = h("span", { class: "event-tag" });
    const body = h("div", { class: "stack" });
    return { channel, saved, state, body, element: h("section", { class: "card stack channel", id: `channel-${channel}`, "aria-labelledby": `channel-${channel}-title` },
      h("div", { class: "channel-head" }, icon(icons[channel]), h("h3", { id: `channel-${channel}-title` }, names[channel]), state), body, saved.element) };
  }

  function draw(next) {
    settings = next;
    for (const one of settings.channels) if (cards[one.channel]) drawCard(cards[one.channel], one);
  }

  function drawCard(card, channel) {
    const isNoneHere = channel.channel === "push" && channel.state === "off";
    const [tone, words] = { unavailable: ["", "Not available"], off: ["", isNoneHere ? "No browser" : "Off"], unconfirmed: ["warn", "Not confirmed"], on: ["good", "On"], dead: ["bad", "Does not work"] }[channel.state] ?? ["", channel.state];
    card.state.className = `event-tag ${tone}`;
    card.state.textContent = words;
    card.element.dataset.state = channel.state;
    if (channel.state === "unavailable") {
      card.body.replaceChildren(h("p", { class: "muted" }, unavailable[channel.channel]));
      return;
    }
    // What is being typed stays.
    if (card.body.contains(document.activeElement) && document.activeElement.matches("input") && card.shownState === channel.state) return;
    card.shownState = channel.state;
    card.body.replaceChildren(...(channel.channel === "push" ? pushParts(card, channel) : addressParts(card, channel)));
  }

  /** Does it, says so, and shows what the server says then. */
  async function change(card, work) {
    const result = await card.saved.run(work);
    if (result && !closed) taken(result);
    return result !== null;
  }

  async function test(card) {
    const { channel } = card;
    card.saved.say("Sending…", "saving");
    try {
      const { sending } = await net.request("reminders.test", { channel });
      card.saved.say(sending === 0 ? "There is nowhere to send it." : `A trial is on its way to ${channel === "push" ? count(sending, "browser") : count(sending, "address", "addresses")}.`, sending === 0 ? "bad" : "saved");
    } catch (error) {
      const wait = error.data?.retryAfter > 0 ? ` Try again in ${Math.ceil(error.data.retryAfter)} s.` : "";
      card.saved.say(`${error.message}${wait}`, "bad");
    }
  }

  const testButton = (card) => h("button", { class: "button", type: "button", id: `test-${card.channel}`, onclick: () => test(card) }, icon("send"), "Send a trial");

  // MARK: browsers

  function pushParts(card, { state, browsers = [] }) {
    const permission = pushPermission();
    const isOwnListed = own !== null && browsers.some(({ endpoint }) => endpoint === own);
    const here = permissionNotes[permission]
      ? h("p", { class: "notice warn", id: "push-permission" }, icon("warning"), h("span", {}, permissionNotes[permission]))
      : isOwnListed
        ? h("p", { class: "notice good", id: "push-here" }, icon("tick"), h("span", {}, "This browser is reminded, also while Campanile is closed."))
        : h("div", { class: "stack tight" }, h("p", { class: "muted" }, permission === "granted" ? "This browser may show notifications, but is not reminded of this account." : "This browser is not reminded yet. It asks you whether Campanile may show notifications."),
          h("button", { class: "button primary", type: "button", id: "push-on", onclick: async (event) => {
            event.currentTarget.disabled = true;
            await change(card, () => subscribePush(net));
            await findOwn();
          } }, icon("bell"), "Remind me in this browser"));
    const list = browsers.length === 0 ? null : h("ul", { class: "rows", id: "push-browsers" }, ...browsers.map((browser) => h("li", { class: "row-item", dataset: { endpoint: browser.endpoint } }, icon("devices"),
      h("div", { class: "grow" }, h("strong", {}, browser.client ?? "A browser"), browser.endpoint === own ? h("span", { class: "tag" }, "this one") : null,
        h("p", { class: "muted small" }, browser.state === "dead" ? "Does not take reminders any more: remove it, and switch it on anew there." : `Since ${dayText(browser.since)}`)),
      h("button", { class: "button quiet", type: "button", "aria-label": `Remove ${browser.client ?? "this browser"}`, onclick: async () => {
        if (await change(card, () => unsubscribePush(net, browser.endpoint))) toast("That browser is not reminded any more.");
        await findOwn();
      } }, "Remove"))));
    return [here, list, state === "on" ? h("div", { class: "row" }, testButton(card)) : null].filter(Boolean);
  }

  async function findOwn() {
    own = (await currentSubscription())?.endpoint ?? null;
    if (!closed && settings) draw(settings);
  }

  // MARK: addresses

  function addressParts(card, { channel, state, address, reason }) {
    if (state === "off") return [addressForm(card, "")];
    const shown = h("p", {}, state === "on" ? "Reminders go to " : "The address is ", h("strong", { class: "channel-address" }, address ?? "your account's address"), ".");
    const remove = h("button", { class: "button quiet", type: "button", id: `remove-${channel}`, onclick: async () => {
      const sure = await confirmDialog({ id: "remove-address", title: channel === "email" ? "No more mails?" : "No more text messages?", text: `Nothing goes to ${address ?? "this address"} any more. To have it again it has to be confirmed anew.`, confirm: "Remove it" });
      if (sure) change(card, () => net.request("reminders.removeAddress", { channel }));
    } }, "Remove");
    if (state === "on") return [shown, h("div", { class: "row" }, testButton(card), changeButton(card, address), remove)];
    if (state === "dead") {
      return [h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, h("strong", {}, `${address ?? "This address"} does not take what we send. `), reason ?? "", " Check it and confirm it again, or use another one.")), addressForm(card, address ?? ""), h("div", { class: "row" }, remove)];
    }
    return [shown, codeForm(card, channel), h("div", { class: "row" },
      h("button", { class: "button", type: "button", id: `resend-${channel}`, onclick: () => change(card, () => net.request("reminders.setAddress", { channel, ...(address && { address }) })) }, "Send a new code"), changeButton(card, address), remove)];
  }

  function changeButton(card, address) {
    return h("button", { class: "button", type: "button", id: `change-${card.channel}`, onclick: () => {
      card.body.replaceChildren(addressForm(card, address ?? ""), h("button", { class: "button", type: "button", onclick: () => {
        card.shownState = null;
        draw(settings);
      } }, "Cancel"));
      card.body.querySelector("input").select();
    } }, "Change");
  }

  /** A form of one field; `send(value)` gives the settings, or throws. */
  function oneField(card, { id, field, label, check, send }) {
    const submit = h("button", { class: "button primary", type: "submit" }, label);
    return h("form", { class: "stack tight", id, novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      const value = field.input.value.trim();
      const wrong = check(value);
      field.setProblem(wrong);
      if (wrong) return field.input.focus();
      submit.disabled = true;
      try {
        const result = await send(value);
        document.activeElement?.blur();
        card.saved.say("", "");
        taken(result);
        card.element.querySelector("input, button")?.focus({ preventScroll: true });
      } catch (error) {
        field.setProblem(error.data?.retryAfter > 0 ? `${error.message} Try again in ${Math.ceil(error.data.retryAfter)} s.` : error.message);
        field.input.focus();
      }
      submit.disabled = false;
      return undefined;
    } }, field.element, h("div", { class: "row" }, submit));
  }

  function addressForm(card, value) {
    const { channel } = card;
    const isMail = channel === "email";
    const own = isMail ? net.account?.email ?? "" : "";
    const field = makeField(isMail
      ? { name: "email-address", label: "Email address", type: "email", autocomplete: "email", inputmode: "email", value: value || own, hint: "A code is sent there, to be sure that it is yours." }
      : { name: "text-address", label: "Phone number, with its country", type: "tel", autocomplete: "tel", inputmode: "tel", value, placeholder: "+65 9123 4567", hint: "A code is sent there, to be sure that it is yours." });
    return oneField(card, { id: `address-${channel}`, field, label: "Send me a code", check: (text) => addressProblem(channel, text), send: (text) => {
      const address = isMail ? text : plainNumber(text);
      // None is the account's: it need not be sent about.
      return net.request("reminders.setAddress", { channel, ...(address !== "" && !(isMail && address === own) && { address }) });
    } });
  }

  function codeForm(card, channel) {
    const field = makeField({ name: `${channel}-code`, label: "The code that came", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 6, hint: "Six digits. It may take a minute to come; look among the spam, too." });
    return oneField(card, { id: `code-${channel}`, field, label: "Confirm", check: codeProblem, send: (code) => net.request("reminders.confirm", { channel, code }) });
  }

  findOwn();
  const returned = () => { if (document.visibilityState === "visible") findOwn(); };
  document.addEventListener("visibilitychange", returned);
  return {
    element, draw,
    close() {
      closed = true;
      document.removeEventListener("visibilitychange", returned);
    },
  };
}
