// A connection and a storage for tests of walks, and a route through a building.

/** About a metre to the north, in degrees. */
export const metre = 1 / 111_195;

/** A point so many metres north and east of the campus's corner. */
export const at = (north, east = 0, level = undefined) => ({ lat: north * metre, lon: east * metre, ...(level !== undefined && { level }) });

/** 100 m to the door, 20 m inside, a lift to level 2, and 30 m there. */
export function exampleRoute(changes = {}) {
  const leg = (values) => ({ kind: "path", turn: "straight", indoors: false, metres: 0, seconds: 0, text: "", ...values });
  return {
    seconds: 200, metres: 150, reasons: ["fastest"], entry: "door", uncertain: [], crowd: [],
    points: [at(0), at(100), at(100, 20, "0"), at(100, 20, "2"), at(130, 20, "2")],
    legs: [
      leg({ turn: "start", metres: 100, seconds: 75, first: 0, last: 1, text: "go along Main Walk (100 m)" }),
      leg({ turn: "enter", indoors: true, metres: 20, seconds: 15, first: 1, last: 2, toLevel: "0", text: "in at the north entrance of Library (20 m)" }),
      leg({ kind: "lift", indoors: true, metres: 0, seconds: 40, first: 2, last: 3, fromLevel: "0", toLevel: "2", text: "take the lift to level 2" }),
      leg({ turn: "left", indoors: true, metres: 30, seconds: 25, first: 3, last: 4, fromLevel: "2", toLevel: "2", text: "turn left (30 m)" }),
    ],
    ...changes,
  };
}

/** A connection: `replies` has a function or a reply for each method; `sent` lists the requests. */
export class FakeNet extends EventTarget {
  state = "live";
  account = null;
  clock = { offset: 0 };
  sent = [];
  replies = {};
  subscriptions = [];

  async request(method, params) {
    this.sent.push({ method, params });
    if (this.state !== "live") throw Object.assign(new Error("You're offline."), { isTransient: true });
    const reply = this.replies[method];
    if (reply === undefined) throw Object.assign(new Error(`no reply to ${method}`), { isTransient: false });
    return typeof reply === "function" ? reply(params) : reply;
  }

  subscribe(topic, handlers) {
    const subscription = { topic, handlers, isOpen: true, again: () => {}, close() { this.isOpen = false; } };
    this.subscriptions.push(subscription);
    return subscription;
  }

  /** Pushes to the subscribers of the open topic. */
  push(data) {
    for (const { isOpen, handlers } of this.subscriptions) if (isOpen) handlers.push(data);
  }

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  methods(name) {
    return this.sent.filter(({ method }) => method === name);
  }
}

/** A browser's storage. */
export class FakeStorage {
  values = new Map();
  getItem(key) { return this.values.get(key) ?? null; }
  setItem(key, value) { this.values.set(key, value); }
  removeItem(key) { this.values.delete(key); }
}

export const settled = () => new Promise((resolve) => { setTimeout(resolve); });
