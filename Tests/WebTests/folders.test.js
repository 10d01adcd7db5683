import assert from "node:assert/strict";
import { test } from "node:test";
import { exportsOf, importsOf, modules, text } from "./tree.js";

/** A folder imports only folders before it. */
const order = [
  "client", "examples", "connection", "kit", "charts", "pulse", "videos", "body", "insights", "map", "places", "heatmap",
  "settings", "buddies", "reminders", "together", "sharing", "chat", "tracking", "history", "profile", "events", "notices", "admin", "routes", "closures",
  "workouts", "training", "factors", "account", "privacy", "livemap", "home", "tutorial", "help", "shell",
];
const filesMax = 30;
/** Served at the top, because their addresses stay. */
const top = ["campanile.js", "offline.js", "sw.js"];

const all = modules();
const folderOf = (path) => path.split("/").slice(0, -1).join("/");

test("every module lies in a folder of the list", () => {
  assert.deepEqual(all.filter((path) => !order.includes(folderOf(path))).sort(), top);
});

test("every import names a module that is there, and what it exports", () => {
  const wrong = all.flatMap((path) => importsOf(path).flatMap(({ names, path: target }) => {
    if (!all.includes(target)) return [`${path}: ${target}`];
    const exported = exportsOf(target);
    return names.filter((name) => !exported.includes(name)).map((name) => `${path}: ${name} of ${target}`);
  }));
  assert.deepEqual(wrong, []);
});

test("a folder imports only folders before it", () => {
  const wrong = all.filter((path) => !top.includes(path)).flatMap((path) => importsOf(path)
    .filter(({ path: target }) => order.indexOf(folderOf(target)) > order.indexOf(folderOf(path)))
    .map(({ path: target }) => `${path} imports ${target}`));
  assert.deepEqual(wrong, []);
});

test("no class has a private static member, for which esbuild rewrites the class and gives all pages another file", () => {
  assert.deepEqual(all.filter((path) => /^\s*static #/m.test(text(path))), []);
});

test("the examples use campanile.js and nothing else", () => {
  const used = all.filter((path) => folderOf(path) === "examples").flatMap((path) => importsOf(path).map(({ path: target }) => target));
  assert.deepEqual([...new Set(used)], ["campanile.js"]);
});

test(`no folder has more than ${filesMax} modules`, () => {
  const large = order.filter((folder) => all.filter((path) => folderOf(path) === folder).length > filesMax);
  assert.deepEqual(large, []);
});
