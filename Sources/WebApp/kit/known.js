// People whom the account knows, which are buddies and members of the same conversations: one name and one picture each. No DOM.

const askTogetherMilliseconds = 1_000;
const askAgainMilliseconds = 5_000;
/** Signals after which other people may be known, or by other names. */
const signals = new Set(["conversation", "gone", "resync"]);

/** Emits `change` when names or pictures are others. */
export class KnownPeople extends EventTarget {
  #net;
  #account = null;
  #subscription = null;
  #timer = 0;
  #byAccount = new Map();
  #byUsername = new Map();

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("account", () => this.#useAccount());
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

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    this.#account = account;
    this.#subscription?.close();
    this.#subscription = null;
    clearTimeout(this.#timer);
    this.#take([]);
    if (account === null) return;
    this.#subscription = this.#net.subscribe(`user/${account}`, {
      snapshot: () => this.load(), push: ({ type }) => { if (signals.has(type)) this.#loadIn(askTogetherMilliseconds); }, error: () => {},
    });
  }

  #loadIn(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), wait);
  }

  /** Loads the people. Call it also after a change of the account's name or picture, for which there is no signal. */
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
    this.dispatchEvent(new Event("change"));
  }
}

/** Stands for `KnownPeople` where nobody is known. */
export const nobodyKnown = { shown: (person) => person, nameOf: (username) => username, addEventListener(_type, _listener) {} };
