import "../navigator.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

/** As much of an element as the tabs need. */
class FakeElement {
  dataset = {};
  attributes = new Map();
  children = [];
  hidden = false;

  setAttribute(name, value) {
    this.attributes.set(name, value);
    if (name === "hidden") this.hidden = true;
  }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  addEventListener() {}
  focus() { document.activeElement = this; }

  /** The first element for which `isIt` is true, itself included. */
  find(isIt) {
    if (isIt(this)) return this;
    for (const child of this.children) {
      const found = child instanceof FakeElement ? child.find(isIt) : null;
      if (found) return found;
    }
    return null;
  }

  get text() {
    return this.children.map((child) => (child instanceof FakeElement ? child.text : child)).join("");
  }
}

const tabs = new FakeElement();
Object.assign(globalThis, {
  addEventListener() {},
  document: {
    title: "", createElement: () => new FakeElement(), createElementNS: () => new FakeElement(), querySelector: () => null,
    getElementById: (id) => (id === "tabs" ? tabs : tabs.find(({ attributes }) => attributes.get("id") === id)),
  },
});
const { Frame } = await import("../../../Sources/WebApp/shell/frame.js");

const ada = { id: 7, username: "ada", role: "student" };
const map = { name: "map", title: "Live map", tab: "map" };

class FakeNet extends EventTarget {
  account = ada;
}

class FakeKnown extends EventTarget {
  own = { account: 7, name: "Ada Lovelace" };
}

let net, known, frame;
const labels = () => tabs.children.map((tab) => tab.find(({ className }) => className === "tab-label").text);
const become = (account, own) => {
  [net.account, known.own] = [account, own];
  net.dispatchEvent(new Event("account"));
};
const learn = (own) => {
  known.own = own;
  known.dispatchEvent(new Event("change"));
};

beforeEach(() => {
  tabs.replaceChildren();
  [net, known] = [new FakeNet(), new FakeKnown()];
  frame = new Frame(net, known);
  frame.show(map);
});

test("the shown page's tab is the current one", () => {
  const current = tabs.children.filter(({ attributes }) => attributes.get("aria-current") === "page");
  assert.deepEqual(current.map(({ dataset }) => dataset.nav), ["map"]);
});

test("the account's tab has its name again when it logs in once more", () => {
  assert.equal(labels().at(-1), "Ada Lovelace");
  become(null, null);
  assert.equal(labels().at(-1), "Log in");
  become(ada, { account: 7, name: "ada" });
  assert.equal(labels().at(-1), "ada");
  learn({ account: 7, name: "Ada Lovelace" });
  assert.equal(labels().at(-1), "Ada Lovelace");
});

test("the tabs are drawn again only for another name of the account itself", () => {
  const [first] = tabs.children;
  learn({ account: 7, name: "Ada Lovelace" });
  assert.equal(tabs.children[0], first);
  learn({ account: 7, name: "Ada Byron" });
  assert.equal(labels().at(-1), "Ada Byron");
});

test("a tab that has the focus has it again when the tabs are drawn anew", () => {
  const [, track] = tabs.children;
  track.focus();
  frame.setRecording(true);
  assert.notEqual(tabs.children[1], track);
  assert.equal(document.activeElement, tabs.children[1]);
});

test("counts up to 99 are exact, are hidden when they are 0, and survive new tabs; the title has the unread messages", () => {
  const count = () => tabs.find(({ attributes }) => attributes.get("id") === "unread-total");
  assert.ok(count().hidden);
  assert.equal(frame.titled("Live map"), "Live map · Campanile");
  for (const [number, shown] of [[99, "99"], [100, "99+"]]) {
    frame.setCount("chats", number);
    frame.setRecording(number === 100);
    assert.equal(count().text, `${shown} unread`);
    assert.equal(frame.titled("Live map"), `(${shown}) Live map · Campanile`);
  }
  frame.setCount("chats", 0);
  assert.ok(count().hidden);
});
