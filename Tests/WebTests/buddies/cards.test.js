import assert from "node:assert/strict";
import { test } from "node:test";
import { CardQueue } from "../../../Sources/WebApp/buddies/cards.js";

const cards = (...accounts) => accounts.map((account) => ({ account }));
const accounts = (queue) => queue.top(100).map(({ account }) => account);

test("each account is suggested once, also when answers overlap", () => {
  const queue = new CardQueue();
  queue.add(cards(1, 2, 3), 3);
  queue.add(cards(2, 3, 4), 3);
  assert.deepEqual(accounts(queue), [1, 2, 3, 4]);
  assert.equal(queue.length, 4);
});

test("an account that was decided on does not come back with an answer that was under way", () => {
  const queue = new CardQueue();
  queue.add(cards(1, 2), 2);
  assert.equal(queue.decide().account, 1);
  queue.add(cards(1, 2, 3), 3);
  assert.deepEqual(accounts(queue), [2, 3]);
});

test("a card whose decision was lost is on top again, and can be suggested later", () => {
  const queue = new CardQueue();
  queue.add(cards(1, 2), 2);
  const card = queue.decide();
  queue.putBack(card);
  assert.equal(queue.first, card);
  queue.add(cards(1, 2), 2);
  assert.deepEqual(accounts(queue), [1, 2]);
});

test("there may be more cards only after a full answer with something new", () => {
  const queue = new CardQueue();
  assert.equal(queue.mayHaveMore, true);
  queue.add(cards(1, 2), 2);
  assert.equal(queue.mayHaveMore, true);
  queue.add(cards(1, 2), 2);
  assert.equal(queue.mayHaveMore, false);
  queue.add(cards(3), 2);
  assert.equal(queue.mayHaveMore, false);
});

test("an empty queue has no first card", () => {
  assert.equal(new CardQueue().first, undefined);
  assert.deepEqual(new CardQueue().top(2), []);
});
