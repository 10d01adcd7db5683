// A connection with a profile behind it, and a browser's storage, for tests of the profile's edits.

export class FakeNet extends EventTarget {
  account = { id: 7 };
  state = "live";
  profile = { username: "anna", interests: [] };
  updates = [];
  refuse = null;

  read(method, params) {
    return this.request(method, params);
  }

  async request(method, params) {
    if (this.state !== "live") throw Object.assign(new Error("offline"), { isTransient: true });
    if (method === "account.profile") return { profile: this.profile, interests: [{ id: "yoga", label: "Yoga" }] };
    this.updates.push(params);
    await this.holding;
    if (this.busy) throw Object.assign(new Error("busy"), { isTransient: true });
    if (this.refuse) throw new Error(this.refuse);
    const { removeHome, ...rest } = params;
    this.profile = { ...this.profile, ...rest };
    if (removeHome) delete this.profile.home;
    return this.profile;
  }

  subscribe(_topic, on) {
    this.on = on;
    return { close: () => { if (this.on === on) this.on = null; } };
  }

  /** The connection is lost, or back: then the topic is subscribed again. */
  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
    return state === "live" ? this.on?.snapshot() : undefined;
  }

  use(id) {
    this.account = id === null ? null : { id };
    this.dispatchEvent(new Event("account"));
  }
}

/** A browser's storage: `stored` has its keys and values. */
export function fakeStorage() {
  const stored = new Map();
  const storage = /** @type {any} */ ({
    getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), removeItem: (key) => stored.delete(key),
  });
  return { stored, storage };
}
