import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { importsOf, modules, text } from "../tree.js";

const entry = "client/campanile.js";
/** Globals of a page. deploy/test-web checks the types without their declarations, too. */
const page = /\b(?:document|window|localStorage|sessionStorage|navigator|location|indexedDB|history|alert|fetch|Element)\b(?!["`:])/;

function compile(...options) {
  const all = ["--noEmit", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node", "--skipDefaultLibCheck", ...options];
  return spawnSync("tsc", all, { encoding: "utf8" });
}

function reached(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: target } of importsOf(path)) reached(target, found);
  return found;
}

const code = (path) => text(path).replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "").replace(/"[^"\n]*"|`[^`]*`/g, "\"\"");

test("campanile.js reaches the modules of its folder and no others", () => {
  const folder = readdirSync(new URL("../../../Sources/WebApp/client/", import.meta.url)).filter((name) => name.endsWith(".js"));
  assert.deepEqual([...reached(entry)].map((path) => posix.basename(path)).sort(), folder.sort());
  assert.ok([...reached(entry)].every((path) => posix.dirname(path) === "client"));
});

test("none of them uses a document, a window, or a storage of the browser", () => {
  assert.deepEqual([...reached(entry)].filter((path) => page.test(code(path))), []);
});

test("it loads and runs in plain Node.js", () => {
  const address = new URL(`../../../Sources/WebApp/${entry}`, import.meta.url).href;
  const script = `const { CampanileClient } = await import(${JSON.stringify(address)});
    console.log(new CampanileClient("ws://x/ws").state);`;
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).trim(), "closed");
});

test("a Node.js process ends after close() of the client, with a view that is still open", () => {
  const address = new URL("../../../Sources/WebApp/client/campanile.js", import.meta.url).href;
  const script = `const { CampanileClient } = await import(${JSON.stringify(address)});
    const results = { hello: { version: "1", campus: {} }, "positions.view": { topics: ["cell/15/17111/10897"] } };
    class Socket {
      constructor() { queueMicrotask(() => { this.readyState = 1; this.onopen(); }); }
      send(message) {
        const { id, method } = JSON.parse(message);
        setImmediate(() => this.onmessage({ data: JSON.stringify({ id, result: results[method] }) }));
      }
      close() { this.readyState = 3; }
    }
    const client = new CampanileClient("ws://x/ws", { makeSocket: () => new Socket() });
    const map = client.positions([51.49, 7.99, 51.51, 8.01], 15);
    client.connect();
    map.addEventListener("change", () => { client.close(); console.log(client.state); });`;
  const options = /** @type {const} */ ({ encoding: "utf8", timeout: 20_000 });
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", script], options).trim(), "closed");
});

test("the web app has one connection: its client, whose first socket the document may have opened", () => {
  const makers = modules().filter((path) => /\bnew (?:globalThis\.)?WebSocket\b/.test(code(path)));
  assert.deepEqual(makers.sort(), ["client/connection.js", "connection/browser.js", "shell/early.js"]);
});

test("deploy/web --types makes declarations with which TypeScript checks a program, and the examples of the article", (context) => {
  if (spawnSync("tsc", ["--version"]).error) {
    context.skip("tsc is not installed");
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), "campanile-types-"));
  try {
    execFileSync(fileURLToPath(new URL("../../../deploy/web", import.meta.url)), ["--types", directory]);
    const write = (name, text) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const program = (...lines) => [
      "import { CampanileClient } from \"./campanile.js\";", "const client = new CampanileClient(\"wss://x/ws\", { token: null });", ...lines,
    ].join("\n");
    const wrong = compile("--strict", write("wrong.ts", program(
      "client.request(\"campus.inof\");", "client.request(\"campus.info\").then(({ title }) => title);",
    )));
    assert.match(wrong.stdout, /campus\.inof/);
    assert.match(wrong.stdout, /'title'/);
    const right = compile("--strict", write("right.ts", program("client.request(\"campus.info\").then(({ name }) => name.length);")));
    assert.equal(right.stdout + right.status, "0");
    const article = readFileSync(new URL("../../../Sources/campanile/Documentation.docc/ClientJavaScript.md", import.meta.url), "utf8");
    const examples = [...article.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, example], index) => write(`example${index}.mts`, example));
    assert.equal(examples.length, 3);
    const checked = compile(...examples);
    assert.equal(checked.stdout + checked.status, "0");
  } finally {
    rmSync(directory, { recursive: true });
  }
});
