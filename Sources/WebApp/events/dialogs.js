// Dialogs about an event: invitation, cancellation, hand-over.

import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { count, dayText } from "../kit/format.js";
import { characters } from "../kit/choices.js";
import { avatar, groupMark } from "../kit/person.js";
import { openDialog } from "../kit/dialog.js";

const accountsAtOnceMax = 100;
const groupsAtOnceMax = 10;
const reasonCharactersMax = 500;

/** Choose buddies and groups; `invited` is called when some were. `people` are those who have to do with the event already. */
export function openInvite({ app, scope, event, people = [], invited }) {
  const { net, chat } = app;
  const known = new Set(people.map(({ person }) => person.account));
  const chosen = { accounts: new Set(), groups: new Set() };
  const status = h("p", { class: "muted", role: "status" }, "Loading your buddies…");
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { class: "button primary", type: "submit", id: "invite-submit" }, "Invite");
  const choice = (set, id, most, mark, name, hint = null) => h("li", {}, h("label", { class: "choice" }, mark, h("span", { class: "grow" }, name, hint ? h("span", { class: "hint" }, hint) : null),
    h("input", { type: "checkbox", value: id, onchange: ({ currentTarget: box }) => {
      if (box.checked && set.size >= most) box.checked = false;
      else if (box.checked) set.add(id);
      else set.delete(id);
      problem.textContent = "";
      const number = chosen.accounts.size + chosen.groups.size;
      submit.textContent = number > 0 ? `Invite (${number})` : "Invite";
    } })));
  const buddyList = h("ul", { class: "picker", id: "invite-buddies" });
  const groupList = h("ul", { class: "picker", id: "invite-groups" });
  const groupField = h("fieldset", { class: "choices", hidden: true }, h("legend", { class: "legend" }, "Groups"), groupList);

  const groups = chat.inbox.ordered.filter(({ kind, state }) => kind === "group" && state !== "invited");
  const actions = h("div", { class: "row dialog-actions" }, submit);

  /** There is nobody to choose: what one can do instead. */
  function drawNobody(hasBuddies) {
    form.querySelector("legend").hidden = true;
    status.append(hasBuddies ? " Others can come by the event's link." : " Find people who train like you, or send the event's link to those you know.");
    actions.replaceChildren(h("button", { class: "button", type: "button", id: "share-instead", onclick: () => {
      dialog.close();
      shareEvent(event);
    } }, "Share the link"), h("a", { class: "button primary", href: "/buddies", id: "find-buddies", onclick: () => dialog.close() }, "Find buddies"));
  }

  net.request("buddies.list").then(({ buddies }) => {
    const open = buddies.map(({ person }) => person).filter(({ account }) => !known.has(account));
    status.textContent = open.length > 0 ? "" : buddies.length > 0 ? "All of your buddies are invited already, or have answered." : "You have no buddies yet.";
    status.hidden = open.length > 0;
    if (open.length === 0 && groups.length === 0) drawNobody(buddies.length > 0);
    buddyList.append(...open.map((person) => choice(chosen.accounts, person.account, accountsAtOnceMax, avatar(scope, person, { size: 36 }), person.name)));
  }, (error) => { status.textContent = error.message; });
  groupField.hidden = groups.length === 0;
  groupList.append(...groups.map(({ id, name }) => choice(chosen.groups, id, groupsAtOnceMax, groupMark({ size: 36 }), name, "Everybody who is in it now")));

  const form = h("form", { class: "stack", novalidate: true, onsubmit: async (submitted) => {
    submitted.preventDefault();
    problem.textContent = chosen.accounts.size + chosen.groups.size === 0 ? "Choose at least one." : "";
    if (problem.textContent) return;
    submit.disabled = true;
    try {
      const { invited: number } = await net.request("events.invite", { event: event.id, ...(chosen.accounts.size > 0 && { accounts: [...chosen.accounts] }), ...(chosen.groups.size > 0 && { groups: [...chosen.groups] }) });
      dialog.close();
      toast(number === 0 ? "Nobody was invited." : number === 1 ? "1 person is invited." : `${count(number, "person", "people")} are invited.`);
      invited();
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  } }, h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Buddies"), status, buddyList), groupField, problem, actions);
  const dialog = openDialog({ id: "invite-people", title: "Invite", content: form });
}

/** Asks whether and why; resolves to the reason (perhaps empty), or null when the event stays. */
export function askCancel(event) {
  return new Promise((resolve) => {
    let reason = null;
    const field = h("textarea", { class: "input", id: "cancel-reason", rows: "3", "aria-describedby": "cancel-reason-problem" });
    const problem = h("p", { class: "problem", id: "cancel-reason-problem", role: "alert" });
    const told = event.going + event.maybe + event.waiting;
    const form = h("form", { class: "stack", novalidate: true, onsubmit: (submitted) => {
      submitted.preventDefault();
      if (characters(field.value.trim()) > reasonCharactersMax) {
        problem.textContent = `At most ${reasonCharactersMax} characters.`;
        field.focus();
        return;
      }
      reason = field.value.trim();
      dialog.close();
    } },
    h("p", { class: "muted" }, `${told > 0 ? `${count(told, "person", "people")} answered. ` : ""}Everybody who has to do with it is told. It stays in the list as cancelled. This cannot be undone.`),
    h("div", { class: "field" }, h("label", { for: "cancel-reason" }, "Why? (if you want to say)"), field, problem),
    h("div", { class: "row dialog-actions" }, h("button", { class: "button", type: "button", dataset: { answer: "no" }, onclick: () => dialog.close() }, "Keep the event"), h("button", { class: "button danger", type: "submit", dataset: { answer: "yes" } }, "Cancel the event")));
    const dialog = openDialog({ id: "cancel-event-dialog", title: "Cancel this event?", content: form });
    dialog.addEventListener("close", () => resolve(reason));
  });
}

/** Asks before a draft goes. */
export function askDelete(event) {
  return confirmDialog({ id: "delete-event-dialog", title: "Delete this draft?", text: `“${event.details.title}” goes for good. Nobody else has seen it.`, confirm: "Delete", danger: true });
}

/** Passes the event's address on: with the device's own sheet, or into the clipboard. */
export async function shareEvent(event) {
  const url = new URL(`/events/${event.id}`, location.origin).href;
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    try {
      return await navigator.share({ title: event.details.title, url });
    } catch (error) {
      if (error.name === "AbortError") return undefined;
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    toast("Link copied");
    announce("Link copied.");
  } catch {
    const field = h("input", { class: "input", id: "event-url", readonly: true, value: url, "aria-label": "The event's link", onfocus: ({ target }) => target.select() });
    openDialog({ id: "share-event", title: "The event's link", content: h("div", { class: "stack" }, field, h("p", { class: "hint" }, "The browser did not allow copying: copy it by hand.")) });
    field.focus();
  }
  return undefined;
}

/** Gets the calendar file as the one who is signed in, and saves it. */
export async function saveCalendar(event, { net }) {
  try {
    const reply = await fetch(`/events/${event.id}.ics`, { headers: net.token ? { Authorization: `Bearer ${net.token}` } : {} });
    if (!reply.ok || !reply.headers.get("Content-Type")?.startsWith("text/calendar")) throw new Error(reply.status === 429 ? "Too many at once. Try again in a minute." : "The calendar file could not be made. Try again later.");
    const url = URL.createObjectURL(await reply.blob());
    const link = h("a", { href: url, download: `event-${event.id}.ics` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    toast("Open the file to put the event into your calendar.");
  } catch (error) {
    toast(error instanceof TypeError ? "There is no connection. Try again when the network is back." : error.message);
  }
}


/** One's own events in a calendar program, by a secret address. */
export function openCalendar({ net }) {
  const problem = h("p", { class: "problem", role: "alert" });
  const made = h("div", { class: "stack", hidden: true });
  const run = async (button, work) => {
    problem.textContent = "";
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      problem.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  };
  const make = h("button", { class: "button primary", type: "button", id: "make-calendar", onclick: () => run(make, async () => {
    const { path } = await net.request("events.calendar");
    off.hidden = false;
    const field = h("input", { class: "input", id: "calendar-url", readonly: true, value: new URL(path, location.origin).href, "aria-label": "The address of your calendar", onfocus: ({ target }) => target.select() });
    const copy = h("button", { class: "button", type: "button", id: "copy-calendar", onclick: async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        announce("Copied.");
        copy.textContent = "Copied";
      } catch {
        problem.textContent = "The browser did not allow copying. The address is selected: copy it by hand.";
      }
    } }, "Copy");
    made.hidden = false;
    made.replaceChildren(h("p", {}, h("strong", {}, "Copy it now: "), "it is shown only once. In your calendar program, add a calendar “by address” or “from the internet”."), h("div", { class: "copy-row" }, field, copy));
    state.hidden = true;
    make.textContent = "Make another one";
    field.focus();
  }) }, "Make an address");
  const off = h("button", { class: "button", type: "button", id: "calendar-off", hidden: true, onclick: () => run(off, async () => {
    const { wasOn } = await net.request("events.calendarOff");
    made.hidden = true;
    made.replaceChildren();
    setMade(null);
    toast(wasOn ? "The address stopped." : "There was no address.");
  }) }, "Stop the address");
  const state = h("p", { class: "hint", role: "status", hidden: true });
  /** Since when there is one, or null. */
  function setMade(since) {
    off.hidden = since === null;
    state.hidden = since === null;
    state.textContent = since === null ? "" : `You have an address since ${dayText(since)}. It is not shown again: make another one if you do not have it any more.`;
    make.textContent = since === null ? "Make an address" : "Make another one";
  }
  // Without an answer both are there: to stop what is not there does no harm.
  net.request("events.calendar", { make: false }).then(({ since = null }) => { if (made.hidden) setMade(since); }, () => { off.hidden = false; });
  openDialog({ id: "my-calendar-dialog", title: "My events in my calendar", content: h("div", { class: "stack" },
    h("p", { class: "muted" }, "Your calendar program can follow what you go to, perhaps go to, and made, by a secret address. Whoever has it can read them, nothing else. Making another one stops the one before."),
    state, made, problem, h("div", { class: "row dialog-actions" }, off, make)) });
}
