// The audience of a notice that is written: the account of one person, and the number of people.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { audienceOf } from "./formvalues.js";
import { reachText } from "./words.js";

const accountsMax = 100;
const numberPattern = /^\d{1,15}$/;

/** Accounts that are typed as a username or a number; the last one that was found is remembered. */
export class PersonFinder {
  #net;
  #found = { text: "", account: null };

  constructor(net) {
    this.#net = net;
  }

  /** Number of the account that was found for a text, or null. */
  accountOf(text) {
    return this.#found.text === text ? this.#found.account : null;
  }

  /**
   * Finds the account that is meant by a text, and gives a note that names it; null when there is nothing to find. Throws an error with a
   * message for the field.
   */
  async find(text) {
    if (text === "" || this.#found.text === text) return null;
    const { users } = await this.#net.request("admin.users", { text, limit: accountsMax });
    let user = users.find(({ username }) => username.toLowerCase() === text.toLowerCase());
    if (!user && numberPattern.test(text)) ({ user } = await this.#net.request("admin.user", { account: Number(text) }));
    if (!user) throw new Error("No account found.");
    this.#found = { text, account: user.id };
    return user.username ? `${user.username}${user.name ? `, ${user.name}` : ""}, account ${user.id}` : "";
  }
}

/** The audience that a form's values mean, or null while something is missing. `event` is the number of the form's event, or null. */
export function audienceOfValues(values, { event, finder }) {
  return audienceOf(values, { event, account: finder.accountOf(values.person.trim()) });
}

/** The line that says how many people an audience has. */
export class ReachLine {
  element = h("p", { class: "notice-reach", id: "notice-reach", role: "status" });

  #net;
  #isClosed;
  /** Key of the audience in the line. */
  #shown = null;
  #reach = null;

  /** `isClosed()` is true once the form is gone. */
  constructor(net, isClosed) {
    this.#net = net;
    this.#isClosed = isClosed;
  }

  /** The server's counts of an audience, when they are in the line; else null. */
  reachOf(audience) {
    return this.#reach?.key === JSON.stringify(audience) ? this.#reach : null;
  }

  /** Makes the next `draw` count again. */
  forget() {
    this.#shown = null;
  }

  /** Counts the people of an audience, null while it is not chosen, unless the line shows them. */
  async draw(audience) {
    const key = JSON.stringify(audience);
    if (key === this.#shown) return;
    if (audience === null) {
      this.#reach = null;
      this.#shown = key;
      setText(this.element, "Choose an audience to see how many people it reaches.");
      return;
    }
    if (this.#net.state !== "live" || document.visibilityState !== "visible") return;
    try {
      const counts = await this.#net.request("notices.preview", { audience });
      if (this.#isClosed()) return;
      this.#shown = key;
      this.#reach = { key, ...counts };
      this.#drawCounts(audience, counts);
    } catch (error) {
      if (this.#isClosed()) return;
      this.#reach = null;
      setText(this.element, error.isTransient ? "You'll see how many people it reaches when you're back online." : error.message);
    }
  }

  #drawCounts({ kind }, counts) {
    const guests = kind === "campus" || kind === "zone" ? " Guests see it, too." : "";
    this.element.replaceChildren(icon("group"), h("span", {}, h("strong", {}, `${reachText(kind, counts)}.`), guests));
  }
}
