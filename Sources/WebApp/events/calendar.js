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
    toast("Open the file to add the event to your calendar.");
  } catch (error) {
    toast(error instanceof TypeError ? "You're offline. Try again when you're back online." : error.message);
  }
}

function failureText(status) {
  return status === 429 ? "Too many tries. Try again in a minute." : "Couldn't create the calendar file. Try again later.";
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
  }, "Create link");
  #stop = h("button", {
    class: "button", type: "button", id: "calendar-off", hidden: true, onclick: () => this.#run(this.#stop, () => this.#stopAddress()),
  }, "Delete link");

  constructor(net) {
    this.#net = net;
  }

  open() {
    this.#load();
    openDialog({ id: "my-calendar-dialog", title: "Calendar link", content: h("div", { class: "stack" },
      h("p", { class: "muted" }, "Add this private link to your calendar app to see events you host, are going to or might go to. "
        + "Anyone with the link can see them. Creating a new link stops the old one."),
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
      "aria-label": "Your calendar link", onfocus: ({ target }) => target.select(),
    });
    this.#stop.hidden = false;
    this.#address.hidden = false;
    this.#address.replaceChildren(h("p", {}, h("strong", {}, "Copy it now: "),
      "you won't see it again. In your calendar app, add a calendar “by URL” or “from the internet”."),
    h("div", { class: "copy-row" }, field, this.#copyButton(field)));
    this.#state.hidden = true;
    this.#make.textContent = "Create new link";
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
        this.#problem.textContent = "Couldn't copy. The link is selected, so you can copy it yourself.";
      }
    } }, "Copy");
    return copy;
  }

  async #stopAddress() {
    const { wasOn } = await this.#net.request("events.calendarOff");
    this.#address.hidden = true;
    this.#address.replaceChildren();
    this.#setSince(null);
    toast(wasOn ? "Calendar link deleted." : "There was no calendar link.");
  }

  /** `since` is the time when the address was made, or null without one. */
  #setSince(since) {
    this.#stop.hidden = since === null;
    this.#state.hidden = since === null;
    this.#state.textContent = since === null
      ? ""
      : `You created a link on ${dayText(since)}. If you no longer have it, create a new one.`;
    this.#make.textContent = since === null ? "Create link" : "Create new link";
  }
}
