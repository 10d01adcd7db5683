// The pictures of a place, to add and to remove. Each is uploaded as it is chosen.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { pictureTypes, preparePicture, uploadPicture } from "../kit/pictures.js";
import { loadStyles } from "../kit/styles.js";

const picturesMax = 6;

await loadStyles("/app/places/places.css");

/** `{element, value, isBusy, close()}`; `value` are the ids of the pictures, and `scope` is of `Pictures`. */
export function makePlacePictures({ net, scope, value = [] }) {
  return new PlacePictures(net, scope, value);
}

class PlacePictures {
  element;
  /** Ids, in the order of the page. */
  value;

  #net; #scope;
  #upload = null;
  #list = h("ul", { class: "picture-list" });
  #bar = h("progress", { max: "1", value: "0", hidden: true, "aria-label": "Uploading picture" });
  #problem = h("p", { class: "problem", role: "alert", dataset: { problem: "pictures" } });
  #hint = h("p", { class: "hint" });
  #add;
  #input = h("input", {
    type: "file", accept: pictureTypes.join(","), class: "visually-hidden", id: "place-picture",
    onchange: () => this.#choose(this.#input.files[0]),
  });

  constructor(net, scope, value) {
    this.#net = net;
    this.#scope = scope;
    this.value = [...value];
    this.#add = h("label", { class: "button small-button", for: "place-picture" }, icon("picture"), "Add picture");
    this.element = h("fieldset", { class: "stack tight", dataset: { field: "pictures" } }, h("legend", { class: "legend" }, "Pictures"),
      this.#list, h("div", { class: "row" }, this.#input, this.#add), this.#bar, this.#hint, this.#problem);
    this.#draw();
  }

  get isBusy() { return this.#upload !== null; }

  close() {
    this.#upload?.abort();
  }

  async #choose(file) {
    this.#input.value = "";
    if (!file) return;
    setText(this.#problem, "");
    try {
      const { blob } = await preparePicture(file);
      this.#upload = new AbortController();
      this.#draw();
      const { picture } = await uploadPicture({
        token: this.#net.token, blob, purpose: "place", signal: this.#upload.signal, onProgress: (part) => { this.#bar.value = part; },
      });
      this.value = [...this.value, picture];
      announce("Picture added.");
    } catch (error) {
      if (!error.isAborted) setText(this.#problem, error.message);
    } finally {
      this.#upload = null;
      this.#draw();
    }
  }

  #remove(id) {
    this.value = this.value.filter((other) => other !== id);
    announce("Picture removed.");
    this.#draw();
    /** @type {HTMLElement} */ (this.#list.querySelector("button") ?? this.#input).focus();
  }

  #draw() {
    this.#bar.hidden = !this.isBusy;
    const isFull = this.value.length >= picturesMax;
    this.#input.disabled = this.isBusy || isFull;
    this.#add.hidden = isFull;
    setText(this.#hint, isFull ? `A place has up to ${picturesMax} pictures. Remove one to add another.` : "");
    this.#list.hidden = this.value.length === 0;
    this.#list.replaceChildren(...this.value.map((id, index) => {
      const img = h("img", { alt: `Picture ${index + 1}` });
      this.#scope.show(img, id);
      return h("li", {}, img, h("button", { class: "icon-button", type: "button", "aria-label": `Remove picture ${index + 1}`,
        onclick: () => this.#remove(id) }, icon("bin")));
    }));
  }
}
