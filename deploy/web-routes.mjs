// Makes the two files that repeat what Sources/WebApp/shell/pages.js and the folders have: see deploy/web.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pages } from "../Sources/WebApp/shell/pages.js";

export const webApp = fileURLToPath(new URL("../Sources/WebApp/", import.meta.url));

/** The server reads them (PageRoutes); the worker decides by them what to answer with the app's document. */
export function routesOf() {
  return [...new Set(pages.map(({ path }) => path))].sort();
}

/** `[{path, module, tab, isFirst}]` of all pages, in their order; `module` is a path below the web app's directory. */
export async function modulesOfPages() {
  const found = new Map();
  for (const folder of readdirSync(webApp).filter((name) => name !== "shell" && existsSync(`${webApp}${name}/pages.js`))) {
    const own = await import(`${webApp}${folder}/pages.js`);
    for (const page of own.pages) found.set(page, `${folder}/${/import\("\.\/([^"]+)"\)/.exec(String(page.load))[1]}`);
  }
  return pages.map((page) => ({ path: page.path, module: found.get(page), tab: page.tab, isFirst: page.isFirst === true }));
}

/** What pages that the server writes itself link: they have the same names in a bundle. */
export const serverPageFiles = ["shell/serverpage.css", "shell/serverpage.js"];

/** Whether the web app itself does not load a file: it is for app developers, or for the server's own pages. */
export const isOutsideApp = (path) => path === "campanile.js" || path.startsWith("examples/") || serverPageFiles.includes(path);

/** The worker fetches them when it is installed, so that all pages open without a network. */
function filesOf(folder = "") {
  return readdirSync(webApp + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return filesOf(`${path}/`);
    return /\.(js|css|svg)$/.test(path) && !["sw.js", "offline.js"].includes(path) && !isOutsideApp(path) ? [path] : [];
  }).sort();
}

const columnsMax = 140;

/** Values in as few lines as they fit in. */
function lines(values) {
  const made = [];
  for (const value of values.map((one) => `${JSON.stringify(one)},`)) {
    if (made.length > 0 && made.at(-1).length + 1 + value.length <= columnsMax) made.push(`${made.pop()} ${value}`);
    else made.push(`    ${value}`);
  }
  return made.map((line) => `${line}\n`).join("");
}

/** Leaflet and Chart.js, as the server has them from the distribution's packages. */
const debian = ["/lib/leaflet/leaflet.css", "/lib/leaflet/leaflet.js", "/lib/chart.js/chart.min.js"];

/**
 * The text of offline.js. A new `version` makes the worker fetch all files again. `pack` is `{path, files}`: a file that has the texts of
 * others, or null.
 */
export function linesOf(routes, files, version, { libraries = debian, pack = null } = {}) {
  return `// The paths of all pages, and the app's files, for sw.js. Made by deploy/web --routes for the sources, whose version is a fixed
// word, and by deploy/web for a bundle, whose version is a hash of its files.
self.offline = {
  version: ${JSON.stringify(version)},
  routes: [
${lines(routes)}  ],
  libraries: [
${lines(libraries)}  ],
  files: [
${lines(files)}  ],
  pack: ${pack ? `{ path: ${JSON.stringify(pack.path)}, files: [\n${lines(pack.files)}  ] }` : "null"},
};
`;
}

/** `{name: text}` of the generated files. */
export function generated() {
  const routes = routesOf();
  return { "routes.json": `${JSON.stringify(routes, null, 2)}\n`, "offline.js": linesOf(routes, filesOf(), "sources") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(generated())) writeFileSync(webApp + name, text);
}
