// One message as it is drawn: text, picture, quote, reactions, ticks.

import { h } from "../kit/dom.js";
import { timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { avatar } from "../kit/person.js";
import { eventSentence, linked } from "./rows.js";

/** The emoji to react with, in their order. */
export const reactions = ["👍", "💪", "🔥", "💯"];
const pictureWidthMax = 300;
const pictureHeightMax = 340;
const pictureWidthMin = 96;
const ticks = {
  waiting: ["waiting", "waiting to be sent"], sent: ["tick", "sent"], delivered: ["ticks", "delivered"], read: ["ticks", "read"],
};

/**
 * A message of the log. `context` is `{me, isGroup, nameOf, personOf, scope, quote(offset), tick(offset)}` with the handlers `onMenu`,
 * `onReact`, `onJump` and `onPicture`.
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
  bubble.append(meta(item, isOwn, context));
  const menu = item.deletedAt ? null : menuButton(item, isOwn ? "your" : `${name}'s`, context);
  const face = context.isGroup && !isOwn ? h("span", { class: "message-face" }, ends ? faceOf(item, context) : null) : null;
  const className = `message ${isOwn ? "own" : "other"}${starts ? " starts" : ""}${item.deletedAt ? " gone" : ""}`;
  return h("li", { class: className, dataset: { offset: item.offset, ...(item.id && { id: item.id }) } },
    face, h("div", { class: "message-body" }, h("div", { class: "message-line" }, bubble, menu), reactionButtons(item, context)));
}

/**
 * A message that is not with the server yet. `context` is that of `makeMessage`, and `{progress, urlOf(entry), onRetry, onRemove}`.
 */
export function makeWaiting({ entry, starts }, context) {
  const { problem } = entry;
  const bubble = h("div", { class: "bubble" });
  if (entry.reply) bubble.append(quote(entry.reply, context));
  if (entry.blob) bubble.append(waitingPicture(entry, context));
  if (entry.text) bubble.append(words(entry.text));
  bubble.append(h("span", { class: "message-meta number" },
    problem ? null : h("span", {}, "waiting"), h("time", {}, timeText(entry.at)), problem ? null : tick("waiting")));
  const className = `message own waiting${starts ? " starts" : ""}${problem ? " failed" : ""}`;
  return h("li", { class: className, dataset: { waiting: entry.id, state: problem ? "failed" : "waiting" } },
    h("div", { class: "message-body" },
      h("div", { class: "message-line" }, bubble), problem ? notSent(entry, context) : null));
}

/** A day, the line above new messages, or a sentence about the group. */
export function makeLine(row, { nameOf, me }) {
  if (row.kind === "day") return h("li", { class: "day-line" }, h("h2", {}, row.text));
  if (row.kind === "new") return h("li", { class: "new-line", id: "new-messages" }, h("span", {}, "New messages"));
  const { type, offset } = row.item;
  return h("li", { class: "system-line", dataset: { event: type, offset } }, eventSentence(row.item, nameOf, me));
}

/** The sign of how far an own message got; `data-state` is `waiting`, `sent`, `delivered` or `read`. */
function tick(state) {
  const [name, label] = ticks[state];
  return h("span", { class: "ticks", dataset: { state }, role: "img", "aria-label": label, title: label }, icon(name));
}

function words(text) {
  const part = ({ text: shown, link }) => (link ? h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, shown) : shown);
  return h("p", { class: "message-text" }, ...linked(text).map(part));
}

/** A frame of the picture's shape, so that nothing moves when the picture comes. */
function frame(width, height) {
  const scale = Math.min(1, pictureWidthMax / width, pictureHeightMax / height);
  const element = h("span", { class: "picture-frame" });
  element.style.width = `${Math.max(pictureWidthMin, Math.round(width * scale))}px`;
  element.style.aspectRatio = `${width} / ${height}`;
  return element;
}

function meta(item, isOwn, context) {
  const { at, editedAt, deletedAt, offset } = item;
  return h("span", { class: "message-meta number" },
    editedAt && !deletedAt ? h("span", { class: "edited" }, "edited") : null,
    h("time", { datetime: at }, timeText(at)),
    isOwn && !deletedAt ? tick(context.tick(offset)) : null);
}

function menuButton(item, whose, { onMenu }) {
  return h("button", {
    class: "icon-button message-menu", type: "button", "aria-label": `More for ${whose} message`, "aria-haspopup": "dialog",
    onclick: (event) => onMenu(item, event.currentTarget),
  }, icon("more"));
}

function faceOf({ by }, { scope, personOf }) {
  return avatar(scope, personOf(by), { size: 30 });
}

function reactionButtons(item, { me, nameOf, onReact }) {
  if (item.reactions.size === 0) return null;
  const button = (emoji) => {
    const by = item.reactions.get(emoji);
    const isMine = by.has(me);
    const names = [...by].map((account) => (account === me ? "you" : nameOf(account) ?? "somebody")).join(", ");
    return h("button", {
      class: "reaction", type: "button", "aria-pressed": String(isMine), "aria-label": `${emoji} by ${names}`, title: names,
      dataset: { emoji }, onclick: () => onReact(item, emoji, !isMine),
    }, emoji, h("span", { class: "number" }, String(by.size)));
  };
  return h("div", { class: "reactions" }, ...reactions.filter((emoji) => item.reactions.has(emoji)).map(button));
}

function quote(offset, { quote: find, nameOf, me, onJump }) {
  const quoted = find(offset);
  const text = !quoted ? "An earlier message" : quoted.deletedAt ? "Message deleted" : quoted.text || "Picture";
  const name = !quoted ? "" : quoted.by === me ? "You" : nameOf(quoted.by) ?? "Former member";
  const label = `In reply to ${name || "an earlier message"}: ${text}`;
  return h("button", { class: "quote", type: "button", "aria-label": label, onclick: () => onJump(offset) },
    h("strong", {}, name), h("span", {}, text));
}

function picture({ id, width, height }, name, { scope, onPicture }) {
  const holder = frame(width, height);
  const img = h("img", { alt: `Picture from ${name}`, width, height });
  const missing = () => h("span", { class: "picture-missing" }, icon("picture"), "Tap to load");
  holder.append(img);
  scope.show(img, id, { onMissing: () => holder.replaceChildren(missing()) });
  const label = `Open the picture from ${name === "You" ? "you" : name}`;
  return h("button", { class: "picture-button", type: "button", "aria-label": label, onclick: () => onPicture(id, img.alt) }, holder);
}

function waitingPicture(entry, { progress, urlOf, onRemove }) {
  const { width, height } = entry;
  const holder = frame(width, height);
  holder.append(h("img", { src: urlOf(entry), alt: "Your picture", width, height }));
  if (entry.problem) return holder;
  const part = progress.get(entry.id);
  holder.append(h("span", { class: "picture-progress" },
    part === undefined ? null : h("progress", { max: "1", value: part, "aria-label": "Sending the picture" }),
    h("button", { class: "button small-button", type: "button", onclick: () => onRemove(entry) }, "Cancel")));
  return holder;
}

function notSent(entry, { onRetry, onRemove }) {
  const { id, problem } = entry;
  const button = (label, className, dataset, onclick) => h("button", { class: className, type: "button", dataset, onclick }, label);
  return h("div", { class: "not-sent", role: "alert" },
    h("p", {}, icon("warning"), h("span", {}, h("strong", {}, "Not sent. "), problem)),
    h("div", { class: "row" },
      button("Try again", "button small-button", { retry: id }, () => onRetry(entry)),
      button("Delete", "button small-button danger", { discard: id }, () => onRemove(entry))));
}
