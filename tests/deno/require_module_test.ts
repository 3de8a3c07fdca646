/** Modules of projects: how they are loaded, and what is told where they cannot be. */

import assert from "node:assert/strict";
import { loadModuleFile, moduleFailure } from "../../src/deno/require_module.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { withProject } from "./project.ts";

/** What modules of a folder export, or the error. */
async function exportsOf(files: Readonly<Record<string, string>>, file: string): Promise<unknown> {
  let found: unknown;
  await withProject(files, async (folder) => {
    found = await loadModuleFile(`${folder}/${file}`);
  });
  return found;
}

/** What is told of a module that cannot be loaded: place and text, without the folder. */
async function failureOf(files: Readonly<Record<string, string>>, file: string): Promise<string> {
  let told = "";
  await withProject(files, async (folder) => {
    const cause = await loadModuleFile(`${folder}/${file}`).then(() => undefined, (error) => error);
    const error = await moduleFailure("It fails", `${folder}/${file}`, cause);
    assert.ok(error instanceof ConfigurationError);
    assert.equal(error.cause, cause);
    told = error.message.replaceAll(`${folder}/`, "").replaceAll(`file://`, "");
  });
  return told;
}

/** Only as CommonJS a file is the body of a function. */
const WAY = "typeof arguments === 'object' ? 'require' : 'import'";

Deno.test("files are CommonJS by their ending, or by what they export or require where they import and export nothing", async () => {
  const table: readonly (readonly [string, string, string])[] = [
    ["a.cjs", `module.exports = { way: ${WAY} };`, "require"],
    ["b.js", `module.exports = { way: ${WAY} };`, "require"],
    ["c.js", `exports.way = ${WAY};`, "require"],
    ["d.js", `const p = require("node:path"); this.way = p && ${WAY};`, "require"],
    ["e.js", `export const way = ${WAY}; // module.exports`, "import"],
    [
      "f.js",
      `import p from "node:path"; globalThis.p = p; // module.exports\nexport const way = ${WAY};`,
      "import",
    ],
    ["g.mjs", `export const way = ${WAY};`, "import"],
    ["h.ts", `export const way: string = ${WAY};`, "import"],
    ["i.js", `module.exports = { way: ${WAY} };\nimport("node:path");`, "require"],
    ["j.js", `module.exports = { way: ${WAY} }; const text = "export";`, "require"],
    ["k.mjs", `/* require("x") */ export const way = ${WAY};`, "import"],
    ["l.js", `  export const way = ${WAY}; // require("x")`, "import"],
  ];
  for (const [file, text, way] of table) {
    const { way: found } = await exportsOf({ [file]: text }, file) as { readonly way: string };
    assert.equal(found, way, text);
  }
});

Deno.test("a file that neither imports nor exports anything is no CommonJS", async () => {
  const seen: { way?: string } = {};
  Object.assign(globalThis, { seenByModule: seen });
  try {
    await exportsOf({ "a.js": `seenByModule.way = ${WAY};` }, "a.js");
    assert.equal(seen.way, "import");
  } finally {
    Reflect.deleteProperty(globalThis, "seenByModule");
  }
});

Deno.test("rule 11: modules find the facade under the names of existing projects", async () => {
  const required = 'module.exports = { a: typeof require("@sap/cds").ApplicationService };';
  assert.deepEqual(await exportsOf({ "a.cjs": required }, "a.cjs"), { a: "function" });
  const imported = 'import cds from "@sap/cds";\nexport const a = typeof cds.ApplicationService;';
  assert.equal((await exportsOf({ "b.js": imported }, "b.js") as { a: unknown }).a, "function");
});

Deno.test("a module whose only export is a plain object as default is that object", async () => {
  const table: readonly (readonly [string, unknown])[] = [
    ["export default { a: 1 };", { a: 1 }],
    ["export default { a: 1 }; export const b = 2;", { b: 2, default: { a: 1 } }],
    ["export default [1];", { default: [1] }],
    ["export const b = 2;", { b: 2 }],
    ["export const b = { c: 1 };", { b: { c: 1 } }],
    ["globalThis.unused = 1;", {}],
  ];
  for (const [text, value] of table) {
    assert.deepEqual({ ...await exportsOf({ "a.ts": text }, "a.ts") as object }, value, text);
  }
  const exported = await exportsOf({ "a.cjs": "module.exports = () => 3" }, "a.cjs") as () => number;
  assert.equal(exported(), 3);
});

Deno.test("what a module throws while it is loaded is told with the place of the code that threw it", async () => {
  assert.match(
    await failureOf({ "a.ts": "\n  throw new Error('no');" }, "a.ts"),
    /^a\.ts:2:\d+: It fails: no$/,
  );
  assert.match(
    await failureOf({ "a.cjs": "\n\nthrow new TypeError('no');" }, "a.cjs"),
    /^a\.cjs:3:\d+: It fails: no$/,
  );
  const inner = { "a.ts": 'import "./b.ts";', "b.ts": "throw new Error('two\\nlines');" };
  assert.match(await failureOf(inner, "a.ts"), /^b\.ts:1:\d+: It fails \(a\.ts\): two\nlines$/);
  assert.equal(await failureOf({ "a.cjs": "throw 'text'" }, "a.cjs"), "a.cjs: It fails: text");
});

Deno.test("mistakes of syntax are told with their place, in CommonJS too", async () => {
  assert.match(
    await failureOf({ "a.ts": "export const a = ;" }, "a.ts"),
    /^a\.ts:1:18: It fails: SyntaxError: Expression expected$/,
  );
  assert.match(await failureOf({ "a.js": "export const\n a = ;" }, "a.js"), /^a\.js:2:\d+: It fails: /);
  assert.match(
    await failureOf({ "a.cjs": "const a = 1;\nconst b = ;" }, "a.cjs"),
    /^a\.cjs:2:\d+: It fails: /,
  );
  const inner = { "a.cjs": 'module.exports = 1;\nrequire("./b.cjs");', "b.cjs": "const b = ;" };
  assert.match(await failureOf(inner, "a.cjs"), /^a\.cjs:2:1: It fails: Unexpected token/);
  const module = { "a.ts": '\n\nexport const a = 1;\nJSON.parse("{");' };
  assert.match(await failureOf(module, "a.ts"), /^a\.ts:4:6: It fails: .*JSON/, "it is no CommonJS");
  const thrown = { "a.cjs": '\nJSON.parse("{");' };
  assert.match(await failureOf(thrown, "a.cjs"), /^a\.cjs:2:6: It fails: .*JSON/, "its own syntax is fine");
  assert.match(await failureOf({ "a.js": "exports.a = 1;\n\nlet b = ;" }, "a.js"), /^a\.js:3:9: It fails: /);
});

Deno.test("what is not exported or not there is told with what may be meant", async () => {
  const importing = (names: string) => ({
    "a.ts": `import { ${names} } from "@fw/runtime";\nvoid ${names};`,
  });
  const missing = await failureOf(importing("SELEKT"), "a.ts");
  assert.match(
    missing,
    /^a\.ts:1:\d+: It fails: .*does not provide an export named 'SELEKT'; did you mean "SELECT"\?$/,
  );
  assert.match(
    await failureOf(importing("Xyzzyplugh"), "a.ts"),
    /does not provide an export named 'Xyzzyplugh'$/,
  );
  assert.match(
    await failureOf({ "a.ts": "const none: any = {};\nclass A extends none.Service {}\nvoid A;" }, "a.ts"),
    /^a\.ts:2:\d+: It fails: Class extends value undefined .*: the class behind extends is not there, as fw\.ApplicationService would be$/,
  );
  assert.match(await failureOf({}, "none.ts"), /: It fails.*: Module not found/);
});

Deno.test("colours, source lines and the place at the end of a message of the platform are no part of the text", async () => {
  const say = async (message: string) => {
    const cause = new Error(message);
    cause.stack = `Error: ${message}`;
    return (await moduleFailure("It fails", "/srv/a.ts", cause)).message;
  };
  const source = "\n  |\n1 | const a = ;\n  |           ~\n";
  const table: readonly (readonly [string, string])[] = [
    [`\x1b[31mNo\x1b[0m${source}    at file:///srv/a.ts:7:3`, "/srv/a.ts:7:3: It fails: No"],
    ["No\n    at file:///srv/a%20b.ts:7:3", "/srv/a b.ts:7:3: It fails (/srv/a.ts): No"],
    ["Error: No", "/srv/a.ts: It fails: No"],
    ["Odd Error: No", "/srv/a.ts: It fails: Odd Error: No"],
    ["No, look at home", "/srv/a.ts: It fails: No, look at home"],
  ];
  for (const [message, told] of table) assert.equal(await say(message), told);
});
