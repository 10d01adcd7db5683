// People on a map: the subscriptions while a map is open, and their content. No DOM.

import { Board, peopleTopics } from "./board.js";

/** Shares with one that are looked at at a time, those of people first. */
export const sharesMax = 40;
const everyMilliseconds = 1_000;
const settleMilliseconds = 250;

/** Emits `change` when the map may have to be drawn again, each second for the ages. One for each map. */
export class People extends EventTarget {
  /** Whether those who share with everybody are wanted. */
  isCampus = false;
  /** Whether all cells in view are looked at. */
  isWhole = true;
  /** Error with which the server refuses cells, or null. */
  problem = null;

  #net;
  #sharing;
  #board = new Board();
  #shares = new Map();
  /** Shares that ended before the list says so; they are not requested again. */
  #gone = new Set();
  #listed = null;
  #cells = new Map();
  #box = null;
  #timer = 0;
  #ticker;

  constructor(net, sharing) {
    super();
    this.#net = net;
    this.#sharing = sharing;
    sharing.addEventListener("change", this.#follow);
    net.addEventListener("account", this.#useAccount);
    this.#ticker = setInterval(() => {
      this.#board.prune(net.clock.now(), net.state === "live");
      this.#changed();
    }, everyMilliseconds);
    this.#follow();
  }

  /** People to show, by name. */
  get entries() {
    const me = this.#net.account?.id ?? null;
    return this.#board.entries({ me, hidden: this.#sharing.hidden }).map((entry) => this.#sharing.named(entry));
  }

  /** Number of people beyond those that the server sends. */
  get more() {
    return this.#board.more + Math.max(0, this.#sharing.withMe.length - this.#sharing.hidden.size - sharesMax);
  }

  /** Box of the map, `[south, west, north, east]`. */
  look(box) {
    this.#box = box;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#followCells(), settleMilliseconds);
  }

  setCampus(isCampus) {
    this.isCampus = isCampus;
    this.problem = null;
    this.#followCells();
    if (isCampus) this.#loadEnds();
    this.#changed();
  }

  /** Only to know until when at the latest, should the network go. */
  async #loadEnds() {
    try {
      const { shares } = await this.#net.request("sharing.withMe", { campus: true });
      this.#board.knowEnds(shares.filter(({ audience }) => audience === "campus"));
    } catch {
      // Without it they are removed after a long silence.
    }
  }

  #follow = () => {
    const { withMe, hidden } = this.#sharing;
    if (withMe !== this.#listed) this.#gone.clear();
    this.#listed = withMe;
    const wanted = new Set(withMe.filter(({ id }) => !hidden.has(id) && !this.#gone.has(id))
      .sort((one, other) => (one.audience === "person" ? 0 : 1) - (other.audience === "person" ? 0 : 1)).slice(0, sharesMax)
      .map(({ id }) => id));
    for (const id of this.#shares.keys()) if (!wanted.has(id)) this.#drop(id);
    for (const id of wanted) {
      if (this.#shares.has(id)) continue;
      const now = () => this.#net.clock.now();
      this.#shares.set(id, this.#net.subscribe(`share/${id}`, {
        snapshot: (snapshot) => {
          this.#board.snapshot(id, snapshot, now());
          this.#changed();
        },
        push: (update) => {
          if (!this.#board.push(id, update, now())) this.#lose(id);
          this.#changed();
        },
        error: (error) => {
          if (!error.isTransient) this.#lose(id);
        },
      }));
    }
  };

  /** Its last point goes at once. */
  #drop(id) {
    this.#shares.get(id)?.close();
    this.#shares.delete(id);
    this.#board.drop(id);
    this.#changed();
  }

  /** It is over, or not for the reader any more. */
  #lose(id) {
    this.#gone.add(id);
    this.#drop(id);
  }

  #followCells() {
    const { topics, isWhole } = this.isCampus && this.#box && this.#net.account ? peopleTopics(this.#box) : { topics: [], isWhole: true };
    this.isWhole = isWhole;
    for (const [topic, subscription] of this.#cells) {
      if (topics.includes(topic)) continue;
      subscription.close();
      this.#cells.delete(topic);
      this.#board.dropCell(topic);
    }
    for (const topic of topics) {
      if (this.#cells.has(topic)) continue;
      const take = (update) => {
        this.problem = null;
        this.#board.cell(topic, update, this.#net.clock.now());
        this.#changed();
      };
      this.#cells.set(topic, this.#net.subscribe(topic, { snapshot: take, push: take, error: (error) => {
        this.#board.dropCell(topic);
        this.problem = error;
        this.#changed();
      } }));
    }
    this.#changed();
  }

  /** Nothing of what the one before was shown is for the next one. */
  #useAccount = () => {
    for (const subscription of [...this.#shares.values(), ...this.#cells.values()]) subscription.close();
    this.#shares.clear();
    this.#cells.clear();
    this.#board.clear();
    this.#follow();
    this.#followCells();
  };

  close() {
    clearInterval(this.#ticker);
    clearTimeout(this.#timer);
    this.#sharing.removeEventListener("change", this.#follow);
    this.#net.removeEventListener("account", this.#useAccount);
    for (const subscription of [...this.#shares.values(), ...this.#cells.values()]) subscription.close();
    this.#shares.clear();
    this.#cells.clear();
    this.#board.clear();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
