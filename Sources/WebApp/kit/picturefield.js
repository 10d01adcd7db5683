// The field for a profile picture: choose, see how it looks, send it when the form is saved.

import { announce, h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { defaultPicture, preparePicture, pictureTypes, uploadPicture } from "./pictures.js";

/**
 * `{element, send(), setGender(gender), close()}`. `value` is the picture's id, null for the drawing. A chosen picture is shown at once;
 * `send()` uploads it and returns its id. A form that is left without saving keeps the picture from before. With `isSavedAtOnce`, `changed`
 * sends it.
 */
export function makePictureField(options) {
  return new PictureField(options);
}

class PictureField {
  element;

  #net;
  #scope;
  #changed;
  #picture;
  #gender;
  #isSavedAtOnce;
  /** A picture that is chosen and not sent: `{blob, url}`. */
  #chosen = null;
  /** Aborts the upload; null while there is none. */
  #upload = null;

  #image = h("img", { class: "profile-preview", alt: "Your picture" });
  #note = h("p", { class: "hint", role: "status" });
  #problem = h("p", { class: "problem", role: "alert" });
  #bar = h("progress", { max: "1", value: "0", hidden: true, "aria-label": "Uploading picture" });
  #input = h("input", {
    type: "file", accept: pictureTypes.join(","), class: "visually-hidden", id: "profile-picture",
    onchange: () => this.#choose(this.#input.files[0]),
  });
  #remove = h("button", { class: "button quiet", type: "button", id: "remove-picture", onclick: () => this.#useDrawing() },
    "Remove picture");
  #cancel = h("button", { class: "button quiet", type: "button", hidden: true, onclick: () => this.#upload?.abort() }, "Cancel");

  constructor({ net, scope, value = null, gender = null, changed = () => {}, isSavedAtOnce = false }) {
    this.#net = net;
    this.#scope = scope;
    this.#changed = changed;
    this.#picture = value;
    this.#gender = gender;
    this.#isSavedAtOnce = isSavedAtOnce;
    const choose = h("label", { class: "button", for: "profile-picture" }, icon("picture"), "Choose picture");
    this.element = h("div", { class: "picture-field" }, this.#image, h("div", { class: "stack" },
      h("div", { class: "row" }, choose, this.#input, this.#remove, this.#cancel), this.#bar, this.#note, this.#problem));
    this.#draw();
  }

  /** The id of the picture, uploaded if it was chosen here; throws when the upload fails. */
  async send() {
    if (!this.#chosen) return this.#picture;
    this.#upload = new AbortController();
    this.#bar.value = 0;
    this.#draw();
    try {
      const { picture } = await uploadPicture({
        token: this.#net.token, blob: this.#chosen.blob, purpose: "profile", signal: this.#upload.signal,
        onProgress: (part) => { this.#bar.value = part; },
      });
      this.#picture = picture;
      this.#drop();
      return picture;
    } catch (error) {
      this.#problem.textContent = error.isAborted ? "" : error.message;
      throw error;
    } finally {
      this.#upload = null;
      this.#draw();
    }
  }

  /** Chooses the drawing that stands for a missing picture. */
  setGender(gender) {
    this.#gender = gender;
    this.#draw();
  }

  close() {
    this.#upload?.abort();
    this.#drop();
  }

  #draw() {
    const isSending = this.#upload !== null;
    this.#bar.hidden = this.#cancel.hidden = !isSending;
    this.#remove.hidden = isSending || (this.#picture === null && this.#chosen === null);
    if (this.#chosen) this.#image.src = this.#chosen.url;
    else this.#scope.show(this.#image, this.#picture, { thumb: false, otherwise: defaultPicture(this.#gender) });
    setText(this.#note, this.#noteText(isSending));
  }

  #noteText(isSending) {
    if (isSending) return "Uploading…";
    if (this.#chosen) return this.#isSavedAtOnce ? "" : "Save to show this picture to others.";
    return this.#picture === null
      ? "Without a picture, others see this default." : "Your buddies and people in your chats see this picture.";
  }

  #drop() {
    if (this.#chosen) URL.revokeObjectURL(this.#chosen.url);
    this.#chosen = null;
  }

  #useDrawing() {
    this.#drop();
    this.#picture = null;
    this.#draw();
    this.#changed();
  }

  async #choose(file) {
    this.#input.value = "";
    if (!file) return;
    this.#problem.textContent = "";
    try {
      const { blob } = await preparePicture(file);
      this.#drop();
      this.#chosen = { blob, url: URL.createObjectURL(blob) };
      announce("Picture chosen.");
      this.#changed();
    } catch (error) {
      this.#problem.textContent = error.message;
    }
    this.#draw();
  }
}
