// Past shares: with whom, how exactly, and who looked; page by page, and the way to erase them.

import { confirmDialog, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { openReceipt } from "./receipt.js";
import { pastRow } from "./rows.js";
import { ShareList, sharingPart } from "./sharelist.js";

export class PastShares {
  #net;
  #changed;
  #list;
  #shares = null;
  #next = null;
  #problem = null;
  #erase;
  #more;

  /** `scope` shows pictures; `changed()` is called when the part is to be drawn again. */
  constructor(app, { scope, changed }) {
    const { net, sharing } = app;
    this.#net = net;
    this.#changed = changed;
    this.#list = new ShareList("past-shares", "Past shares", {
      make: (share) => pastRow(sharing.named(share), { scope, who: () => openReceipt(app, sharing.named(share)) }),
      sigOf: (share) => share,
    });
    this.#erase = h("button", { class: "button small-button", type: "button", id: "erase-past", hidden: true,
      onclick: () => this.#eraseAll() }, icon("bin"), "Delete all");
    this.#more = h("button", { class: "button", type: "button", id: "more-past", hidden: true,
      onclick: () => this.load(this.#next) }, "Show more");
    this.element = sharingPart("past-title", "Past shares", [this.#erase],
      h("p", { class: "muted small" },
        "Stored for 30 days, only for you: with whom, how precisely, and who watched. Your locations aren't stored."),
      this.#list.list, this.#list.empty, this.#more);
  }

  /** Whether nothing was loaded yet, or the last attempt failed. */
  get isMissing() {
    return this.#shares === null || this.#problem !== null;
  }

  /** `waiting` is the sentence while nothing was loaded. */
  draw(waiting) {
    const shares = this.#shares ?? [];
    this.#list.draw(shares, this.#problem ? this.#problem.message : this.#shares === null ? waiting : "None.");
    this.#erase.hidden = shares.length === 0;
    this.#more.hidden = this.#next === null;
  }

  /** Loads the newest shares, or those before an offset. */
  async load(before = null) {
    try {
      const page = await this.#net.request("sharing.past", before ? { before } : {});
      this.#shares = before ? [...(this.#shares ?? []), ...page.shares] : page.shares;
      this.#next = page.next ?? null;
      this.#problem = null;
    } catch (error) {
      this.#problem = error;
    }
    this.#changed();
  }

  async #eraseAll() {
    const sure = await confirmDialog({ id: "erase-past-dialog", title: "Delete past shares?", confirm: "Delete", danger: true,
      text: "This deletes the list and who watched. It can't be undone. Current shares continue." });
    if (!sure) return;
    try {
      const { erased } = await this.#net.request("sharing.erasePast");
      toast(`${count(erased, "past share")} deleted.`);
      await this.load();
    } catch (error) {
      toast(error.message);
    }
  }
}
