// The files of the web app and their imports, for tests.

import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { webApp } from "../../deploy/web-routes.mjs";

/** Paths of all modules, below `Sources/WebApp`. */
export function modules(folder = "") {
  return readdirSync(webApp + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return modules(`${path}/`);
    return path.endsWith(".js") ? [path] : [];
  });
}

export const text = (path) => readFileSync(webApp + path, "utf8");

/** `{names, path, isExport, isLazy}` of each static and dynamic import of a module. `names` is empty where none are named. */
export function importsOf(path) {
  const code = text(path).replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const found = code.matchAll(/^(import|export) (?:(?:\{([^}]*)\}|\*) from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  return [...found].map(([, word, names, fixed, lazy]) => ({
    isExport: word === "export",
    isLazy: lazy !== undefined,
    names: (names ?? "").split(",").map((name) => name.trim().split(" as ")[0]).filter(Boolean),
    path: posix.join(posix.dirname(path), fixed ?? lazy),
  }));
}

/** Names that a module exports. */
export function exportsOf(path) {
  const declared = [...text(path).matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)].map(([, name]) => name);
  const passedOn = importsOf(path).filter(({ isExport }) => isExport);
  return [...declared, ...passedOn.flatMap(({ names, path: target }) => (names.length > 0 ? names : exportsOf(target)))];
}

/** The paths of a module and of all that it imports, without what is loaded when it is needed. */
export function reachedFrom(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: target, isLazy } of importsOf(path)) if (!isLazy) reachedFrom(target, found);
  return found;
}
