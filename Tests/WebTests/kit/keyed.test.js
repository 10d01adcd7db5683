import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener ??= /** @type {any} */ (() => {});
const { makeKeyedContents } = await import("../../../Sources/WebApp/kit/keyed.js");

/** A page with a heading and one part; elements are `{id, focus()}`. */
function makePage() {
  const element = (id) => ({ id, checkVisibility: () => true, focus() { page.activeElement = this; } });
  const heading = element("heading");
  const page = {
    body: element("body"), activeElement: /** @type {any} */ (null), children: /** @type {any[]} */ ([]),
    getElementById: (id) => page.children.find((one) => one.id === id) ?? null, querySelector: () => heading,
  };
  page.activeElement = page.body;
  globalThis.document = /** @type {any} */ (page);
  const part = /** @type {any} */ ({
    contains: (one) => page.children.includes(one),
    replaceChildren: (...children) => {
      if (page.children.includes(page.activeElement)) page.activeElement = page.body;
      page.children = children;
    },
  });
  return { page, part, element };
}

test("the focus of an element that goes is on the new one of its id, on the fallback, or on the heading of the page", () => {
  const { page, part, element } = makePage();
  const title = element("title");
  const draw = makeKeyedContents(part, () => title);
  draw("1", () => [element("skip")]);
  page.children[0].focus();
  draw("2", () => [element("skip")]);
  assert.equal(page.activeElement, page.children[0]);
  draw("3", () => []);
  assert.equal(page.activeElement, title);
  const drawPlain = makeKeyedContents(part);
  drawPlain("1", () => [element("skip")]);
  page.children[0].focus();
  drawPlain("2", () => []);
  assert.equal(page.activeElement.id, "heading");
});
