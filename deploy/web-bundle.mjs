// Bundles the web app for a release: see deploy/web.
//
// esbuild splits modules by the set of pages that use them, which would give a page dozens of small files. So pages share five files. The
// core is what the shell and the pages that are shown first need (`isFirst` in pages.js). The ground is what makes a map, and the drawing
// what draws the campus on it. The rest is the features of `shell/features.js`, and what several other pages use. The extra is what only
// pages share that are opened later. A copy of the sources gets a module for each, which imports its modules.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { dropWrappers } from "./web-wrappers.mjs";
import { isOutsideApp, linesOf, modulesOfPages, routesOf, serverPageFiles, webApp } from "./web-routes.mjs";

/** A module that so many pages of more than one folder use belongs to the rest. */
const sharedByPagesMin = 3;
const features = "shell/features.js";
/** Smaller files fit into a packet or two; a compressed form is used if it saves a tenth. */
const compressAboveBytes = 1_024;
const worthwhileShare = 0.9;
/** Browsers since 2022, such as Safari 15.4 and Chrome 94. */
const target = "es2022";

/**
 * Folders of pages that nobody opens first: by then the service worker has the modules, or, for the console, the network is fast enough.
 * Their lists would make the document longer for everybody.
 */
const openedLater = new Set([
  "admin", "body", "closures", "factors", "insights", "privacy", "profile", "reminders", "settings", "together", "training", "workouts",
]);

/** What draws a map: over a slow network it comes before what stands on the map. */
const ground = "map/mapview.js";
/** What draws the campus: it comes beside the campus' data. */
const campus = "map/campuslayer.js";
/** Chart.js, as `addCharts` writes it. */
const chartParts = "charts/chartparts.js";
const mapPage = "livemap/map.js";
/** Takes the place of the module that loads Debian's script: see its files. */
const leafletSources = "deploy/leaflet";
const leafletModule = "map/leaflet.js";
const leafletShapes = "map/leafletshapes.js";
const leafletStyle = "/usr/share/javascript/leaflet/leaflet.css";
/** Takes the place of the module that loads Debian's script: see its files. */
const chartSources = "deploy/charts";
/** Selectors of Leaflet for what no map of the app has. */
const unusedSelector = /popup|control-(?:layers|scale)|vml|icon-path|image-layer|marker-shadow|oldie/;
/** In the document itself, for the first paint. */
const firstStyles = ["kit/base.css", "shell/skeleton.css"];
/** Loaded by the modules that need them. */
const lazyStyles = [
  "admin/admin.css", "body/body.css", "charts/charts.css", "help/help.css", "insights/insights.css", "places/places.css",
  "routes/routes.css", "together/together.css", "training/training.css", "tutorial/tutorial.css", "workouts/workouts.css",
];
/** In the document itself after all other styles, which it changes. */
const lastStyles = ["shell/large.css"];

/** The image in the bar, which the first paint has. */
const brand = "/app/assets/icon.svg";
/** How the document begins to state the version of the app. */
const versionName = 'name="campanile-version" content=';

const output = process.argv[2];
const work = mkdtempSync(join(tmpdir(), "campanile-web-"));
const sources = join(work, "sources");
const made = join(work, "made");

try {
  cpSync(webApp, sources, { recursive: true });
  const pages = await modulesOfPages();
  const { pagesWithMap, ...files } = analyse(new Set(pages.filter(({ isFirst }) => isFirst).map(({ module }) => module)));
  addLeaflet();
  addCharts();
  makeShared(files);
  mkdirSync(join(made, "bundle"), { recursive: true });
  const scripts = bundle(["shell/main.js"], ["--splitting", "--chunk-names=[name]-[hash]"]);
  writeDocument({ scripts, pages, pagesWithMap });
  bundleFixed("client/campanile.js", "campanile.js");
  for (const name of serverPageFiles) bundleFixed(name, name);
  copyRest();
  writeOffline({ unkept: new Set([...consoleFiles(scripts, pages), ...chartFiles(scripts)]), firstFiles: firstFiles(scripts, pages) });
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

/**
 * Runs esbuild over the copied sources: `{entry, imports, chunks}`, the addresses of the entry, of its imports, and of the files of each
 * module that is loaded when it is needed.
 */
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
  const statics = (path, found = new Set()) => {
    for (const one of outputs[path].imports.filter(({ kind, path: target }) => kind === "import-statement" && !found.has(target))) {
      statics(one.path, found.add(one.path));
    }
    return [...found];
  };
  const dropped = dropWrappers(join(made, "bundle"));
  const chunks = new Map();
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    const files = [path, ...(entryPoint ? statics(path) : [])].filter((file) => !dropped.has(basename(file)));
    if (entryPoint) chunks.set(`/${entryPoint}`.slice(sources.length + 1), files.map(address));
  }
  const imports = statics(entry);
  // All of its code is in the file that pages share, and a file that only imports that one would cost a request.
  const isEmpty = imports.length === 1 && Object.values(outputs[entry].inputs).every(({ bytesInOutput }) => bytesInOutput === 0);
  return isEmpty ? { entry: address(imports[0]), imports: [], chunks } : { entry: address(entry), imports: imports.map(address), chunks };
}

/**
 * Has the copied sources load Leaflet from the modules of Debian's package, of which esbuild takes what is used. Its style, as far as it is
 * used, comes before ours.
 */
function addLeaflet() {
  for (const name of readdirSync(leafletSources)) cpSync(join(leafletSources, name), join(sources, "map", name));
  const rules = [...readFileSync(leafletStyle, "utf8").replace(/\/\*[^]*?\*\//g, "").matchAll(/([^{}]+)(\{[^{}]*\})/g)];
  const used = rules.flatMap(([, selectors, declarations]) => {
    const kept = selectors.split(",").filter((selector) => !unusedSelector.test(selector));
    return kept.length > 0 ? [kept.join() + declarations] : [];
  });
  const style = join(sources, "map/map.css");
  writeFileSync(style, `${used.join("")}\n${readFileSync(style, "utf8")}`);
}

/** Has the copied sources load Chart.js from the module of Debian's package, of which esbuild takes what is used. */
function addCharts() {
  for (const name of readdirSync(chartSources)) cpSync(join(chartSources, name), join(sources, "charts", name));
}

/** One file with all that it imports, at a name that stays: for app developers, and for the server's own pages. */
function bundleFixed(source, name) {
  execFileSync("esbuild", [
    join(sources, source), "--bundle", "--format=esm", "--minify", `--target=${target}`, "--log-level=warning",
    `--outfile=${join(made, name)}`,
  ], { stdio: ["ignore", "ignore", "inherit"] });
}

/**
 * `{shared, first, others, users, pagesWithMap}`: the modules of the shared files, by their names; those that are loaded when they are
 * needed, by whether they need the core alone; those among them that use the files of maps, or what pages that are opened later share, by
 * the file; and the pages that have a map. All are paths below the web app's directory. `first` has the pages shown first.
 */
function analyse(first) {
  const report = join(work, "report.json");
  execFileSync("esbuild", [
    join(sources, "shell/main.js"), "--bundle", "--splitting", "--format=esm", `--outdir=${join(work, "unused")}`, "--external:/app/*",
    "--log-level=error", `--metafile=${report}`,
  ], { cwd: "/", stdio: ["ignore", "ignore", "inherit"] });
  const below = (path) => `/${path}`.slice(sources.length + 1);
  const inputs = new Map(Object.entries(JSON.parse(readFileSync(report)).inputs).map(([path, { imports }]) => (
    [below(path), imports.map(({ path: target, kind }) => ({ module: below(target), kind }))])));
  const reached = (module, found = new Set()) => {
    if (found.has(module)) return found;
    found.add(module);
    const fixed = inputs.get(module).filter(({ module: target, kind }) => kind === "import-statement" && inputs.has(target));
    for (const { module: target } of fixed) reached(target, found);
    return found;
  };
  const lazy = new Set([...inputs.values()].flat().filter(({ kind }) => kind === "dynamic-import").map(({ module }) => module));
  const users = new Map();
  for (const entry of lazy) for (const module of reached(entry)) users.set(module, (users.get(module) ?? new Set()).add(entry));
  const core = reached("shell/main.js");
  for (const page of first) for (const module of reached(page)) if (module !== page && users.get(module).size > 1) core.add(module);
  const base = [...reached(ground)].filter((module) => !core.has(module));
  const drawn = [...reached(campus)].filter((module) => !core.has(module) && !base.includes(module));
  const rest = reached(features);
  const extra = new Set();
  const uses = (module, modules) => [...reached(module)].some((one) => modules.includes(one));
  const hasGround = (module) => uses(module, base) || uses(module, drawn);
  for (const [module, entries] of users) {
    const folders = new Set([...entries].map(dirname));
    if (entries.size < sharedByPagesMin || folders.size === 1 || lazy.has(module) || hasGround(module) || rest.has(module)) continue;
    if ([...folders].every((folder) => openedLater.has(folder))) extra.add(module);
    else rest.add(module);
  }
  const restOf = (modules) => [...modules].filter((module) => !core.has(module) && !base.includes(module) && !drawn.includes(module));
  const loaded = [...lazy].filter((module) => !first.has(module) && ![ground, campus].includes(module));
  return {
    shared: {
      core: [...core], ground: base, drawing: drawn, rest: restOf(rest), extra: restOf(extra),
    },
    first: [...first],
    others: loaded,
    users: Object.fromEntries(Object.entries({ ground: base, drawing: drawn, extra: restOf(extra) }).map(([name, modules]) => (
      [name, loaded.filter((module) => uses(module, modules))]))),
    pagesWithMap: new Set([...lazy].filter((entry) => !first.has(entry) && reached(entry).has(leafletModule))),
  };
}

/** Adds the modules that import what is shared, and has the shell and all that is loaded when it is needed import them. */
function makeShared({ shared, first, others, users }) {
  for (const [name, modules] of Object.entries(shared)) {
    writeFileSync(join(sources, `shell/${name}.js`), modules.map((module) => `import "../${module}";\n`).join(""));
  }
  const addImports = (modules, names) => {
    for (const path of modules.map((module) => join(sources, module))) {
      writeFileSync(path, names.map((name) => `import "../shell/${name}.js";\n`).join("") + readFileSync(path, "utf8"));
    }
  };
  addImports(["shell/main.js", ...first], ["core"]);
  addImports([ground], ["core", "ground"]);
  addImports([campus], ["core", "drawing"]);
  // With Leaflet, so that one file has both.
  addImports([leafletShapes], ["ground"]);
  addImports(others, ["core", "rest"]);
  for (const [name, modules] of Object.entries(users)) addImports(modules, [name]);
}

/**
 * The document: what the first paint needs is in it, the styles of the pages shown first are one file before the end, and the core loads
 * beside them. `shell/early.js` loads the page's own modules, `shell/later.js` the features and the other styles.
 */
function writeDocument({ scripts, pages, pagesWithMap }) {
  let text = readFileSync(join(sources, "index.html"), "utf8");
  const link = / *<link rel="stylesheet" href="\/app\/([^"]+)">\n/g;
  const template = / *<template id="later">\n([^]*?) *<\/template>\n/;
  const pathsOf = (part) => [...part.matchAll(link)].map(([, path]) => path);
  const laterPaths = pathsOf(template.exec(text)[1]);
  const paths = pathsOf(text.replace(template, ""));
  const inDocument = [...firstStyles, ...lastStyles];
  const style = bundle([styled("style", paths.filter((path) => !inDocument.includes(path)))]).entry;
  const laterStyle = bundle([styled("later", laterPaths)]).entry;
  const core = new Set([...scripts.imports, scripts.entry]);
  const later = scripts.chunks.get(features).filter((address) => !core.has(address));
  const preloads = preloadsOf({ scripts, core, pages, pagesWithMap, later: [...later, laterStyle] });
  const preloaded = (addresses) => addresses.map((path) => `<link rel="modulepreload" href="${path}">`).join("");
  const early = `  <style>${inline(styled("first", firstStyles))}</style>\n`
    + `  <script data-preloads='${JSON.stringify(preloads).replaceAll("'", "&#39;")}'>${inline("shell/early.js")}</script>\n`;
  // The core is asked for first, and behind the whole document: its connection is free then, and a new one costs another way there and
  // back. See shell/early.js.
  const request = "  <script>campanileEarly.request();</script>\n";
  const end = `  ${preloaded([...core])}\n${request}  <link rel="stylesheet" href="${style}">\n`
    + `  <template id="later"><link rel="stylesheet" href="${laterStyle}">${preloaded(later)}</template>\n`
    + `  <style>${inline(styled("last", lastStyles))}</style>\n  <script type="module" src="${scripts.entry}"></script>\n`;
  // Functions, because a text would be read for `$`.
  text = text.replace(template, "").replace(link, "").replace(/ *<script type="module".*\n/, "")
    .replace(/ *<script src="\/app\/shell\/early.js"><\/script>\n/, () => early)
    .replace(`${request}</body>`, () => `${end}</body>`).replace(`<img src="${brand}"`, () => `<img src="${inlineImage(brand)}"`);
  writeFileSync(join(made, "index.html"), text);
}

/** Writes a stylesheet that imports others; returns its name. */
function styled(name, paths) {
  writeFileSync(join(sources, `${name}.css`), paths.map((path) => `@import "./${path}";\n`).join(""));
  return `${name}.css`;
}

/** An SVG image as an address that has it: over a slow network a request costs more. */
function inlineImage(address) {
  const text = readFileSync(join(sources, address.slice("/app/".length)), "utf8").replace(/\s*\n\s*/g, "").replaceAll('"', "'");
  return `data:image/svg+xml,${text.replace(/[%#<>]/g, encodeURIComponent)}`;
}

/** The bundled text of a file, for the document. */
function inline(path) {
  const { entry } = bundle([path]);
  const file = join(made, entry.slice("/app/".length));
  const content = readFileSync(file, "utf8").trim();
  rmSync(file);
  return content;
}

/**
 * `[[pattern of a path, addresses], …]`, in the pages' order: what a page imports besides the core. A page that is not shown first needs
 * what is loaded `later`, and Leaflet if it has a map. The live map, which is shown first, draws its ground before that.
 */
function preloadsOf({ scripts, core, pages, pagesWithMap, later }) {
  const found = [];
  const chunks = (modules) => modules.flatMap((module) => scripts.chunks.get(module) ?? []);
  for (const { path, module, isFirst } of pages.filter(({ module }) => !openedLater.has(dirname(module)))) {
    const parts = chunks([module]);
    if (!isFirst) parts.push(...later);
    if (pagesWithMap.has(module)) parts.push(...chunks([leafletShapes]));
    if (module === mapPage) parts.push(...chunks([ground]));
    const own = new Set(parts.filter((address) => !core.has(address)));
    if (own.size > 0) found.push([`^${path.replace(/:\w+/g, "[^/]+")}$`, [...own]]);
  }
  return found;
}

/** What keeps its name: the worker, the manifest, images and the styles that single pages load. */
function copyRest() {
  for (const name of ["sw.js", "manifest.webmanifest", "routes.json", "assets", "examples"]) {
    cpSync(join(sources, name), join(made, name), { recursive: true });
  }
  for (const path of lazyStyles) cpSync(join(sources, path), join(made, path));
}

/** Addresses of what only the console needs, which has no use without a network: the worker keeps it when it is opened. */
function consoleFiles({ chunks, entry, imports }, pages) {
  const folders = new Set(pages.filter(({ tab }) => tab === "admin").map(({ module }) => dirname(module)));
  const filesOfEntries = (isConsole) => (
    [...chunks].flatMap(([module, addresses]) => (folders.has(dirname(module)) === isConsole ? addresses : [])));
  const others = new Set([entry, ...imports, ...filesOfEntries(false)]);
  return new Set(["/app/admin/admin.css", ...filesOfEntries(true).filter((address) => !others.has(address))]);
}

/** Addresses of Chart.js: the worker keeps it when the first chart is drawn, and the page has the figures as tables without it. */
function chartFiles({ chunks }) {
  return (chunks.get(chartParts) ?? []).filter((address) => address.includes("/chartparts-"));
}

/** Addresses of what a first visit has loaded when the worker is installed. */
function firstFiles({ chunks, entry, imports }, pages) {
  const modules = [features, ground, campus, ...pages.filter(({ isFirst }) => isFirst).map(({ module }) => module)];
  return new Set([entry, ...imports, ...modules.flatMap((module) => chunks.get(module) ?? [])]);
}

/** The worker's lists, and the version in the document, which the server reads as well: a hash of all files. */
function writeOffline({ unkept, firstFiles }) {
  const others = ["sw.js", "routes.json", "index.html"];
  const files = filesOf(made).filter((path) => !others.includes(path) && !isOutsideApp(path)).sort();
  const hash = createHash("sha256");
  for (const path of [...files, "index.html", "sw.js"]) hash.update(path).update(readFileSync(join(made, path)));
  const version = hash.digest("hex").slice(0, 12);
  const document = join(made, "index.html");
  writeFileSync(document, readFileSync(document, "utf8").replace(`${versionName}"sources"`, () => `${versionName}"${version}"`));
  // The system asks for the icons of the manifest when it installs the app.
  const kept = files.filter((path) => path !== "manifest.webmanifest" && !path.endsWith(".png") && !unkept.has(`/app/${path}`));
  const packed = kept.filter((path) => /\.(js|css)$/.test(path) && !firstFiles.has(`/app/${path}`) && !/^bundle\/\w+-\w+\.css$/.test(path));
  const single = kept.filter((path) => !packed.includes(path));
  writeFileSync(join(made, "offline.js"), linesOf(routesOf(), single, version, { libraries: [], pack: writePack(packed) }));
}

/** Writes one file with the texts of others, by their paths: together they compress by a fifth better, and need one request. */
function writePack(files) {
  const text = JSON.stringify(Object.fromEntries(files.map((path) => [path, readFileSync(join(made, path), "utf8")])));
  const path = `bundle/pack-${createHash("sha256").update(text).digest("hex").slice(0, 8)}.json`;
  writeFileSync(join(made, path), text);
  return { path, files };
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
