import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { permissions, problems } from "../../../Sources/WebApp/help/problems.js";
import { questions } from "../../../Sources/WebApp/help/questions.js";
import { answersOf, topicOf, topics } from "../../../Sources/WebApp/help/topics.js";
import { missingPage, pages } from "../../../Sources/WebApp/shell/pages.js";
import { Router } from "../../../Sources/WebApp/shell/router.js";
import { reachedFrom } from "../tree.js";

const router = new Router(pages, missingPage);
const all = [...topics, ...questions, ...problems, ...permissions];
const words = (text) => text.split(/\s+/).filter(Boolean).length;

test("each page has one topic, and each topic only pages that exist", () => {
  for (const { name } of [...pages, missingPage]) {
    assert.equal(topics.filter((topic) => topic.pages.includes(name)).length, 1, name);
  }
  const names = new Set([...pages, missingPage].map(({ name }) => name));
  assert.deepEqual(topics.flatMap((topic) => topic.pages).filter((name) => !names.has(name)), []);
  assert.equal(topicOf("track").id, "track");
  assert.equal(topicOf(null).id, "help");
});

test("links lead to pages that exist, and say where", () => {
  for (const { id, links = [] } of all) {
    for (const [path, label] of links) assert.ok(router.match(path) && label.length > 0, `${id}: ${path}`);
  }
});

test("entries have ids and titles of their own, and are short", () => {
  for (const name of ["id", "title"]) assert.equal(new Set(all.map((entry) => entry[name])).size, all.length, name);
  for (const { id, text, points = [], steps = [] } of all) {
    assert.ok(words(text) <= 35, `${id}: ${words(text)}`);
    assert.ok(points.length <= 5 && steps.length <= 5, id);
    for (const point of [...points, ...steps]) assert.ok(words(point) <= 25, `${id}: ${point}`);
  }
});

test("each question and problem is about topics that exist; the panel of a page shows them", () => {
  const known = new Set(topics.map(({ id }) => id));
  assert.deepEqual([...questions, ...problems].flatMap(({ about }) => about).filter((id) => !known.has(id)), []);
  const ids = (page, family) => answersOf(topicOf(page), family).map(({ id }) => id);
  assert.deepEqual(ids("track", "firefox"), ["howtrack", "whosees", "hidehome", "noposition", "gaps", "battery", "offline", "allowfirefox"]);
  assert.deepEqual(ids("datasettings", "firefox"), ["leave"]);
});

test("the steps to allow the location are there for each family of browsers", () => {
  const families = ["iosSafari", "iosOther", "android", "samsung", "firefoxAndroid", "firefox", "safari", "chromium"];
  assert.deepEqual(permissions.map(({ family }) => family).sort(), families.sort());
});

test("help is a part of the app that needs no request, and works offline", () => {
  for (const module of ["help/help.js", "help/panel.js"]) {
    assert.ok(reachedFrom(module).has("help/topics.js"));
    assert.deepEqual([...reachedFrom(module)].filter((path) => path.startsWith("client/campanile")), []);
  }
});
