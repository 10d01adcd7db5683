// Mute, report, block, remove: a dialog each, in plain words.

import { attempt, confirmThen, openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../client/uuid.js";
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
      problem.textContent = "Choose a reason.";
      return;
    }
    submit.disabled = true;
    problem.textContent = "";
    try {
      await net.request("safety.report", params(reason));
      dialog.close();
      toast("Thank you. An admin will review your report.");
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  } },
  h("p", { class: "muted" }, reportText({ name, conversation, message, event }), ` ${name} won't be told.`),
  reasonChoices(),
  h("div", { class: "field" }, h("label", { for: "report-note" }, "Details (optional)"), note), problem,
  h("div", { class: "row dialog-actions" }, submit));
  const dialog = openDialog({ id: "report", title: `Report ${name}`, content: form });
}

/** The sentence about what the admins get. */
function reportText({ name, conversation, message, event }) {
  if (event) return "Admins will review this event and its host.";
  if (message) return "Admins will see this message and its earlier versions.";
  if (conversation) return `Admins will see ${name}'s latest messages here.`;
  return "Admins will see what you write and who it's about.";
}

function reasonChoices() {
  const choice = ([value, label]) => h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value }), label);
  return h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "What is wrong?"), ...reasons.map(choice));
}

/** Asks, then blocks. Returns whether it was done. */
export function block({ net, account, name }) {
  const text = `You and ${name} won't see or reach each other anywhere: chats, suggestions, maps, shares and location requests. `
    + `You'll no longer be buddies, and your chat ends. ${name} won't be told. You can unblock them in chat settings.`;
  return confirmThen({ id: "block-dialog", title: `Block ${name}?`, confirm: "Block", danger: true, text },
    () => net.writes.write("safety.block", { account }, { name }), `${name} blocked.`);
}

/** Asks, then removes a buddy on both sides. Returns whether it was done. */
export function removeBuddy({ net, account, name }) {
  const text = `You'll no longer be buddies. Your chat ends, and so does any location you share with each other. `
    + "This can't be undone.";
  return confirmThen({ id: "remove-dialog", title: `Remove ${name}?`, confirm: "Remove buddy", danger: true, text },
    () => net.writes.write("buddies.remove", { account }), `${name} removed from your buddies.`);
}

/** Asks for how long a conversation is muted. */
export function openMute({ net, chat, id, name, isMuted }) {
  const choose = async (seconds, done) => {
    dialog.close();
    const params = { conversation: id, ...(seconds !== null && { seconds }) };
    if (await attempt(() => net.writes.write("chat.mute", params), done)) chat.refresh(id);
  };
  const choice = (label, seconds, done) => h("button", {
    class: "menu-item", type: "button", dataset: { seconds: seconds ?? "always" }, onclick: () => choose(seconds, done),
  }, icon(seconds === 0 ? "bell" : "mute"), label);
  const dialog = openDialog({ id: "mute", title: `Mute ${name}`, content: h("div", { class: "stack" },
    h("p", { class: "muted" }, "You'll still get messages, without notifications. Nobody is told."),
    h("div", {},
      isMuted ? choice("Unmute", 0, "Unmuted.") : null,
      choice("For 1 hour", 3_600, "Muted for 1 hour."), choice("For 8 hours", 28_800, "Muted for 8 hours."),
      choice("Until I unmute it", null, "Muted."))) });
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
