// People whom the account knows, which are buddies and members of the same conversations: one name and one picture each. No DOM.

const askTogetherMilliseconds = 1_000;
const askAgainMilliseconds = 5_000;
/** The account's own name, by its number: so that a page begins with it. */
const ownNamePrefix = "campanile.ownName.";
/** Signals after which other people may be known, or by other names. */
const signals = new Set(["account", "conversation", "gone", "resync"]);

/** Emits `change` when names or pictures are others. */
export class KnownPeople extends EventTarget {
  #net;
  #account = null;
  #subscription = null;
  #timer = 0;
  #keptName = null;
  #byAccount = new Map();
  #byUsername = new Map();

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("account", () => this.#useAccount());
    // The features bring what this browser kept.
    net.addEventListener("replies", () => this.#restore(this.#account));
    this.#useAccount();
  }

  /** A `person` as the account knows them, with name, gender and picture; a stranger is returned as given. */
  shown(person) {
    const known = this.#byAccount.get(person?.account) ?? this.#byUsername.get(person?.username);
    return known ? { ...person, name: known.name, gender: known.gender ?? null, picture: known.picture ?? null } : person;
  }

  /** Name of the person with a username; the username for a stranger. */
  nameOf(username) {
    return this.#byUsername.get(username)?.name ?? username;
  }

  /** The signed-in account as a person, with the username until the name is known; null for a guest. */
  get own() {
    const { account } = this.#net;
    if (!account) return null;
    return this.#byAccount.get(account.id) ?? { account: account.id, username: account.username, name: this.#keptName ?? account.username };
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    if (this.#account !== null) keepName(this.#account, null);
    this.#account = account;
    this.#keptName = account === null ? null : keptName(account);
    this.#subscription?.close();
    this.#subscription = null;
    clearTimeout(this.#timer);
    this.#take([]);
    this.#restore(account);
    if (account === null) return;
    this.#subscription = this.#net.subscribe(`user/${account}`, {
      snapshot: () => this.load(), push: ({ type }) => { if (signals.has(type)) this.#loadIn(askTogetherMilliseconds); }, error: () => {},
    });
  }

  /** Begins with the people that this browser kept. */
  async #restore(account) {
    if (account === null) return;
    const kept = await this.#net.replies?.get("people.known");
    if (kept && account === this.#account && this.#byAccount.size === 0) this.#take(kept.people);
  }

  #loadIn(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), wait);
  }

  /** Loads the people. A change of the account's own name or picture is signalled, too. */
  async load() {
    const account = this.#account;
    if (account === null) return;
    try {
      const { people } = await this.#net.request("people.known");
      if (account === this.#account) this.#take(people);
    } catch (error) {
      if (account === this.#account && error.isTransient && this.#net.state === "live") this.#loadIn(askAgainMilliseconds);
    }
  }

  #take(people) {
    const text = JSON.stringify(people);
    if (text === JSON.stringify([...this.#byAccount.values()])) return;
    this.#byAccount = new Map(people.map((person) => [person.account, person]));
    this.#byUsername = new Map(people.map((person) => [person.username, person]));
    const own = this.#byAccount.get(this.#account);
    if (own) keepName(this.#account, own.name);
    this.dispatchEvent(new Event("change"));
  }
}

function keptName(account) {
  try {
    return localStorage.getItem(ownNamePrefix + account);
  } catch {
    return null;
  }
}

/** Keeps the name of an account in this browser, or removes it when it is null. */
function keepName(account, name) {
  try {
    if (name === null) localStorage.removeItem(ownNamePrefix + account);
    else localStorage.setItem(ownNamePrefix + account, name);
  } catch {
    // Storage is full or blocked: the page begins with the username.
  }
}

/** Stands for `KnownPeople` where nobody is known. */
export const nobodyKnown = { shown: (person) => person, nameOf: (username) => username, addEventListener(_type, _listener) {} };
