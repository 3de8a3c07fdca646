/** Which file of a package answers `require` and `import`, and what answers where there is none. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import {
  answerModule,
  answerOf,
  answerOfAbsent,
  isModule,
  packageEntry,
  refuseInternals,
} from "../../src/deno/answered_modules.ts";
import { fw } from "../../src/fw.ts";
import { printedBy, withProject } from "./project.ts";

const IMPORT = ["node", "import"];
const REQUIRE = ["node", "require"];

/** What `package.json` says, what is asked for under which conditions, and the file of the package that is found. */
const ENTRIES: readonly (readonly [described: object, path: string, conditions: string[], file?: string])[] =
  [
    [{}, "", IMPORT, "index.js"],
    [{ main: "lib/main" }, "", IMPORT, "lib/main.cjs"],
    [{ main: "./lib" }, "", IMPORT, "lib/index.js"],
    [{ main: "lib/" }, "", IMPORT, "lib/index.js"],
    [{ main: "/lib/main.cjs" }, "", IMPORT, "lib/main.cjs"],
    [{ main: "gone" }, "", IMPORT],
    [{ main: 1 }, "", IMPORT, "index.js"],
    [{ main: "lib", module: "lib/esm.mjs" }, "", IMPORT, "lib/esm.mjs"],
    [{ main: "lib", module: "lib/esm.mjs" }, "", REQUIRE, "lib/index.js"],
    [{ main: "lib", module: 1 }, "", IMPORT, "lib/index.js"],
    [{ main: "index" }, "/lib/main", IMPORT, "lib/main.cjs"],
    [{ module: "index.js" }, "/lib/esm", IMPORT, "lib/esm.mjs"],
    [{}, "/lib/data", IMPORT, "lib/data.json"],
    [{ exports: "./lib/esm.mjs" }, "", REQUIRE, "lib/esm.mjs"],
    [{ exports: "./lib/esm.mjs", main: "index" }, "/lib/main", REQUIRE],
    [{ exports: { import: "./lib/esm.mjs", require: "./lib/main.cjs" } }, "", IMPORT, "lib/esm.mjs"],
    [{ exports: { import: "./lib/esm.mjs", require: "./lib/main.cjs" } }, "", REQUIRE, "lib/main.cjs"],
    [{ exports: { import: "./lib/esm.mjs" } }, "", REQUIRE],
    [{ exports: { import: "./lib/esm.mjs", default: "./index.js" } }, "", REQUIRE, "index.js"],
    [{ exports: { node: { import: "./lib/esm.mjs" }, default: "./index.js" } }, "", REQUIRE, "index.js"],
    [
      { exports: { node: { require: "./lib/main.cjs" }, default: "./index.js" } },
      "",
      REQUIRE,
      "lib/main.cjs",
    ],
    [{ exports: [{ import: "./lib/esm.mjs" }, "./index.js"] }, "", REQUIRE, "index.js"],
    [{ exports: [] }, "", REQUIRE],
    [{ exports: null }, "", REQUIRE],
    [{ exports: { ".": "./index.js", "./part": "./lib/esm.mjs" } }, "", IMPORT, "index.js"],
    [{ exports: { ".": "./index.js", "./part": "./lib/esm.mjs" } }, "/part", IMPORT, "lib/esm.mjs"],
    [{ exports: { ".": "./index.js", "./part": "./lib/esm.mjs" } }, "/part/more", IMPORT],
    [{ exports: { ".": "./index.js" } }, "/lib/main.cjs", IMPORT],
    [{ exports: { "./part": "./lib/esm.mjs" } }, "", IMPORT],
    [{ exports: { "./part": { require: "./index.js" } } }, "/part", IMPORT],
    [{ exports: { "./*": "./lib/*.mjs" } }, "/esm", IMPORT, "lib/esm.mjs"],
    [{ exports: { "./a/*.js": "./lib/*.mjs" } }, "/a/esm.js", IMPORT, "lib/esm.mjs"],
    [{ exports: { "./a/*.js": "./lib/*.mjs" } }, "/a/esm.ts", IMPORT],
    [{ exports: { "./a/*.js": "./lib/*.mjs" } }, "/b/esm.js", IMPORT],
    [{ exports: { "./a/*": "./*/*.mjs" } }, "/a/lib", IMPORT, "lib/lib.mjs"],
    [{ exports: { "./a/*": null, "./*": "./lib/*.mjs" } }, "/a/esm", IMPORT],
    [{ exports: { "./a/*": { require: "./index.js" } } }, "/a/esm", IMPORT],
  ];

const FILES = ["index.js", "lib/index.js", "lib/main.cjs", "lib/esm.mjs", "lib/lib.mjs", "lib/data.json"];

Deno.test("the file of a package is what its exports name, else the path, else its module or main", async () => {
  for (const name of ["plain", "@scope/named"]) {
    const files = Object.fromEntries(FILES.map((file) => [`node_modules/${name}/${file}`, ""]));
    await withProject({ ...files, "srv/deep/x.js": "" }, (folder) => {
      const root = `${folder}/node_modules/${name}`;
      for (const [described, path, conditions, file] of ENTRIES) {
        Deno.writeTextFileSync(`${root}/package.json`, JSON.stringify(described));
        const found = packageEntry(`${name}${path}`, `${folder}/srv/deep`, conditions);
        const expected = file && `${root}/${file}`;
        assert.equal(found, expected, JSON.stringify([described, path, conditions]));
      }
      Deno.removeSync(`${root}/package.json`);
      assert.equal(packageEntry(name, folder, IMPORT), `${root}/index.js`);
      for (const absent of ["absent", "@scope/absent", "@scope", "", "/"]) {
        assert.equal(packageEntry(absent, folder, IMPORT), undefined, absent);
      }
    });
  }
});

Deno.test("a file is an ES module by its ending, else by the nearest package.json of its package", async () => {
  const files = {
    "package.json": '{ "type": "module" }',
    "node_modules/none/lib/x.js": "",
    "node_modules/esm/package.json": '{ "type": "module" }',
    "node_modules/esm/cjs/package.json": "{}",
    "node_modules/esm/cjs/list/package.json": "[]",
    "node_modules/cjs/package.json": '{ "type": "commonjs" }',
  };
  const cases: readonly (readonly [file: string, isModule: boolean])[] = [
    ["x.js", true],
    ["srv/deep/x.ts", true],
    ["node_modules/none/lib/x.js", false],
    ["node_modules/none/lib/x.mjs", true],
    ["node_modules/none/lib/x.mts", true],
    ["node_modules/esm/x.js", true],
    ["node_modules/esm/lib/x.js", true],
    ["node_modules/esm/x.cjs", false],
    ["node_modules/esm/x.json", false],
    ["node_modules/esm/x.mjs.txt", false],
    ["node_modules/esm/cjs/x.js", false],
    ["node_modules/esm/cjs/list/x.js", false],
    ["node_modules/cjs/x.js", false],
    ["node_modules/cjs/x.mjs", true],
  ];
  await withProject(files, (folder) => {
    for (const [file, expected] of cases) assert.equal(isModule(`${folder}/${file}`), expected, file);
  });
  assert.equal(isModule("/nowhere/x.js"), false);
});

Deno.test("a module is answered by what was given for it, from then on", async () => {
  const name = `given-${crypto.randomUUID()}`;
  await withProject({}, (folder) => {
    answerModule(name, { exports: () => "given" });
    const require = createRequire(`${folder}/x.js`);
    assert.equal(require(name), "given");
    assert.throws(() => require(`${name}/part`), /Cannot find module/);
    assert.equal(require("node:path"), require("path"));
  });
});

Deno.test("only a module that is absent itself is answered, not one that fails or misses another", async () => {
  const files = {
    "node_modules/@sap/misses/index.js": 'require("./gone");',
    "node_modules/@sap/empty/index.js": "throw null;",
    "node_modules/@sap/fails/index.js": "throw new Error(\"'@sap/fails' is broken\");",
    "node_modules/@sap/there/index.js": "module.exports = 'there';",
  };
  await withProject(files, async (folder) => {
    answerModule("to-begin-with", { exports: () => 1 });
    const require = createRequire(`${folder}/x.js`);
    assert.equal(require("@sap/there"), "there");
    assert.throws(() => require("@sap/misses"), /Cannot find module '\.\/gone'/);
    assert.throws(() => require("@sap/fails"), /^Error: '@sap\/fails' is broken$/);
    assert.throws(() => require("@sap/empty"), (error) => error === null);
    assert.throws(() => require("absent"), /Cannot find module 'absent'/);
    const name = `@sap/absent-${crypto.randomUUID()}`;
    const { output } = await printedBy(() => {
      assert.equal(typeof require(`${name}/part`), "function");
      assert.throws(require(name), new RegExp(`^Error: The package ${name} is not installed`));
      return Promise.resolve(0);
    });
    // once, however often it is asked for
    assert.equal(output.split(`The package ${name} is not installed`).length, 2, output);
  });
});

Deno.test("a module in CommonJS gets the file for `require` of a package that has one for ES modules as well", async () => {
  const files = {
    "node_modules/both/package.json": JSON.stringify({
      exports: { ".": { "module-sync": "./m.mjs", "default": "./c.js" }, "./only": "./m.mjs" },
    }),
    "node_modules/both/m.mjs": "export default 'module';",
    "node_modules/both/c.js": "module.exports = 'common';",
    "own.mjs": "export const own = 'own';",
  };
  await withProject(files, (folder) => {
    answerModule("to-begin-with", { exports: () => 1 });
    const require = createRequire(`${folder}/x.js`);
    assert.equal(require("both"), "common");
    assert.equal(require("both/only").default, "module");
    assert.equal(require("./own.mjs").own, "own");
    assert.equal(require(`${folder}/own.mjs`).own, "own");
  });
});

Deno.test("paths inside of the facade are the facade or its queries, but files that are no code are looked for", () => {
  for (
    const name of ["@sap/cds/lib", "@sap/cds/lib/srv/Service.js", "@sap/cds/libx/inside", "@sap/cds/qlx"]
  ) {
    assert.equal(answerOf(name)?.exports(), fw, name);
  }
  for (const name of ["@sap/cds/ql", "@sap/cds/lib/ql/cds-ql", "@sap/cds/lib/ql"]) {
    assert.equal(answerOf(name)?.exports(), fw.ql, name);
  }
  for (
    const name of ["@sap/cds/common.cds", "@sap/cds/x.json", "@sap/cds/", "@sap/cds2/lib", "@sap/cds/a b"]
  ) {
    assert.equal(answerOf(name), undefined, name);
  }
  assert.deepEqual(answerOf("@sap/cds/package.json")!.exports(), { name: "@sap/cds", version: fw.version });
});

Deno.test("internals are refused while plugins are loaded, and nothing else is", () => {
  refuseInternals(true);
  try {
    const message = 'Nothing stands in for "@sap/cds/libx/inside", which is no interface';
    assert.throws(() => answerOf("@sap/cds/libx/inside"), { message });
    assert.equal(answerOf("@sap/cds/lib/inside")?.exports(), fw);
    assert.equal(answerOf("@sap/cds")?.exports(), fw);
  } finally {
    refuseInternals(false);
  }
  assert.equal(answerOf("@sap/cds/libx/inside")?.exports(), fw);
});

Deno.test("what is not public and absent is answered, but tools and other packages are missed", async () => {
  for (const name of ["@sap/cds-dk/lib", "plain", "@other/sap", "sap/other"]) {
    assert.equal(answerOfAbsent(name), undefined, name);
  }
  assert.equal(answerOfAbsent("@sap/cds-dk")!.exports(), fw);
  const { output } = await printedBy(() => {
    const proxy = answerOfAbsent("@sap/cds-odata-v2-adapter-proxy")!.exports() as () => unknown;
    const handler = proxy() as (req: unknown, res: unknown, next: () => string) => unknown;
    assert.equal(handler({}, {}, () => "next"), "next");
    return Promise.resolve(0);
  });
  assert.match(output, /requests of OData V2 are not served/);
});
