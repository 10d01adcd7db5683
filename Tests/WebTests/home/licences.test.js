import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { licences } from "../../../Sources/WebApp/home/licencelist.js";

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
/** Programs and certificates of the image that are no part of Campanile. */
const others = new Set(["ca-certificates"]);

test("every package that Package.swift names and the image installs has its licence, and no other", () => {
  const manifest = read("Package.swift");
  const swift = [...manifest.matchAll(/\.package\(url: "[^"]*\/([\w-]+)"/g)].map(([, name]) => name);
  const system = [...manifest.matchAll(/\.apt\(\[([^\]]*)\]\)/g)].flatMap(([, list]) => [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name));
  const [, image] = read("deploy/Dockerfile").split(/FROM \$\{RUNTIME_IMAGE\}/);
  const [, installed] = /--no-install-recommends ([^&]+)&&/.exec(image);
  const needed = [...swift, ...system, ...installed.split(/[\s\\]+/).filter(Boolean)].filter((name) => !others.has(name));
  assert.ok(swift.length >= 3 && system.length >= 5 && needed.length > 12);
  const listed = licences.flatMap(({ packages }) => packages);
  assert.deepEqual([...new Set(needed)].filter((name) => !listed.includes(name)), [], "add the licence to home/licencelist.js");
  assert.deepEqual(listed.filter((name) => !needed.includes(name)), [], "nothing needs these any more");
});

test("each licence has a name of SPDX and a link to its text", () => {
  const known = /^(Apache-2\.0( WITH Swift-exception)?|PostgreSQL|PSF-2\.0|Zlib|curl|MIT|BSD-2-Clause|BSD-3-Clause|(L?GPL)-\d\.\d-or-later)$/;
  for (const { name, licence, url } of licences) {
    assert.match(licence, known, name);
    assert.match(url, /^https:\/\//, name);
  }
});
