import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPage, pages } from "../../../Sources/WebApp/shell/pages.js";
import { Router } from "../../../Sources/WebApp/shell/router.js";
import { steps, stepsMax, stepWordsMax } from "../../../Sources/WebApp/tutorial/steps.js";

const words = (text) => text.split(/\s+/).filter(Boolean).length;

test("the tutorial has at most eight steps, and each instruction at most twenty words (U-9)", () => {
  assert.deepEqual([stepsMax, stepWordsMax], [8, 20]);
  assert.ok(steps.length <= stepsMax);
  for (const { title, text } of steps) assert.ok(words(`${title} ${text}`) <= stepWordsMax, `${title}: ${words(`${title} ${text}`)}`);
});

test("all of its words are read in less than two minutes by a slow reader, at 100 words a minute", () => {
  const total = steps.reduce((sum, { title, text }) => sum + words(`${title} ${text}`), 0);
  assert.ok(total / 100 < 2, `${total} words`);
});

test("each step but the first leads to its page and points at a control there", () => {
  const router = new Router(pages, missingPage);
  assert.deepEqual([steps[0].page, steps[0].path, steps[0].targets], [null, null, []]);
  for (const { page, path, targets } of steps.slice(1)) {
    assert.equal(router.match(path).page.name, page);
    assert.ok(targets.length > 0, page);
  }
  const titles = steps.map(({ title }) => title);
  assert.equal(new Set(titles).size, titles.length);
});
