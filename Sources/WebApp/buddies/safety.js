// Mute, report, block, remove: a dialog each, in plain words.

import { attempt, confirmThen, openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../kit/uuid.js";
import { makeBuddyCard } from "./card.js";

const noteCharactersMax = 1_000;
const reasons = [
  ["spam", "Spam or advertising"], ["harassment", "Harassment or insults"], ["unsafe", "I feel unsafe"],
  ["fake", "Not who they say they are"], ["other", "Something else"],
];

/** Opens a report about a person; `message` or `event` is its subject, if there is one. */
export function openReport({ net, account, name, conversation = null, message = null, event = null }) {
  // The same report, however often the request is sent.
  const id = uuid();
  const problem = h("p", { class: "problem", role: "alert" });
  const note = h("textarea", { class: "input", id: "report-note", rows: "3", maxlength: noteCharactersMax });
  const submit = h("button", { class: "button primary", type: "submit", id: "send-report" }, "Send report");
  const params = (reason) => {
    const text = note.value.trim();
    return {
      id, account, reason, ...(text && { note: text }), ...(conversation && { conversation }), ...(message && { messages: [message] }),
      ...(event && { event }),
    };
  };
  const form = h("form", { class: "stack", onsubmit: async (submitted) => {
    submitted.preventDefault();
    const reason = form.querySelector("input[name=reason]:checked")?.value;
    if (!reason) {
      problem.textContent = "Please choose a reason.";
      return;
    }
    submit.disabled = true;
    problem.textContent = "";
    try {
      await net.request("safety.report", params(reason));
      dialog.close();
      toast("Thank you. The admins look at your report.");
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  } },
  h("p", { class: "muted" }, reportText({ name, conversation, message, event }), ` ${name} is not told.`),
  reasonChoices(),
  h("div", { class: "field" }, h("label", { for: "report-note" }, "Do you want to add something?"), note), problem,
  h("div", { class: "row dialog-actions" }, submit));
  const dialog = openDialog({ id: "report", title: `Report ${name}`, content: form });
}

/** The sentence about what the admins get. */
function reportText({ name, conversation, message, event }) {
  if (event) return "The admins look at this event and at who made it.";
  if (message) return "The admins get this message, with what it said before it was changed.";
  if (conversation) return `The admins get the newest messages of ${name} here.`;
  return "The admins get what you write here, and who it is about: say what happened.";
}

function reasonChoices() {
  const choice = ([value, label]) => h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value }), label);
  return h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "What is wrong?"), ...reasons.map(choice));
}

/** Asks, then blocks. Returns whether it was done. */
export function block({ net, account, name }) {
  const text = `You and ${name} no longer see or reach each other: no messages, no suggestions, nothing on the map, no shares and no `
    + `questions. If you are buddies, that ends, and so does your chat. ${name} is not told. You can unblock in the chat settings.`;
  return confirmThen({ id: "block-dialog", title: `Block ${name}?`, confirm: "Block", danger: true, text },
    () => net.request("safety.block", { account }), `${name} is blocked.`);
}

/** Asks, then removes a buddy on both sides. Returns whether it was done. */
export function removeBuddy({ net, account, name }) {
  const text = `You and ${name} are not buddies any more. Your chat ends, and so does what you share with each other: live locations, and `
    + "answers that nobody has read yet. This cannot be undone.";
  return confirmThen({ id: "remove-dialog", title: `Remove ${name}?`, confirm: "Remove buddy", danger: true, text },
    () => net.request("buddies.remove", { account }), `${name} is no buddy of yours any more.`);
}

/** Asks for how long a conversation is muted. */
export function openMute({ net, chat, id, name, isMuted }) {
  const choose = async (seconds, done) => {
    dialog.close();
    const params = { conversation: id, ...(seconds !== null && { seconds }) };
    if (await attempt(() => net.request("chat.mute", params), done)) chat.refresh(id);
  };
  const choice = (label, seconds, done) => h("button", {
    class: "menu-item", type: "button", dataset: { seconds: seconds ?? "always" }, onclick: () => choose(seconds, done),
  }, icon(seconds === 0 ? "bell" : "mute"), label);
  const dialog = openDialog({ id: "mute", title: `Mute ${name}`, content: h("div", { class: "stack" },
    h("p", { class: "muted" }, "Messages still come and are counted; nothing pops up. Nobody is told."),
    h("div", {},
      isMuted ? choice("Not any more", 0, "You hear of new messages again.") : null,
      choice("For 1 hour", 3_600, "Muted for 1 hour."), choice("For 8 hours", 28_800, "Muted for 8 hours."),
      choice("For good", null, "Muted."))) });
}

/** Shows a buddy's card. */
export async function openCard({ net, scope, account }) {
  try {
    const [options, { card }] = await Promise.all([net.request("buddies.options"), net.request("buddies.card", { account })]);
    const content = makeBuddyCard(card, options, scope, { headingTag: "h3" });
    openDialog({ id: "card", title: "Buddy", className: "card-dialog", content });
  } catch (error) {
    toast(error.message);
  }
}
