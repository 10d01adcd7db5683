// The suggestions of a deck in their order, and the accounts that were decided on. Pure.

/** Cards that wait for a decision; each account is suggested once. */
export class CardQueue {
  /** Whether the server may have more suggestions. */
  mayHaveMore = true;

  #cards = [];
  /** Accounts that were decided on here: a reply in flight may still contain them. */
  #decided = new Set();

  get length() {
    return this.#cards.length;
  }

  /** The card to decide on, or undefined. */
  get first() {
    return this.#cards[0];
  }

  /** The first `count` cards. */
  top(count) {
    return this.#cards.slice(0, count);
  }

  /** Adds the cards of an answer to a request for `limit` cards. */
  add(cards, limit) {
    const known = new Set(this.#cards.map(({ account }) => account));
    const fresh = cards.filter(({ account }) => !known.has(account) && !this.#decided.has(account));
    this.#cards.push(...fresh);
    this.mayHaveMore = fresh.length > 0 && cards.length === limit;
  }

  /** Removes the first card: it is decided on. */
  decide() {
    const card = this.#cards.shift();
    this.#decided.add(card.account);
    return card;
  }

  /** Puts a card back on top, whose decision did not reach the server. */
  putBack(card) {
    this.#decided.delete(card.account);
    this.#cards.unshift(card);
  }
}
