// The list of blocked people, with a button for each that ends the block.

import { h, setText, toast } from "../kit/dom.js";
import { dayText } from "../kit/format.js";
import { loading } from "../kit/loading.js";
import { waitingLine } from "../kit/saved.js";
import { avatar, personName } from "../kit/person.js";

/** The list; `showProblem(message)` shows a failure on its page. Ends with `signal`. */
export class BlockedPeople {
  elements;

  #net;
  #scope;
  #showProblem;
  #signal;
  #list = h("ul", { class: "rows", id: "blocked" });
  #note;

  constructor({ net, scope, showProblem, signal }) {
    this.#net = net;
    this.#scope = scope;
    this.#showProblem = showProblem;
    this.#signal = signal;
    this.#note = loading(net);
    this.elements = [this.#note, this.#list];
  }

  async load() {
    const { blocked } = await this.#net.read("safety.blocked");
    if (this.#signal.aborted) return;
    setText(this.#note, blocked.length === 0 ? "You haven't blocked anyone." : "");
    this.#note.hidden = blocked.length > 0;
    this.#list.replaceChildren(...blocked.map((entry) => this.#row(entry)));
  }

  /** Ends the note that the list is loading: it will not come. */
  failed() {
    setText(this.#note, "");
  }

  #row({ person: given, at, isWaiting = false }) {
    const person = { ...given, name: personName(given) };
    const unblock = h("button", {
      class: "button quiet", type: "button", "aria-label": `Unblock ${person.name}`, onclick: () => {
        unblock.disabled = true;
        this.#unblock(person);
      },
    }, "Unblock");
    return h("li", { class: "row-item", dataset: { blocked: person.account } }, avatar(this.#scope, person, { size: 40 }),
      h("div", { class: "grow" }, h("strong", {}, person.name), h("p", { class: "muted small" }, `Since ${dayText(at)}`),
      isWaiting ? waitingLine() : null), unblock);
  }

  async #unblock({ account, name }) {
    try {
      const isSent = await this.#net.writes.write("safety.unblock", { account });
      if (isSent) toast(`${name} unblocked. To be buddies again, you both have to accept each other.`);
    } catch (error) {
      this.#showProblem(error.message);
    }
    this.load().catch(() => {});
  }
}
