// One message as it is drawn: words, picture, quote, reactions, ticks.

import { h } from "../kit/dom.js";
import { timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { eventSentence, linked } from "./rows.js";
import { avatar } from "../kit/person.js";

export const reactions = ["👍", "💪", "🔥", "💯"];
const pictureWidthMax = 300;
const pictureHeightMax = 340;
const ticks = {
  waiting: ["waiting", "waiting to be sent"], sent: ["tick", "sent"], delivered: ["ticks", "delivered"], read: ["ticks", "read"],
};

/** The sign of how far one's own message got; `data-state` is `waiting`, `sent`, `delivered` or `read`. */
function tick(state) {
  const [name, label] = ticks[state];
  return h("span", { class: "ticks", dataset: { state }, role: "img", "aria-label": label, title: label }, icon(name));
}

function words(text) {
  return h("p", { class: "message-text" }, ...linked(text).map(({ text: part, link }) => (link ? h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, part) : part)));
}

/** A frame of the picture's shape, so that nothing moves when it comes. */
function frame(width, height) {
  const scale = Math.min(1, pictureWidthMax / width, pictureHeightMax / height);
  const element = h("span", { class: "picture-frame" });
  element.style.width = `${Math.max(96, Math.round(width * scale))}px`;
  element.style.aspectRatio = `${width} / ${height}`;
  return element;
}

/**
 * A message of the log. `context` is `{me, isGroup, nameOf, personOf, scope, quote(offset), tick, onMenu, onReact, onJump, onPicture}`.
 */
export function makeMessage({ item, isOwn, starts, ends }, context) {
  const name = isOwn ? "You" : context.nameOf(item.by) ?? "Former member";
  const bubble = h("div", { class: "bubble" });
  if (context.isGroup && !isOwn && starts) bubble.append(h("p", { class: "message-name" }, name));
  if (item.deletedAt) {
    bubble.append(h("p", { class: "message-gone" }, icon("block"), isOwn ? "You deleted this message" : "Message deleted"));
  } else {
    if (item.reply) bubble.append(quote(item.reply, context));
    if (item.picture) bubble.append(picture(item.picture, name, context));
    if (item.text) bubble.append(words(item.text));
  }
  bubble.append(h("span", { class: "message-meta number" }, item.editedAt && !item.deletedAt ? h("span", { class: "edited" }, "edited") : null, h("time", { datetime: item.at }, timeText(item.at)),
    isOwn && !item.deletedAt ? tick(context.tick(item.offset)) : null));
  const menu = item.deletedAt ? null : h("button", { class: "icon-button message-menu", type: "button", "aria-label": `What to do with ${isOwn ? "your" : `${name}'s`} message`, "aria-haspopup": "dialog", onclick: (event) => context.onMenu(item, event.currentTarget) }, icon("more"));
  const face = context.isGroup && !isOwn ? h("span", { class: "message-face" }, ends ? avatar(context.scope, context.personOf(item.by), { size: 30 }) : null) : null;
  const given = item.reactions.size > 0 ? h("div", { class: "reactions" }, ...reactions.filter((emoji) => item.reactions.has(emoji)).map((emoji) => {
    const by = item.reactions.get(emoji);
    const isMine = by.has(context.me);
    const names = [...by].map((account) => (account === context.me ? "you" : context.nameOf(account) ?? "somebody")).join(", ");
    return h("button", { class: "reaction", type: "button", "aria-pressed": String(isMine), "aria-label": `${emoji} by ${names}`, title: names, dataset: { emoji }, onclick: () => context.onReact(item, emoji, !isMine) }, emoji, h("span", { class: "number" }, String(by.size)));
  })) : null;
  return h("li", { class: `message ${isOwn ? "own" : "other"}${starts ? " starts" : ""}${item.deletedAt ? " gone" : ""}`, dataset: { offset: item.offset, ...(item.id && { id: item.id }) } },
    face, h("div", { class: "message-body" }, h("div", { class: "message-line" }, bubble, menu), given));
}

function quote(offset, { quote: find, nameOf, me, onJump }) {
  const quoted = find(offset);
  const text = !quoted ? "An earlier message" : quoted.deletedAt ? "Message deleted" : quoted.text || "Picture";
  const name = !quoted ? "" : quoted.by === me ? "You" : nameOf(quoted.by) ?? "Former member";
  return h("button", { class: "quote", type: "button", "aria-label": `In reply to ${name || "an earlier message"}: ${text}`, onclick: () => onJump(offset) }, h("strong", {}, name), h("span", {}, text));
}

function picture({ id, width, height }, name, { scope, onPicture }) {
  const holder = frame(width, height);
  const img = h("img", { alt: `Picture from ${name}`, width, height });
  holder.append(img);
  scope.show(img, id, { onMissing: () => holder.replaceChildren(h("span", { class: "picture-missing" }, icon("picture"), "Tap to load")) });
  return h("button", { class: "picture-button", type: "button", "aria-label": `Show the picture from ${name === "You" ? "you" : name}`, onclick: () => onPicture(id, img.alt) }, holder);
}

/** A message that is not with the server yet. `context` is `{progress, urlOf(entry), quote…, onRetry, onRemove}`. */
export function makeWaiting({ entry, starts }, context) {
  const bubble = h("div", { class: "bubble" });
  if (entry.reply) bubble.append(quote(entry.reply, context));
  if (entry.blob) {
    const holder = frame(entry.width, entry.height);
    holder.append(h("img", { src: context.urlOf(entry), alt: "Your picture", width: entry.width, height: entry.height }));
    const part = context.progress.get(entry.id);
    if (!entry.problem) holder.append(h("span", { class: "picture-progress" }, part === undefined ? null : h("progress", { max: "1", value: part, "aria-label": "Sending the picture" }), h("button", { class: "button small-button", type: "button", onclick: () => context.onRemove(entry) }, "Cancel")));
    bubble.append(holder);
  }
  if (entry.text) bubble.append(words(entry.text));
  bubble.append(h("span", { class: "message-meta number" }, entry.problem ? null : h("span", {}, "waiting"), h("time", {}, timeText(entry.at)), entry.problem ? null : tick("waiting")));
  const trouble = entry.problem ? h("div", { class: "not-sent", role: "alert" }, h("p", {}, icon("warning"), h("span", {}, h("strong", {}, "Not sent. "), entry.problem)),
    h("div", { class: "row" }, h("button", { class: "button small-button", type: "button", dataset: { retry: entry.id }, onclick: () => context.onRetry(entry) }, "Try again"), h("button", { class: "button small-button danger", type: "button", dataset: { discard: entry.id }, onclick: () => context.onRemove(entry) }, "Delete"))) : null;
  return h("li", { class: `message own waiting${starts ? " starts" : ""}${entry.problem ? " failed" : ""}`, dataset: { waiting: entry.id, state: entry.problem ? "failed" : "waiting" } },
    h("div", { class: "message-body" }, h("div", { class: "message-line" }, bubble), trouble));
}

/** A day, the line above what is new, or what happened to the group. */
export function makeLine(row, { nameOf, me }) {
  if (row.kind === "day") return h("li", { class: "day-line" }, h("h2", {}, row.text));
  if (row.kind === "new") return h("li", { class: "new-line", id: "new-messages" }, h("span", {}, "New messages"));
  return h("li", { class: "system-line", dataset: { event: row.item.type, offset: row.item.offset } }, eventSentence(row.item, nameOf, me));
}
