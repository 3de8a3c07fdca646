/** How modules of projects find files and packages, module by module (`docs/guides/from_cap.md`). */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { activateHooks } from "../../src/deno/module_hooks.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

activateHooks();

/** What a module of new files has as default, or the first line of what its import throws instead. */
async function defaultOf(files: Readonly<Record<string, string>>, module = "srv/main.ts"): Promise<unknown> {
  let value: unknown;
  await withProject(files, async (folder) => {
    try {
      value = (await import(`file://${folder}/${module}`)).default;
    } catch (error) {
      value = (error as Error).message.replaceAll(folder, "…");
    }
  });
  return value;
}

const exporting = (value: unknown) => `export default ${JSON.stringify(value)};`;

Deno.test("a path means a file by its name, by the name of what it is compiled to, without ending, or in a folder", async () => {
  const cases: readonly (readonly [specifier: string, files: readonly string[], found?: string])[] = [
    ["./a.ts", ["srv/a.ts", "srv/a.ts.ts"], "srv/a.ts"],
    ["./a.js", ["srv/a.js", "srv/a.ts"], "srv/a.js"],
    ["./a.js", ["srv/a.ts", "srv/a.js.ts"], "srv/a.ts"],
    ["./a.mjs", ["srv/a.mts"], "srv/a.mts"],
    ["./a.js.js", ["srv/a.js.ts", "srv/a.ts.ts"], "srv/a.js.ts"],
    ["./a", ["srv/a.ts", "srv/a.js", "srv/a/index.ts"], "srv/a.ts"],
    ["./a", ["srv/a.js", "srv/a.mjs", "srv/a/index.ts"], "srv/a.js"],
    ["./a", ["srv/a.mjs", "srv/a.mts", "srv/a/index.ts"], "srv/a.mjs"],
    ["./a", ["srv/a.mts", "srv/a/index.ts"], "srv/a.mts"],
    ["./a", ["srv/a/index.ts", "srv/a/index.js"], "srv/a/index.ts"],
    ["./a", ["srv/a/index.js"], "srv/a/index.js"],
    [".", ["srv/index.ts"], "srv/index.ts"],
    ["..", ["index.ts"], "index.ts"],
    ["../lib/a", ["lib/a.ts"], "lib/a.ts"],
    ["./with space", ["srv/with space.ts"], "srv/with space.ts"],
    ["./a", ["srv/b.ts"]],
    ["./a.ts", ["srv/a.js"]],
  ];
  for (const [specifier, names, found] of cases) {
    const files = {
      ...Object.fromEntries(names.map((name) => [name, exporting(name)])),
      "srv/main.ts": `export { default } from "${specifier}";`,
    };
    const value = await defaultOf(files);
    if (found === undefined) assert.match(String(value), /^Module not found "file:\/\/…\/srv\/a/, specifier);
    else assert.equal(value, found, `${specifier} ${names}`);
  }
  await withProject({ "srv/a.ts": exporting("absolute") }, async (folder) => {
    for (const specifier of [`${folder}/srv/a`, `file://${folder}/srv/a`]) {
      await Deno.writeTextFile(`${folder}/main.ts`, `export { default } from "${specifier}";`);
      assert.equal((await import(`file://${folder}/main.ts?${specifier}`)).default, "absolute");
    }
  });
});

/** Names of `tsconfig.json`: what it says, what is imported, and the file that is found. */
const ALIASES: readonly (readonly [options: object, specifier: string, found?: string])[] = [
  [{ paths: { "one": ["srv/lib/one"] } }, "one", "srv/lib/one.ts"],
  [{ paths: { "one": ["srv/lib/one"] } }, "one/more"],
  [{ paths: { "one": "srv/lib/one" } }, "one", "srv/lib/one.ts"],
  [{ paths: { "one": ["srv/lib/one.ts"] } }, "one", "srv/lib/one.ts"],
  [{ paths: { "one": ["srv/gone", 1, "srv/lib/one"] } }, "one", "srv/lib/one.ts"],
  [{ paths: { "one": ["srv/gone"], "*": ["srv/lib/*"] } }, "one", "srv/lib/one.ts"],
  [{ paths: { "a-*-z": ["srv/lib/*"] } }, "a-one-z", "srv/lib/one.ts"],
  [{ paths: { "a-*-z": ["srv/lib/*"] } }, "a-one"],
  [{ paths: { "a-*-z": ["srv/lib/*"] } }, "one-z"],
  [{ paths: { "a-*-z": ["srv/lib/one*"] } }, "a--z", "srv/lib/one.ts"],
  [{ paths: { "a-*-z": ["srv/lib/one*"] } }, "a-z"],
  [{ paths: { "to/*": ["srv/*/one"] } }, "to/lib", "srv/lib/one.ts"],
  [{ paths: { "to/*": ["srv/lib/*"] } }, "to/folder", "srv/lib/folder/index.ts"],
  [{ baseUrl: "srv" }, "lib/one", "srv/lib/one.ts"],
  [{ baseUrl: "./srv/" }, "lib/one.js", "srv/lib/one.ts"],
  [{}, "srv/lib/one"],
  [{ paths: [] }, "one"],
  [{ paths: "one" }, "one"],
];

Deno.test("names of tsconfig.json mean files by their patterns, the first that is there", async () => {
  for (const [compilerOptions, specifier, found] of ALIASES) {
    const value = await defaultOf({
      "tsconfig.json": JSON.stringify({ compilerOptions }),
      "srv/lib/one.ts": exporting("srv/lib/one.ts"),
      "srv/lib/folder/index.ts": exporting("srv/lib/folder/index.ts"),
      "srv/main.ts": `export { default } from "${specifier}";`,
    });
    const what = JSON.stringify([compilerOptions, specifier]);
    if (found !== undefined) assert.equal(value, found, what);
    else assert.match(String(value), /The package "[\w-]+" is not installed/, what);
  }
});

Deno.test("names are looked for in the folders above, the nearest first; files that are broken give none", async () => {
  const files = {
    "tsconfig.json": '{ "compilerOptions": { "paths": { "a": ["./outer.ts"], "b": ["./outer.ts"] } } }',
    "srv/tsconfig.json": '{ "compilerOptions": { "paths": { "a": ["./inner.ts"] } } }',
    "srv/deep/tsconfig.json": "{ broken",
    "srv/deep/package.json": "[]",
    "srv/deep/er/tsconfig.json": '{ "compilerOptions": [] }',
    "outer.ts": exporting("outer"),
    "srv/inner.ts": exporting("inner"),
    "srv/deep/er/main.ts": 'import a from "a"; import b from "b"; export default [a, b].join();',
  };
  assert.equal(await defaultOf(files, "srv/deep/er/main.ts"), "inner,outer");
});

Deno.test("names of package.json mean files where they begin with #, and are texts", async () => {
  const imports = {
    "#one": "./lib/one.ts",
    "#lib/*": "./lib/*.ts",
    "plain": "./lib/one.ts",
    "#many": ["./lib/one.ts"],
  };
  const cases = [["#one", true], ["#lib/one", true], ["#lib/gone", false], ["plain", false], [
    "#many",
    false,
  ]] as const;
  for (const [specifier, isFound] of cases) {
    const value = await defaultOf({
      "package.json": JSON.stringify({ imports }),
      "lib/one.ts": exporting("one"),
      "srv/main.ts": `export { default } from "${specifier}";`,
    });
    if (isFound) assert.equal(value, "one", specifier);
    else assert.match(String(value), /is not installed/, specifier);
  }
});

Deno.test("a package that is absent is named with the place of its import", async () => {
  const cases: readonly (readonly [text: string, place: string])[] = [
    ['import "absent";', "1:8"],
    ["\n  import 'absent';", "2:10"],
    ['const a = 1;\nimport x from "absent";', "2:15"],
    ['"absent"; await import("absent");', "1:1"],
    ['await import(["ab", "sent"].join(""));', ""],
  ];
  for (const [text, place] of cases) {
    const expected = 'The package "absent" is not installed: deno add npm:absent, or npm install absent' +
      (place && `\n    at file://…/srv/main.js:${place}`);
    assert.equal(
      String(await defaultOf({ "srv/main.js": text }, "srv/main.js")).replace(/^Error: /, ""),
      expected,
      text,
    );
  }
});

Deno.test("what has no value in a package in CommonJS is undefined for TypeScript, and missing for JavaScript", async () => {
  const files = {
    "node_modules/given/package.json": '{ "name": "given" }',
    "node_modules/given/index.js": "exports.one = 1; exports.named = 'given';",
    "node_modules/modern/package.json": '{ "name": "modern", "type": "module" }',
    "node_modules/modern/index.js": "export const one = 2;",
  };
  const text =
    'import all, { one, Type as Renamed } from "given"; export default [one, typeof Renamed, all.named].join();';
  for (const name of ["srv/main.ts", "srv/main.mts"]) {
    assert.equal(await defaultOf({ ...files, [name]: text }, name), "1,undefined,given", name);
  }
  assert.match(
    String(await defaultOf({ ...files, "srv/main.js": text }, "srv/main.js")),
    /does not provide .*Type/,
  );
  const modern = 'import { one } from "modern"; export default one;';
  assert.equal(await defaultOf({ ...files, "srv/main.ts": modern }), 2);
  const byPath = 'import { one } from "../node_modules/given/index.js"; export default one;';
  assert.equal(await defaultOf({ ...files, "srv/main.ts": byPath }), 1);
  const without = 'import { one } from "../node_modules/given/index"; export default one;';
  assert.equal(await defaultOf({ ...files, "srv/main.ts": without }), 1);
});

Deno.test("modules of the platform come before names of the project", async () => {
  const files = {
    "tsconfig.json": '{ "compilerOptions": { "paths": { "path": ["./own.ts"] } } }',
    "own.ts": exporting("own"),
    "srv/main.ts": 'import path from "path"; export default typeof path.join;',
  };
  assert.equal(await defaultOf(files), "function");
});

/** Texts of a module, and what they have as default. */
const COMMON: readonly (readonly [file: string, text: string, value: unknown])[] = [
  ["main.js", "module.exports = 1;", 1],
  ["main.js", "export default 2; if (false) module.exports = 1;", 2],
  ["main.js", "export const one = 1; const path = require('path');", undefined],
  ["main.js", "export default require('path').basename('a/b');", "b"],
  ["main.js", "export default __dirname.endsWith('srv') && __filename.endsWith('main.js');", true],
  ["main.js", "const require = () => 'own'; export default require('path');", "own"],
  ["main.js", "let module = { exports: 3 }; export default module.exports;", 3],
  ["main.js", "var __dirname = 'own'; export default __dirname;", "own"],
  ["main.js", "export default [typeof import.meta.url, typeof globalThis.x, 'require(x)'].length;", 3],
  ["main.mjs", "export default typeof module; // module.exports", "undefined"],
  ["main.ts", "export default typeof exports; // module.exports", "object"],
  ["main.ts", "const a: { n: number } = { n: 4 };\nexport = a;", { n: 4 }],
  [
    "main.ts",
    "import path = require('path');\nimport os = require('os');\nexport = path.basename('a/b') + typeof os.EOL;",
    "bstring",
  ],
  ["main.ts", "export const a = 1;\nconst b = '\\\n export == a';\nexport default b;", " export == a"],
];

Deno.test("modules have what compilers to CommonJS give them where they use it and do not have it themselves", async () => {
  for (const [file, text, value] of COMMON) {
    assert.deepEqual(await defaultOf({ [`srv/${file}`]: text }, `srv/${file}`), value, text);
  }
});

Deno.test("JSON is imported with and without its type, and required", async () => {
  const files = { "srv/data.json": '{ "n": 1 }' };
  for (const attributes of ["", ' with { type: "json" }']) {
    const text = `import data from "./data.json"${attributes}; export default data.n;`;
    assert.equal(await defaultOf({ ...files, "srv/main.ts": text }), 1, attributes);
  }
  const required = 'module.exports = require("./data.json").n + require("./data").n;';
  assert.equal(await defaultOf({ ...files, "srv/main.js": required }, "srv/main.js"), 2);
});

Deno.test("a module of machine code that is required is opened as such, and no other module", async () => {
  await withProject({ "a.node": "no code", "b.cjs": "module.exports = 'b';" }, (folder) => {
    const require = createRequire(`${folder}/x.cjs`);
    assert.throws(() => require("./a.node"), /a\.node|file too short|invalid ELF|dlopen/);
    assert.equal(require("./b.cjs"), "b");
  });
});

Deno.test("types are passed on without values, through other modules and circles of them", async () => {
  const files = {
    "srv/main.ts":
      'import { one, Two, Five } from "./lib/index"; const own: Two | Five = one; export default own;',
    "srv/lib/index.ts":
      'export { One as Two, one } from "./one.js";\nexport { Three as Five } from "./two";\nexport { gone } from "./none/gone";',
    "srv/lib/none/gone.ts": "export const gone = 1;",
    "srv/lib/one.ts":
      'export declare interface One { n: number }\nexport const one = "value";\nexport { Three } from "./two";',
    "srv/lib/two.ts": 'export type Three = string;\nexport { One } from "./one";',
  };
  assert.equal(await defaultOf(files), "value");
  const values = {
    "srv/main.ts": 'import { a, c } from "./lib"; export default a + c;',
    "srv/lib.ts": "export { a, b as c } from './values';\nexport { } from './values';",
    "srv/values.ts": "export const a = 1;\nexport const b = 2;\n// export type a",
  };
  assert.equal(await defaultOf(values), 3);
});

Deno.test("names of generated types are those of the model for require as well, whatever was generated before", async () => {
  const files = {
    ...SMALL,
    "srv/cat_service.ts": "",
    "srv/cat_service.js": `const { Books } = require("#cds-models/shop");
const { Book } = require("../@cds-models/shop/index.js");
module.exports = (srv) => srv.on("hello", () => [Books.name, Book === Books].join());`,
    "@cds-models/shop/index.js": "module.exports = { Book: 1 };",
  };
  const { "srv/cat_service.ts": _empty, ...own } = files;
  await withProject(own, async (folder) => {
    const env = { log: { levels: { default: "silent" } } };
    const { runtime } = await loadProject(folder, { variables: {}, env });
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/cat/hello()"));
    assert.equal((await response.json()).value, "shop.Books,true");
    await runtime.close();
  });
});
