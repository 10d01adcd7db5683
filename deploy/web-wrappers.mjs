// esbuild gives each module that is loaded when it is needed a file of its own, also when all of its code is in a file that pages share.
// Over a slow network such a file costs a request for nothing.

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const namedImport = /import\{([^}]*)\}from"(\.\/[^"]+)";/g;
const bareImport = /import"\.\/[^"]+";/g;
const namedExport = /^export\{([^}]*)\};$/;

/**
 * Removes the files in `directory` that only export what one other has, and has their importers load that one. Returns the names of those
 * removed. O(files²).
 */
export function dropWrappers(directory) {
  const names = readdirSync(directory).filter((name) => name.endsWith(".js"));
  const texts = new Map(names.map((name) => [name, readFileSync(join(directory, name), "utf8")]));
  const dropped = new Set();
  for (const name of names) {
    const replacement = replacementOf(texts.get(name).trim());
    const call = `import("./${name}")`;
    if (!replacement || ![...texts.values()].some((text) => text.includes(call))) continue;
    for (const [other, text] of texts) texts.set(other, text.replaceAll(call, () => replacement));
    texts.delete(name);
    rmSync(join(directory, name));
    dropped.add(name);
  }
  for (const [name, text] of texts) writeFileSync(join(directory, name), text);
  return dropped;
}

/** What gives the same as importing a file with this text, or null if the file has code of its own. */
function replacementOf(text) {
  const imports = [...text.matchAll(namedImport)];
  const exported = namedExport.exec(text.replace(namedImport, "").replace(bareImport, ""));
  if (imports.length !== 1 || !exported) return null;
  const [[, names, source]] = imports;
  const members = pairs(exported[1]).map(([local, name]) => (local === name ? name : `${name}:${local}`));
  const parts = pairs(names).map(([name, local]) => (local === name ? name : `${name}:${local}`));
  return `import("${source}").then(({${parts}})=>({${members}}))`;
}

/** `a as b,c` as `[["a", "b"], ["c", "c"]]`. */
function pairs(list) {
  return list.split(",").map((one) => one.split(" as ")).map(([first, second = first]) => [first, second]);
}
