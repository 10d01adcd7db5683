// The composer: text that grows, a picture, a reply or an edit, and a draft that survives a reload.

import { characters } from "../kit/choices.js";
import { h, setText } from "../kit/dom.js";
import { DraftTimer } from "../kit/drafts.js";
import { icon } from "../kit/icons.js";
import { Attachment, pictureIn } from "./attachment.js";
import { readDraft, writeDraft } from "./drafts.js";

const textCharactersMax = 4_000;
/** The count is shown from this length on. */
const countFrom = 3_600;
const heightPixelsMax = 160;
/** On a phone Enter is a new line: there is a button for sending under the thumb. */
const sendsOnEnter = matchMedia("(hover: hover) and (pointer: fine)");

/**
 * `{element, start, reply(item), edit(item), focus, close}`. `send({text, blob, width, height, reply})` sends a message, `save(item, text)`
 * an edit, and throws when that failed; `typed()` is called for each change; `quoteOf(offset)` gives `{name, text}` for the bar above.
 */
export function makeComposer(options) {
  return new Composer(options);
}

class Composer {
  element;

  #options;
  /** `write` with the message that is replied to, or null; `edit` with the message that is edited. */
  #mode = { kind: "write", item: null };
  /** Whether an edit is being saved. */
  #isSaving = false;
  #draft = new DraftTimer(() => this.#keep());

  #area = h("textarea", {
    id: "composer", class: "composer-text", rows: "1", placeholder: "Message", "aria-label": "Message",
    "aria-describedby": "composer-count", enterkeyhint: sendsOnEnter.matches ? "send" : "enter",
  });
  #counter = h("p", { class: "composer-count number", id: "composer-count", role: "status" });
  #problem = h("p", { class: "problem", role: "alert" });
  #bar = h("div", { class: "composer-bar", hidden: true });
  #sendButton = h("button", { class: "icon-button send-button", type: "submit", id: "send", "aria-label": "Send", title: "Send" },
    icon("send"));
  #attachment = new Attachment({
    begins: () => { this.#problem.textContent = ""; },
    chosen: () => {
      this.#area.focus();
      this.#draw();
    },
    failed: (message) => {
      this.#problem.textContent = message;
      this.#draw();
    },
    removed: () => this.#draw(),
  });

  constructor(options) {
    this.#options = options;
    const { preview, button, input } = this.#attachment;
    this.element = h("form", { class: "composer", id: "composer-form", onsubmit: (event) => {
      event.preventDefault();
      this.#submit();
    } }, this.#bar, preview, this.#problem, this.#counter,
    h("div", { class: "composer-row" }, button, input, this.#area, this.#sendButton));
    this.#area.addEventListener("input", () => this.#typed());
    this.#area.addEventListener("keydown", (event) => this.#keyPressed(event));
    this.#area.addEventListener("paste", (event) => this.#pasted(event));
  }

  /** Takes up the draft, once the element is on the page: its height depends on it. */
  start() {
    this.#restore();
  }

  focus() {
    this.#area.focus({ preventScroll: true });
  }

  /** Begins a reply to a message; null takes the reply back. */
  reply(item) {
    if (this.#edited) this.#stopEditing();
    this.#mode = { kind: "write", item };
    this.#drawBar();
    this.#draft.keepNow();
    this.#area.focus();
  }

  /** Begins to edit a message. The text that was begun comes back afterwards. */
  edit(item) {
    this.#draft.keepNow();
    this.#mode = { kind: "edit", item };
    this.#area.value = item.text ?? "";
    this.#problem.textContent = "";
    this.#drawBar();
    this.#draw();
    this.#area.focus();
    this.#area.setSelectionRange(this.#area.value.length, this.#area.value.length);
  }

  close() {
    // After a logout no draft may come back.
    if (localStorage.getItem("campanile.token")) this.#draft.keepNow();
    this.#draft.close();
    this.#attachment.remove();
  }

  /** The message that is edited, or null. */
  get #edited() {
    return this.#mode.kind === "edit" ? this.#mode.item : null;
  }

  /** The message that is replied to, or null. */
  get #replied() {
    return this.#mode.kind === "write" ? this.#mode.item : null;
  }

  #draw() {
    const length = characters(this.#area.value.trim());
    const left = textCharactersMax - length;
    const edited = this.#edited;
    const countText = left >= 0 ? `${left} characters left` : `${-left} characters too many`;
    setText(this.#counter, length < countFrom ? "" : countText);
    this.#counter.classList.toggle("over", left < 0);
    // A picture needs no text.
    const isEmpty = length === 0 && !this.#attachment.picture && !edited?.picture;
    this.#sendButton.disabled = this.#isSaving || left < 0 || isEmpty;
    this.#sendButton.setAttribute("aria-label", edited ? "Save" : "Send");
    this.#sendButton.replaceChildren(icon(edited ? "tick" : "send"));
    this.#attachment.button.hidden = edited !== null;
    this.#fitHeight();
  }

  #fitHeight() {
    const area = this.#area;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, heightPixelsMax)}px`;
    area.classList.toggle("scrolls", area.scrollHeight > heightPixelsMax);
  }

  #drawBar() {
    const { kind, item } = this.#mode;
    this.#bar.hidden = item === null;
    if (item === null) return;
    const isEdit = kind === "edit";
    const { name, text } = this.#options.quoteOf(item.offset);
    const title = isEdit ? "Edit message" : `Reply to ${name}`;
    const close = h("button", {
      class: "icon-button", type: "button", "aria-label": isEdit ? "Cancel edit" : "Cancel reply", onclick: () => this.#cancel(),
    }, icon("close"));
    this.#bar.replaceChildren(icon(isEdit ? "edit" : "reply"),
      h("div", { class: "grow" }, h("strong", {}, title), h("p", {}, text)), close);
  }

  #cancel() {
    if (this.#edited) this.#stopEditing();
    else this.reply(null);
  }

  #stopEditing() {
    this.#restore();
    this.#area.focus();
  }

  #keep() {
    if (this.#edited) return;
    const { account, conversation } = this.#options;
    writeDraft(account, conversation, { text: this.#area.value, reply: this.#replied?.offset ?? null });
  }

  #restore() {
    const { account, conversation } = this.#options;
    const draft = readDraft(account, conversation);
    this.#area.value = draft?.text ?? "";
    this.#mode = { kind: "write", item: draft?.reply ? { offset: draft.reply } : null };
    this.#drawBar();
    this.#draw();
  }

  async #submit() {
    const text = this.#area.value.trim();
    this.#draw();
    if (this.#sendButton.disabled) return;
    this.#problem.textContent = "";
    if (this.#edited) await this.#save(this.#edited, text);
    else this.#send(text);
  }

  async #save(item, text) {
    this.#isSaving = true;
    this.#draw();
    try {
      if (text !== (item.text ?? "")) await this.#options.save(item, text);
      this.#stopEditing();
    } catch (error) {
      this.#problem.textContent = error.message;
    }
    this.#isSaving = false;
    this.#draw();
  }

  #send(text) {
    const { picture } = this.#attachment;
    const replied = this.#replied;
    this.#options.send({
      ...(text && { text }),
      ...(picture && { blob: picture.blob, width: picture.width, height: picture.height }),
      ...(replied && { reply: replied.offset }),
    });
    this.#area.value = "";
    this.#mode = { kind: "write", item: null };
    this.#attachment.remove();
    this.#drawBar();
    this.#draft.keepNow();
    this.#draw();
    this.#area.focus();
  }

  #typed() {
    this.#draw();
    this.#draft.changed();
    if (!this.#edited && this.#area.value.trim() !== "") this.#options.typed();
  }

  #keyPressed(event) {
    if (event.key === "Escape" && this.#mode.item) {
      event.preventDefault();
      this.#cancel();
      return;
    }
    // While an input method composes, Enter takes its suggestion.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !sendsOnEnter.matches) return;
    event.preventDefault();
    this.#submit();
  }

  #pasted(event) {
    const picture = pictureIn(event.clipboardData);
    if (!picture || this.#edited) return;
    event.preventDefault();
    this.#attachment.choose(picture);
  }
}
