// The picture that goes with a message: chosen, shown above the text, or taken away.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { pictureTypes, preparePicture } from "../kit/pictures.js";

/** The picture of a composer. */
export class Attachment {
  /** Shows the picture; hidden while there is none. */
  preview = h("div", { class: "composer-picture", hidden: true });
  /** Opens the browser's choice of a file. */
  button = h("button", {
    class: "icon-button", type: "button", id: "attach", "aria-label": "Send a picture", title: "Send a picture",
    onclick: () => this.input.click(),
  }, icon("picture"));
  input = h("input", {
    type: "file", id: "composer-file", class: "visually-hidden", accept: pictureTypes.join(","), tabindex: "-1", "aria-label": "Picture",
    onchange: () => this.choose(this.input.files[0]),
  });

  #handlers;
  /** `{blob, width, height, url}`, or null. */
  #picture = null;

  /**
   * `begins()` is called when a file is chosen, `chosen()` when it is shown, `failed(message)` when it cannot be sent, `removed()` when the
   * user takes it away.
   */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  /** `{blob, width, height}`, or null. */
  get picture() {
    return this.#picture;
  }

  /** Prepares and shows a file; undefined for none. */
  async choose(file) {
    this.input.value = "";
    if (!file) return;
    this.#handlers.begins();
    try {
      const prepared = await preparePicture(file);
      this.remove();
      this.#picture = { ...prepared, url: URL.createObjectURL(prepared.blob) };
      this.#show();
      this.#handlers.chosen();
    } catch (error) {
      this.#handlers.failed(error.message);
    }
  }

  /** Takes the picture away. */
  remove() {
    if (this.#picture) URL.revokeObjectURL(this.#picture.url);
    this.#picture = null;
    this.preview.hidden = true;
    this.preview.replaceChildren();
  }

  #show() {
    const remove = h("button", {
      class: "icon-button", type: "button", "aria-label": "Remove picture", onclick: () => {
        this.remove();
        this.#handlers.removed();
      },
    }, icon("close"));
    this.preview.hidden = false;
    this.preview.replaceChildren(h("img", { src: this.#picture.url, alt: "Picture to send" }),
      h("p", { class: "grow muted small" }, "Sent with your message."), remove);
  }
}

/** The first file of a paste or drop that can be sent as a picture, or undefined. */
export function pictureIn(data) {
  return [...data?.files ?? []].find(({ type }) => pictureTypes.includes(type));
}
