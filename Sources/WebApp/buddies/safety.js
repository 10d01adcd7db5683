// Mute, report, block, remove: each for itself and in plain words.

import { attempt, openDialog } from "../kit/dialog.js";
import { confirmDialog, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../kit/uuid.js";
import { makeBuddyCard } from "./card.js";

const noteCharactersMax = 1_000;
const reasons = [
  ["spam", "Spam or advertising"], ["harassment", "Harassment or insults"], ["unsafe", "I feel unsafe"], ["fake", "Not who they say they are"], ["other", "Something else"],
];

/** Reports somebody: `message` or `event` is what it is about, if it is about one. */
export function openReport({ net, account, name, conversation = null, message = null, event = null }) {
  // The same report, however often it has to be sent.
  const id = uuid();
  const problem = h("p", { class: "problem", role: "alert" });
  const note = h("textarea", { class: "input", id: "report-note", rows: "3", maxlength: noteCharactersMax });
  const submit = h("button", { class: "button primary", type: "submit", id: "send-report" }, "Send report");
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
      await net.request("safety.report", { id, account, reason, ...(note.value.trim() && { note: note.value.trim() }), ...(conversation && { conversation }), ...(message && { messages: [message] }), ...(event && { event }) });
      dialog.close();
      toast("Thank you. The admins look at your report.");
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  } },
  h("p", { class: "muted" }, event ? "The admins look at this event and at who made it." : message ? "The admins get this message, with what it said before it was changed." : conversation ? `The admins get the newest messages of ${name} here.` : `The admins get what you write here, and who it is about: say what happened.`, ` ${name} is not told.`),
  h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "What is wrong?"), ...reasons.map(([value, label]) => h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value }), label))),
  h("div", { class: "field" }, h("label", { for: "report-note" }, "Do you want to add something?"), note), problem,
  h("div", { class: "row dialog-actions" }, submit));
  const dialog = openDialog({ id: "report", title: `Report ${name}`, content: form });
}

/** Asks, then blocks. True when it was done. */
export async function block({ net, account, name }) {
  const sure = await confirmDialog({
    id: "block-dialog", title: `Block ${name}?`, confirm: "Block", danger: true,
    text: `You and ${name} no longer see or reach each other: no messages, no suggestions, nothing on the map, no shares and no questions. If you are buddies, that ends, and so does your chat. ${name} is not told. You can unblock in the chat settings.`,
  });
  return sure && attempt(() => net.request("safety.block", { account }), `${name} is blocked.`);
}

/** Asks, then removes a buddy on both sides. True when it was done. */
export async function removeBuddy({ net, account, name }) {
  const sure = await confirmDialog({
    id: "remove-dialog", title: `Remove ${name}?`, confirm: "Remove buddy", danger: true, text: `You and ${name} are not buddies any more. Your chat ends, and so does what you share with each other: live locations, and answers that nobody has read yet. This cannot be undone.`,
  });
  return sure && attempt(() => net.request("buddies.remove", { account }), `${name} is no buddy of yours any more.`);
}

/** Says for how long nothing of the conversation is to sound. */
export function openMute({ net, chat, id, name, isMuted }) {
  const choose = async (seconds, words) => {
    dialog.close();
    if (await attempt(() => net.request("chat.mute", { conversation: id, ...(seconds !== null && { seconds }) }), words)) chat.refresh(id);
  };
  const choice = (label, seconds, words) => h("button", { class: "menu-item", type: "button", dataset: { seconds: seconds ?? "always" }, onclick: () => choose(seconds, words) }, icon(seconds === 0 ? "bell" : "mute"), label);
  const dialog = openDialog({ id: "mute", title: `Mute ${name}`, content: h("div", { class: "stack" },
    h("p", { class: "muted" }, "Messages still come and are counted; nothing pops up. Nobody is told."),
    h("div", {}, isMuted ? choice("Not any more", 0, "You hear of new messages again.") : null, choice("For 1 hour", 3_600, "Muted for 1 hour."), choice("For 8 hours", 28_800, "Muted for 8 hours."), choice("For good", null, "Muted."))) });
}

/** Shows a buddy's card. */
export async function openCard({ net, scope, account }) {
  try {
    const [options, { card }] = await Promise.all([net.request("buddies.options"), net.request("buddies.card", { account })]);
    openDialog({ id: "card", title: "Buddy", className: "card-dialog", content: makeBuddyCard(card, options, scope, { headingTag: "h3" }) });
  } catch (error) {
    toast(error.message);
  }
}
