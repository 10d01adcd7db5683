import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runInNewContext } from "node:vm";
import { isOutsideApp, serverPageFiles } from "../../../deploy/web-routes.mjs";
import { text } from "../tree.js";

const checkout = new URL("../../../", import.meta.url);
const made = mkdtempSync(join(tmpdir(), "campanile-bundle-"));
execFileSync("deploy/web", [made], { cwd: checkout });
after(() => rmSync(made, { recursive: true }));

/** Files below `/app/` that pages of the server link. */
const linked = [...readFileSync(new URL("Sources/Server/HTTP/ErrorPage.swift", checkout), "utf8").matchAll(/"\/app\/([^"]+)"/g)]
  .map(([, path]) => path);

test("the pages of the server link files that the sources and a bundle have", () => {
  for (const path of serverPageFiles) assert.ok(linked.includes(path), path);
  for (const path of new Set(linked)) {
    assert.ok(text(path).length > 0, path);
    assert.ok(existsSync(join(made, path)), `a bundle has no ${path}`);
  }
});

test("in a bundle the style of those pages is one file with the styles that it imports", () => {
  const style = readFileSync(join(made, "shell/serverpage.css"), "utf8");
  assert.ok(!style.includes("@import"));
  for (const part of [".bar", ".empty", "data-theme"]) assert.ok(style.includes(part), part);
});

test("the worker keeps no file of those pages for later", () => {
  const context = { self: {} };
  for (const offline of [text("offline.js"), readFileSync(join(made, "offline.js"), "utf8")]) {
    runInNewContext(offline, context);
    assert.equal(context.self.offline.files.filter(isOutsideApp).length, 0);
  }
});

test("their script sets the stored theme and no other, also without storage, and loads nothing", () => {
  const themeOf = (localStorage) => {
    const context = { localStorage, document: { documentElement: { dataset: {} } } };
    runInNewContext(readFileSync(join(made, "shell/serverpage.js"), "utf8"), context);
    return context.document.documentElement.dataset.theme;
  };
  assert.equal(themeOf({ getItem: () => "dark" }), "dark");
  assert.equal(themeOf({ getItem: () => "purple" }), undefined);
  assert.equal(themeOf({ getItem() { throw new Error("blocked"); } }), undefined);
});
