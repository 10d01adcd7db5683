// Events in the person's calendar: the file of one event, and the secret address of all.

import { openDialog } from "../kit/dialog.js";
import { announce, h, toast } from "../kit/dom.js";
import { dayText } from "../kit/format.js";

const addressLifeMilliseconds = 60_000;

/** Gets the calendar file of an event with the rights of the account that is signed in, and saves it. */
export async function saveCalendar(event, { net }) {
  try {
    const reply = await fetch(`/events/${event.id}.ics`, { headers: net.token ? { Authorization: `Bearer ${net.token}` } : {} });
    const isCalendar = reply.ok && reply.headers.get("Content-Type")?.startsWith("text/calendar");
    if (!isCalendar) throw new Error(failureText(reply.status));
    const url = URL.createObjectURL(await reply.blob());
    const link = h("a", { href: url, download: `event-${event.id}.ics` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), addressLifeMilliseconds);
    toast("Open the file to put the event into your calendar.");
  } catch (error) {
    toast(error instanceof TypeError ? "There is no connection. Try again when the network is back." : error.message);
  }
}

function failureText(status) {
  return status === 429 ? "Too many at once. Try again in a minute." : "The calendar file could not be made. Try again later.";
}

/** Opens the dialog for the secret address by which a calendar program follows the account's events. */
export function openCalendar({ net }) {
  new CalendarDialog(net).open();
}

class CalendarDialog {
  #net;
  #problem = h("p", { class: "problem", role: "alert" });
  #state = h("p", { class: "hint", role: "status", hidden: true });
  #address = h("div", { class: "stack", hidden: true });
  #make = h("button", {
    class: "button primary", type: "button", id: "make-calendar", onclick: () => this.#run(this.#make, () => this.#makeAddress()),
  }, "Make an address");
  #stop = h("button", {
    class: "button", type: "button", id: "calendar-off", hidden: true, onclick: () => this.#run(this.#stop, () => this.#stopAddress()),
  }, "Stop the address");

  constructor(net) {
    this.#net = net;
  }

  open() {
    this.#load();
    openDialog({ id: "my-calendar-dialog", title: "My events in my calendar", content: h("div", { class: "stack" },
      h("p", { class: "muted" }, "Your calendar program can follow what you go to, perhaps go to, and made, by a secret address. "
        + "Whoever has it can read them, nothing else. Making another one stops the one before."),
      this.#state, this.#address, this.#problem, h("div", { class: "row dialog-actions" }, this.#stop, this.#make)) });
  }

  async #load() {
    try {
      const { since = null } = await this.#net.request("events.calendar", { make: false });
      if (this.#address.hidden) this.#setSince(since);
    } catch {
      // Both buttons are offered: stopping an address that does not exist does no harm.
      this.#stop.hidden = false;
    }
  }

  async #run(button, work) {
    this.#problem.textContent = "";
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      this.#problem.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  }

  async #makeAddress() {
    const { path } = await this.#net.request("events.calendar");
    const field = h("input", {
      class: "input", id: "calendar-url", readonly: true, value: new URL(path, location.origin).href,
      "aria-label": "The address of your calendar", onfocus: ({ target }) => target.select(),
    });
    this.#stop.hidden = false;
    this.#address.hidden = false;
    this.#address.replaceChildren(h("p", {}, h("strong", {}, "Copy it now: "),
      "it is shown only once. In your calendar program, add a calendar “by address” or “from the internet”."),
    h("div", { class: "copy-row" }, field, this.#copyButton(field)));
    this.#state.hidden = true;
    this.#make.textContent = "Make another one";
    field.focus();
  }

  #copyButton(field) {
    const copy = h("button", { class: "button", type: "button", id: "copy-calendar", onclick: async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        announce("Copied.");
        copy.textContent = "Copied";
      } catch {
        this.#problem.textContent = "The browser did not allow copying. The address is selected: copy it by hand.";
      }
    } }, "Copy");
    return copy;
  }

  async #stopAddress() {
    const { wasOn } = await this.#net.request("events.calendarOff");
    this.#address.hidden = true;
    this.#address.replaceChildren();
    this.#setSince(null);
    toast(wasOn ? "The address stopped." : "There was no address.");
  }

  /** `since` is the time when the address was made, or null without one. */
  #setSince(since) {
    this.#stop.hidden = since === null;
    this.#state.hidden = since === null;
    this.#state.textContent = since === null
      ? ""
      : `You have an address since ${dayText(since)}. It is not shown again: make another one if you do not have it any more.`;
    this.#make.textContent = since === null ? "Make an address" : "Make another one";
  }
}
