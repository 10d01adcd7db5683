// CONTRIBUTING, Style: bounds on what a reader has to keep in mind at once. Tests/StructureTests has the same for Swift.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const fileLinesMax = 400;
const functionLinesMax = 70;
const columnsMax = 140;

const checkout = new URL("../../", import.meta.url);
/** `{path, lines}` of the scripts in a folder of the checkout. */
const scripts = (folder) => readdirSync(new URL(folder, checkout), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
  .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`)
  .map((path) => ({ path: path.slice(checkout.pathname.length), lines: readFileSync(path, "utf8").replace(/\n$/, "").split("\n") }));

const sources = ["Sources", "deploy"].flatMap(scripts);
const tests = scripts("Tests/WebTests");

/** `{name, length}` of each function and method with a name, by indentation: from its declaration to the brace that closes it. */
function functionsOf(lines) {
  const words = "(?:(?:export|default|async|static|get|set) )*";
  const declaration = new RegExp(`^ *${words}(?:function\\*? (\\w+)|(?!(?:if|for|while|switch|catch)\\b)\\*?(#?\\w+)(?=\\(.*\\{$))`);
  const arrow = /^ *(?:export )?(?:const|let) (\w+) = .*=> \{$/;
  const open = [];
  const found = [];
  lines.forEach((line, index) => {
    const indentation = line.search(/\S/);
    const [, plain, method] = declaration.exec(line) ?? [];
    const name = plain ?? method ?? arrow.exec(line)?.[1];
    if (name !== undefined) open.push({ indentation, name, start: index });
    else if (line[indentation] === "}") {
      while (open.length > 0 && open.at(-1).indentation >= indentation) {
        const last = open.pop();
        if (last.indentation === indentation) found.push({ name: last.name, length: index - last.start + 1 });
      }
    }
  });
  return found;
}

test(`no script has more than ${fileLinesMax} lines`, () => {
  assert.ok(sources.length > 300 && tests.length > 30);
  const long = [...sources, ...tests].filter(({ lines }) => lines.length > fileLinesMax);
  assert.deepEqual(long.map(({ path, lines }) => `${path}: ${lines.length} lines`), []);
});

test(`no line of the sources has more than ${columnsMax} columns`, () => {
  const wide = sources.flatMap(({ path, lines }) => lines
    .flatMap((line, index) => ([...line].length > columnsMax ? [`${path}:${index + 1}`] : [])));
  assert.deepEqual(wide, []);
});

test(`no function of the sources has more than ${functionLinesMax} lines`, () => {
  const long = sources.flatMap(({ path, lines }) => functionsOf(lines)
    .filter(({ length }) => length > functionLinesMax).map(({ name, length }) => `${path}: ${name} has ${length} lines`));
  assert.deepEqual(long, []);
});

test("the measure counts functions, methods and arrow functions, and inner functions by themselves", () => {
  const lines = `export class A {
  static async #one(given) {
    if (given) {
      return 1;
    }
  }

  get two() { return 2; }
}

export async function three() {
  const four = (given) => {
    print(given);
  };
  four();
}`.split("\n");
  assert.deepEqual(functionsOf(lines), [{ name: "#one", length: 5 }, { name: "four", length: 3 }, { name: "three", length: 6 }]);
});
