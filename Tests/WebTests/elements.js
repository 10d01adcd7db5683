// Elements and a page without a browser, for tests of cards: imported before the modules that draw.

/** As much of an element as small cards need. */
export class FakeElement {
  dataset = {};
  attributes = new Map();
  children = [];
  hidden = false;
  style = {};

  addEventListener() {}
  setAttribute(name, value) { this.attributes.set(name, value); }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) {
    if (this.contains(page.activeElement)) page.activeElement = page.body;
    this.children = children;
  }
  contains(other) { return this.all().includes(other); }
  all() { return [this, ...this.children.flatMap((child) => (child instanceof FakeElement ? child.all() : []))]; }
  querySelector(selector) { return this.all().find((one) => selector === `[href="${one.getAttribute("href")}"]`) ?? null; }
  get textContent() { return this.children.map((child) => child?.textContent ?? String(child)).join(""); }
  set textContent(text) { this.children = [text]; }
  checkVisibility() { return true; }
  focus() { page.activeElement = this; }
}

/** The heading that gets a focus which is lost. */
export const heading = new FakeElement();

export const page = {
  body: new FakeElement(), activeElement: /** @type {any} */ (null), documentElement: new FakeElement(), getElementById: () => null,
  createElement: () => new FakeElement(), createElementNS: () => new FakeElement(), querySelector: () => heading,
};
Object.assign(globalThis, {
  addEventListener() {}, document: page, matchMedia: () => ({ matches: false, addEventListener() {} }),
});
