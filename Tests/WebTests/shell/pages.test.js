import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { generated, modulesOfPages } from "../../../deploy/web-routes.mjs";
import { missingPage, pages } from "../../../Sources/WebApp/shell/pages.js";
import { Router } from "../../../Sources/WebApp/shell/router.js";
import { tabsFor } from "../../../Sources/WebApp/shell/tabs.js";
import { exportsOf, importsOf, reachedFrom, text } from "../tree.js";

const router = new Router(pages, missingPage);
const example = (path) => path.replace(/:\w+/g, "7");

test("routes.json and offline.js are what deploy/web --routes makes", () => {
  for (const [name, current] of Object.entries(generated())) {
    assert.equal(text(name), current, `${name} is not current: run deploy/web --routes`);
  }
});

test("each page has its members and no others", () => {
  for (const page of pages) {
    const { name, path, title, label, tab, isFirst = true, load, ...others } = page;
    assert.match(name, /^[a-z]+$/);
    assert.match(path, /^\/$|^(\/(:?[a-z]+))+$/);
    assert.ok(title === null || title.length > 0, path);
    assert.ok([label, tab].every((word) => word === undefined || word.length > 0), path);
    assert.equal(isFirst, true);
    assert.equal(typeof load, "function");
    assert.deepEqual(others, {});
  }
});

test("each page has a path of its own, and no earlier page takes it", () => {
  for (const page of pages) assert.equal(router.match(example(page.path))?.page, page, page.path);
});

test("each page's module has show", () => {
  const folders = importsOf("shell/pages.js").map(({ path }) => path).filter((path) => path.endsWith("pages.js"));
  assert.ok(folders.length > 10);
  for (const path of folders.flatMap((folder) => importsOf(folder)).map(({ path }) => path)) {
    assert.ok(exportsOf(path).includes("show"), path);
  }
});

test("what the first visit loads before its page has none of the features, and no map", async () => {
  const modules = (await modulesOfPages()).filter(({ isFirst }) => isFirst).map(({ module }) => module);
  assert.ok(modules.includes("livemap/map.js") && modules.includes("home/home.js"));
  const folders = new Set(["client", "connection", "kit", "map", "shell"]);
  for (const module of ["shell/main.js", ...modules]) {
    const reached = reachedFrom(module);
    const isAllowed = (path) => folders.has(dirname(path)) || dirname(path) === dirname(module) || path.endsWith("/pages.js");
    assert.deepEqual([...reached].filter((path) => !isAllowed(path)), [], module);
    for (const path of ["shell/features.js", "map/mapview.js"]) assert.ok(!reached.has(path), `${module} reaches ${path}`);
  }
});

test("parameters are decoded, slashes at the end do not count, and other paths have no page", () => {
  assert.deepEqual(router.match("/events/a%20b/edit").params, { id: "a b" });
  assert.deepEqual(router.match("/events/%E0%A4").params, { id: "%E0%A4" });
  assert.equal(router.match("/events/").page.name, "events");
  assert.equal(router.match("/events/new").page.title, "New event");
  for (const path of ["/nothing", "/mapp", "/events/3/other", "/events//edit", "/s"]) {
    assert.equal(router.match(path), null, path);
  }
});

test("each current tab is a tab of somebody", () => {
  const everybody = [null, { username: "ada", role: "student" }, { username: "ada", role: "admin" }].flatMap(tabsFor);
  const names = new Set(everybody.map(({ name }) => name));
  assert.deepEqual([...new Set(pages.map(({ tab }) => tab).filter(Boolean))].filter((tab) => !names.has(tab)), []);
});

test("guests, students and lecturers get their tabs", () => {
  const labels = (account) => tabsFor(account).map(({ path, label }) => `${path} ${label}`);
  const everybody = ["/map Map", "/track Track", "/history History", "/events Events"];
  assert.deepEqual(labels(null), [...everybody, "/login Log in"]);
  const members = [...everybody, "/buddies Buddies", "/chats Chats"];
  assert.deepEqual(labels({ username: "ada", role: "student" }), [...members, "/account ada"]);
  assert.equal(tabsFor({ username: "ada", role: "student" }, "Ada Lovelace").at(-1).label, "Ada Lovelace");
  assert.deepEqual(labels({ username: "ada", role: "lecturer" }), [...members, "/admin Admin", "/account ada"]);
});

test("the service worker takes exactly the paths of pages for pages", () => {
  const importScripts = (path) => runInNewContext(text(path.replace("/app/", "")), context);
  const context = { self: { addEventListener() {} }, importScripts };
  runInNewContext(`${text("sw.js")}; self.isPage = isPage; self.shell = shell;`, context);
  for (const { path } of pages) assert.ok(context.self.isPage(example(path)), path);
  for (const path of ["/nothing", "/mapp", "/s", "/events/3/other", "/app/shell/main.js", "/ws"]) {
    assert.ok(!context.self.isPage(path), path);
  }
  assert.ok(context.self.shell.includes("/app/shell/main.js"));
});
