// The field of the log that narrows it to one person, found by username.

import { h } from "../kit/dom.js";

const usernameCharactersMax = 20;
const suggestedMax = 8;
const searchAfterMilliseconds = 300;

export class AuditPerson {
  #net;
  /** Number of the account that was chosen, or null. */
  #account;
  #changed;
  #timer = 0;
  #isClosed = false;
  #names = h("datalist", { id: "audit-people" });
  #problem = h("p", { class: "problem", id: "audit-person-problem" });
  #input = h("input", { class: "input", id: "audit-person", type: "search", list: "audit-people", autocomplete: "off",
    autocapitalize: "none", spellcheck: "false", maxlength: usernameCharactersMax, placeholder: "Username",
    "aria-describedby": "audit-person-problem", oninput: () => this.#typed(), onchange: () => this.#choose({ isFinal: true }) });

  /** `account` is the one that the page's address names, or null. `changed(account)` when another one, or none, was chosen. */
  constructor(net, account, changed) {
    this.#net = net;
    this.#account = account;
    this.#changed = changed;
    this.element = h("div", { class: "field" }, h("label", { for: "audit-person" }, "Person (who did it, or to whom)"), this.#input,
      this.#names, this.#problem);
    if (account) this.#showName();
  }

  clear() {
    this.#account = null;
    this.#input.value = "";
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #typed() {
    this.#problem.textContent = "";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#choose(), searchAfterMilliseconds);
  }

  /** Chooses the account with the username in the field; suggests others while there is none. */
  async #choose({ isFinal = false } = {}) {
    clearTimeout(this.#timer);
    const text = this.#input.value.trim();
    if (text === "") {
      if (this.#account) this.#use(null);
      return;
    }
    try {
      const { users } = await this.#net.request("admin.users", { text, limit: suggestedMax });
      if (this.#isClosed || this.#input.value.trim() !== text) return;
      const exact = users.find(({ username }) => username.toLowerCase() === text.toLowerCase());
      this.#names.replaceChildren(...users.map(({ username, name }) => h("option", { value: username }, name ?? "")));
      if (exact && exact.id !== this.#account) this.#use(exact.id);
      else if (!exact && isFinal) {
        this.#problem.textContent = users.length > 0 ? "Enter the whole username, or choose one from the list."
          : "No account has this username. For deleted accounts, clear this field.";
      }
    } catch (error) {
      if (!this.#isClosed) this.#problem.textContent = error.message;
    }
  }

  #use(account) {
    this.#account = account;
    this.#changed(account);
  }

  /** Fills in the username of the account that a link led to. */
  async #showName() {
    const account = this.#account;
    try {
      const { user } = await this.#net.request("admin.user", { account });
      if (!this.#isClosed && this.#input.value === "") this.#input.value = user.username;
    } catch {
      if (!this.#isClosed && this.#input.value === "") this.#input.placeholder = `Account ${account}`;
    }
  }
}
