// Shares of others that the map of this device leaves out. No DOM.

import { readList } from "./stoplist.js";

const key = "campanile.sharesHidden";
const countMax = 200;

/** Numbers of hidden shares, the latest `countMax` of them. */
export class HiddenShares {
  ids = new Set();

  /** Reads the stored numbers, for an account; null for nobody. */
  use(account) {
    this.ids = new Set(account === null ? [] : readList(localStorage.getItem(key)));
  }

  set(id, isHidden) {
    this.ids.delete(id);
    if (isHidden) this.ids.add(id);
    while (this.ids.size > countMax) this.ids.delete(this.ids.values().next().value);
    localStorage.setItem(key, JSON.stringify([...this.ids]));
  }
}
