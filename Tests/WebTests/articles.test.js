// The links of the documents: every one leads to an article, a heading or a file, and the index has every article.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = "Sources/campanile/Documentation.docc/";
const read = (path) => readFileSync(join(root, path), "utf8");

const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
const articles = new Map(names.map((name) => [name, read(`${folder}${name}.md`)]));
const documents = [...names.map((name) => `${folder}${name}.md`), "README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/** Text without its blocks of code and its code spans, in which a link is an example. */
const prose = (text) => text.replace(/^```[^]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
const headings = (text) => [...text.replace(/^```[^]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading.replaceAll("`", ""));
/** Anchors as DocC makes them. */
const anchors = (name) => headings(articles.get(name) ?? "").map((heading) => heading.replaceAll(" ", "-"));
/** Anchors as hosts of repositories make them. */
const slugs = (path) => headings(read(path)).map((heading) => heading.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-"));

function filesBelow(path, endings) {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(inside, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [inside] : [];
  });
}

test("every <doc:…> leads to an article, and to a heading of it", () => {
  const code = ["Sources", "Tests", "sql"].flatMap((path) => filesBelow(path, [".swift", ".sql"]));
  const wrong = [...documents, ...code].flatMap((path) => {
    const text = path.endsWith(".md") ? prose(read(path)) : read(path);
    return [...text.matchAll(/<doc:(\w+)(?:#([^>]*))?>/g)]
      .filter(([, name, anchor]) => !articles.has(name) || (anchor && !anchors(name).includes(anchor)))
      .map(([link]) => `${path}: ${link}`);
  });
  assert.deepEqual(wrong, []);
});

test("every other link within the checkout leads to a file, and to a heading of it", () => {
  const wrong = documents.flatMap((path) => [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^(https?:|mailto:|<doc:)/.test(target)) return [];
    const [file, anchor] = target.split("#");
    const found = file ? join(dirname(path), file) : path;
    const isThere = existsSync(join(root, found)) && (!anchor || slugs(found).includes(anchor));
    return isThere ? [] : [`${path}: ${target}`];
  }));
  assert.deepEqual(wrong, []);
});

test("the index lists every article once, under the kind that the article names at its beginning", () => {
  const kinds = { Tutorials: "Tutorial", "How-to guides": "How-to", Reference: "Reference", Explanation: "Explanation" };
  const listed = new Map();
  for (const section of articles.get("Documentation").split("\n### ").slice(1)) {
    const kind = kinds[section.split("\n")[0]];
    for (const [, name] of section.matchAll(/^- <doc:(\w+)>: /gm)) listed.set(name, [...(listed.get(name) ?? []), kind]);
  }
  const others = names.filter((name) => name !== "Documentation");
  assert.deepEqual([...listed.keys()].sort(), others.sort());
  const wrong = others.filter((name) => {
    const purpose = articles.get(name).split("\n\n")[1].replaceAll("\n", " ");
    const [kind, ...more] = listed.get(name);
    return more.length > 0 || !new RegExp(`\\b${kind}\\b`).test(purpose);
  });
  assert.deepEqual(wrong, []);
});
