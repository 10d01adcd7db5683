// Bundles the web app for a release: see deploy/web.
//
// esbuild splits modules by the set of pages that use them, which would give a page dozens of small files. So the modules that the shell or
// several pages use are made one file, the core: a copy of the sources gets a module that imports them all, and each page imports it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { isOutsideApp, linesOf, modulesOfPages, routesOf, serverPageFiles, webApp } from "./web-routes.mjs";

/** A module that so many pages use belongs to the core. */
const sharedByPagesMin = 3;
/** Smaller files fit into a packet or two; a compressed form is used if it saves a tenth. */
const compressAboveBytes = 1_024;
const worthwhileShare = 0.9;
/** Browsers since 2022, such as Safari 15.4 and Chrome 94. */
const target = "es2022";

/** Debian's, minified: served as the sources have it, it is 107 kB with gzip; this one is a third of that. */
const leafletPath = "/usr/share/javascript/leaflet/leaflet.min.js";
const leafletModule = "map/leaflet.js";
/** In the document itself, for the first paint. */
const firstStyles = ["kit/base.css", "shell/skeleton.css"];

const output = process.argv[2];
const work = mkdtempSync(join(tmpdir(), "campanile-web-"));
const sources = join(work, "sources");
const made = join(work, "made");

try {
  cpSync(webApp, sources, { recursive: true });
  const { core, pages, pagesWithMap } = analyse();
  makeCore({ core, pages });
  mkdirSync(join(made, "bundle"), { recursive: true });
  const library = bundleLeaflet();
  const scripts = bundle(["shell/main.js"], ["--splitting", "--chunk-names=[name]-[hash]"]);
  await writeDocument({ scripts, library, pagesWithMap });
  bundleFixed("client/campanile.js", "campanile.js");
  for (const name of serverPageFiles) bundleFixed(name, name);
  copyRest();
  writeOffline();
  compress(made);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(dirname(output), { recursive: true });
  moveTo(output);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** A rename where that is possible: the temporary directory may be on another file system. */
function moveTo(directory) {
  try {
    renameSync(made, directory);
  } catch {
    cpSync(made, directory, { recursive: true });
  }
}

/** Runs esbuild over the copied sources: `{entry, imports, chunks}`, addresses of the entry, of its imports, and of each page's files. */
function bundle(entries, options = []) {
  const report = join(work, "report.json");
  execFileSync("esbuild", [
    ...entries.map((entry) => join(sources, entry)), "--bundle", "--format=esm", "--minify", `--target=${target}`, "--log-level=warning",
    "--legal-comments=none", `--outdir=${join(made, "bundle")}`, "--entry-names=[name]-[hash]", "--external:/app/*",
    `--metafile=${report}`, ...options,
  ], { cwd: "/", stdio: ["ignore", "ignore", "inherit"] });
  const { outputs } = JSON.parse(readFileSync(report));
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(entries[0]));
  const address = (path) => `/app/bundle/${basename(path)}`;
  const statics = (path) => outputs[path].imports.filter(({ kind }) => kind === "import-statement").map((one) => one.path);
  const chunks = new Map();
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint) chunks.set(`/${entryPoint}`.slice(sources.length + 1), [path, ...statics(path)].map(address));
  }
  return { entry: address(entry), imports: statics(entry).map(address), chunks };
}

/** Puts Leaflet's minified form into the bundle, and has the copied sources load it from there. Returns its address. */
function bundleLeaflet() {
  const text = readFileSync(leafletPath);
  const address = `/app/bundle/leaflet-${createHash("sha256").update(text).digest("hex").slice(0, 8)}.js`;
  writeFileSync(join(made, address.slice("/app/".length)), text);
  const module = join(sources, leafletModule);
  writeFileSync(module, readFileSync(module, "utf8").replace("/lib/leaflet/leaflet.js", address));
  return address;
}

/** One file with all that it imports, at a name that stays: for app developers, and for the server's own pages. */
function bundleFixed(source, name) {
  execFileSync("esbuild", [
    join(sources, source), "--bundle", "--format=esm", "--minify", `--target=${target}`, "--log-level=warning",
    `--outfile=${join(made, name)}`,
  ], { stdio: ["ignore", "ignore", "inherit"] });
}

/** The modules of the core and of pages, as paths below the web app's directory. */
function analyse() {
  const report = join(work, "report.json");
  execFileSync("esbuild", [
    join(sources, "shell/main.js"), "--bundle", "--splitting", "--format=esm", `--outdir=${join(work, "unused")}`, "--external:/app/*",
    "--log-level=error", `--metafile=${report}`,
  ], { cwd: "/", stdio: ["ignore", "ignore", "inherit"] });
  const { inputs } = JSON.parse(readFileSync(report));
  const reached = (module, found = new Set()) => {
    if (found.has(module)) return found;
    found.add(module);
    for (const { path, kind } of inputs[module].imports) if (kind === "import-statement" && inputs[path]) reached(path, found);
    return found;
  };
  const dynamic = ({ imports }) => imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path);
  const pages = new Set(Object.values(inputs).flatMap(dynamic));
  const core = reached(Object.keys(inputs).find((path) => path.endsWith("shell/main.js")));
  const users = new Map();
  for (const page of pages) for (const module of reached(page)) users.set(module, (users.get(module) ?? 0) + 1);
  for (const [module, count] of users) if (count >= sharedByPagesMin && !pages.has(module)) core.add(module);
  const below = (path) => `/${path}`.slice(sources.length + 1);
  const withMap = [...pages].filter((page) => [...reached(page)].some((path) => below(path) === leafletModule));
  return { core: [...core].map(below), pages: [...pages].map(below), pagesWithMap: new Set(withMap.map(below)) };
}

/** Adds the module that imports the core, and has the shell and each page import it. */
function makeCore({ core, pages }) {
  writeFileSync(join(sources, "shell/core.js"), core.map((module) => `import "../${module}";\n`).join(""));
  for (const module of ["shell/main.js", ...pages]) {
    const path = join(sources, module);
    writeFileSync(path, `import "../shell/core.js";\n${readFileSync(path, "utf8")}`);
  }
}

/**
 * The document: what the first paint needs is in it, the other styles are one file before the end, and the core loads beside the entry.
 * `shell/early.js` loads the page's own modules.
 */
async function writeDocument({ scripts, library, pagesWithMap }) {
  let text = readFileSync(join(sources, "index.html"), "utf8");
  const inline = (path) => {
    const { entry } = bundle([path]);
    const file = join(made, entry.slice("/app/".length));
    const content = readFileSync(file, "utf8").trim();
    rmSync(file);
    return content;
  };
  const link = / *<link rel="stylesheet" href="\/app\/([^"]+)">\n/g;
  const paths = [...text.matchAll(link)].map(([, path]) => path);
  const styled = (name, some) => {
    writeFileSync(join(sources, name), some.map((path) => `@import "./${path}";\n`).join(""));
    return name;
  };
  const first = inline(styled("first.css", paths.filter((path) => firstStyles.includes(path))));
  const style = bundle([styled("style.css", paths.filter((path) => !firstStyles.includes(path)))]).entry;
  const preloads = JSON.stringify(await preloadsOf(scripts, library, pagesWithMap)).replaceAll("'", "&#39;");
  const early = `  <style>${first}</style>\n  <script data-preloads='${preloads}'>${inline("shell/early.js")}</script>\n`;
  const modules = scripts.imports.map((path) => `  <link rel="modulepreload" href="${path}">\n`).join("")
    + `  <script type="module" src="${scripts.entry}"></script>\n`;
  // Functions, because a text would be read for `$`.
  text = text.replace(link, "")
    .replace(/ *<script src="\/app\/shell\/early.js"><\/script>\n/, () => early)
    .replace(/ *<script type="module".*\n/, () => modules)
    .replace("</body>", () => `  <link rel="stylesheet" href="${style}">\n</body>`);
  writeFileSync(join(made, "index.html"), text);
}

/** `[[pattern of a path, addresses], …]`, in the pages' order: what a page imports besides the core, and Leaflet where it has a map. */
async function preloadsOf({ imports, entry, chunks }, library, pagesWithMap) {
  const shared = new Set([...imports, entry]);
  const found = [];
  for (const { path, module } of await modulesOfPages()) {
    const own = (chunks.get(module) ?? []).filter((address) => !shared.has(address));
    if (pagesWithMap.has(module)) own.push(library);
    if (own.length > 0) found.push([`^${path.replace(/:\w+/g, "[^/]+")}$`, own]);
  }
  return found;
}

/** What keeps its name: the worker, the manifest, images and the styles that single pages load. */
function copyRest() {
  for (const name of ["sw.js", "manifest.webmanifest", "routes.json", "assets", "examples"]) {
    cpSync(join(sources, name), join(made, name), { recursive: true });
  }
  cpSync(join(sources, "admin/admin.css"), join(made, "admin/admin.css"));
}

/** The worker's lists; their version is a hash of all files. */
function writeOffline() {
  const others = ["sw.js", "routes.json", "index.html"];
  const files = filesOf(made).filter((path) => !others.includes(path) && !isOutsideApp(path)).sort();
  const hash = createHash("sha256");
  for (const path of [...files, "index.html", "sw.js"]) hash.update(path).update(readFileSync(join(made, path)));
  const version = hash.digest("hex").slice(0, 12);
  const kept = files.filter((path) => path !== "manifest.webmanifest");
  writeFileSync(join(made, "offline.js"), linesOf(routesOf(), kept, version, ["/lib/leaflet/leaflet.css"]));
}

function filesOf(directory, folder = "") {
  return readdirSync(join(directory, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    return entry.isDirectory() ? filesOf(directory, `${path}/`) : [path];
  });
}

function compress(directory) {
  for (const path of filesOf(directory)) {
    const data = readFileSync(join(directory, path));
    if (data.length <= compressAboveBytes) continue;
    const forms = {
      gz: gzipSync(data, { level: 9 }), br: brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: data.length } }),
    };
    for (const [ending, form] of Object.entries(forms)) {
      if (form.length < data.length * worthwhileShare) writeFileSync(join(directory, `${path}.${ending}`), form);
    }
  }
}
