// Where one writes: text that grows, a picture, what is answered or edited, and a draft that survives a reload.

import { h, setText } from "../kit/dom.js";
import { readDraft, writeDraft } from "./drafts.js";
import { characters } from "../kit/choices.js";
import { icon } from "../kit/icons.js";
import { pictureTypes, preparePicture } from "../kit/pictures.js";

const textCharactersMax = 4_000;
const countFrom = 3_600;
const draftAfterMilliseconds = 250;
/** On a phone Enter is a new line: there is a button for sending under the thumb. */
const sendsOnEnter = matchMedia("(hover: hover) and (pointer: fine)");

/**
 * `{element, reply(item), edit(item), focus, close}`. `send({text, blob, width, height, reply})`, `save(item, text)` of an edit
 * (throws when it failed), `typed()`; `quoteOf(offset)` gives `{name, text}` for the bar above.
 */
export function makeComposer({ account, conversation, send, save, typed, quoteOf }) {
  let replyTo = null;
  let editing = null;
  let attached = null;
  let draftTimer = 0;
  let isBusy = false;

  const area = h("textarea", { id: "composer", class: "composer-text", rows: "1", placeholder: "Message", "aria-label": "Message", "aria-describedby": "composer-count", enterkeyhint: sendsOnEnter.matches ? "send" : "enter" });
  const counter = h("p", { class: "composer-count number", id: "composer-count", role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const bar = h("div", { class: "composer-bar", hidden: true });
  const preview = h("div", { class: "composer-picture", hidden: true });
  const file = h("input", { type: "file", id: "composer-file", class: "visually-hidden", accept: pictureTypes.join(","), tabindex: "-1", "aria-label": "Picture", onchange: () => attach(file.files[0]) });
  const pictureButton = h("button", { class: "icon-button", type: "button", id: "attach", "aria-label": "Send a picture", title: "Send a picture", onclick: () => file.click() }, icon("picture"));
  const sendButton = h("button", { class: "icon-button send-button", type: "submit", id: "send", "aria-label": "Send", title: "Send" }, icon("send"));
  const element = h("form", { class: "composer", id: "composer-form", onsubmit: (event) => {
    event.preventDefault();
    submit();
  } }, bar, preview, problem, counter, h("div", { class: "composer-row" }, pictureButton, file, area, sendButton));

  function draw() {
    const length = characters(area.value.trim());
    const left = textCharactersMax - length;
    setText(counter, length < countFrom ? "" : left >= 0 ? `${left} characters left` : `${-left} characters too many`);
    counter.classList.toggle("over", left < 0);
    // Where a picture is attached, words may be missing.
    sendButton.disabled = isBusy || left < 0 || (length === 0 && !attached && !(editing?.picture));
    sendButton.setAttribute("aria-label", editing ? "Save" : "Send");
    sendButton.replaceChildren(icon(editing ? "tick" : "send"));
    pictureButton.hidden = editing !== null;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 160)}px`;
    area.classList.toggle("scrolls", area.scrollHeight > 160);
  }

  function drawBar() {
    const about = editing ?? replyTo;
    bar.hidden = about === null;
    if (about === null) return;
    const { name, text } = quoteOf(about.offset);
    bar.replaceChildren(icon(editing ? "edit" : "reply"), h("div", { class: "grow" }, h("strong", {}, editing ? "Edit your message" : `Reply to ${name}`), h("p", {}, text)),
      h("button", { class: "icon-button", type: "button", "aria-label": editing ? "Stop editing" : "Do not reply", onclick: () => (editing ? stopEditing() : reply(null)) }, icon("close")));
  }

  function keep() {
    clearTimeout(draftTimer);
    if (!editing) writeDraft(account, conversation, { text: area.value, reply: replyTo?.offset ?? null });
  }

  function reply(item) {
    if (editing) stopEditing();
    replyTo = item;
    drawBar();
    keep();
    area.focus();
  }

  function edit(item) {
    keep();
    editing = item;
    area.value = item.text ?? "";
    problem.textContent = "";
    drawBar();
    draw();
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  }

  function stopEditing() {
    editing = null;
    restore();
    area.focus();
  }

  function restore() {
    const draft = readDraft(account, conversation);
    area.value = draft?.text ?? "";
    replyTo = draft?.reply ? { offset: draft.reply } : null;
    drawBar();
    draw();
  }

  async function attach(chosen) {
    file.value = "";
    if (!chosen) return;
    problem.textContent = "";
    try {
      const prepared = await preparePicture(chosen);
      detach();
      attached = { ...prepared, url: URL.createObjectURL(prepared.blob) };
      preview.hidden = false;
      preview.replaceChildren(h("img", { src: attached.url, alt: "The picture to send" }), h("p", { class: "grow muted small" }, "It is sent with your message."),
        h("button", { class: "icon-button", type: "button", "aria-label": "Do not send the picture", onclick: () => {
          detach();
          draw();
        } }, icon("close")));
      area.focus();
    } catch (error) {
      problem.textContent = error.message;
    }
    draw();
  }

  function detach() {
    if (attached) URL.revokeObjectURL(attached.url);
    attached = null;
    preview.hidden = true;
    preview.replaceChildren();
  }

  async function submit() {
    const text = area.value.trim();
    draw();
    if (sendButton.disabled) return;
    problem.textContent = "";
    if (editing) {
      isBusy = true;
      draw();
      try {
        if (text !== (editing.text ?? "")) await save(editing, text);
        stopEditing();
      } catch (error) {
        problem.textContent = error.message;
      }
      isBusy = false;
      return draw();
    }
    const picture = attached && { blob: attached.blob, width: attached.width, height: attached.height };
    send({ ...(text && { text }), ...picture, ...(replyTo && { reply: replyTo.offset }) });
    area.value = "";
    replyTo = null;
    detach();
    drawBar();
    keep();
    draw();
    area.focus();
    return undefined;
  }

  area.addEventListener("input", () => {
    draw();
    clearTimeout(draftTimer);
    draftTimer = setTimeout(keep, draftAfterMilliseconds);
    if (!editing && area.value.trim() !== "") typed();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && (editing || replyTo)) {
      event.preventDefault();
      return editing ? stopEditing() : reply(null);
    }
    // While an input method composes, Enter takes its suggestion.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !sendsOnEnter.matches) return undefined;
    event.preventDefault();
    return submit();
  });
  area.addEventListener("paste", (event) => {
    const [pasted] = [...event.clipboardData?.files ?? []].filter(({ type }) => pictureTypes.includes(type));
    if (!pasted || editing) return;
    event.preventDefault();
    attach(pasted);
  });
  // A phone may end the page without a word.
  const onHide = () => keep();
  addEventListener("pagehide", onHide);

  return {
    element, reply, edit,
    /** Once it is on the page: its height depends on it. */
    start: restore,
    redrawBar: drawBar,
    focus: () => area.focus({ preventScroll: true }),
    close() {
      // After a logout nothing of it is to come back.
      if (localStorage.getItem("campanile.token")) keep();
      clearTimeout(draftTimer);
      removeEventListener("pagehide", onHide);
      detach();
    },
  };
}
