import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

const OPTIONS = { variables: {}, env: { log: { levels: { default: "silent" } } } };
const { "srv/cat_service.ts": _typed, ...WITHOUT_HANDLERS } = SMALL;

/** Serves a small project with handlers in a file, and gives what they answer. */
async function answerOf(file: string, text: string): Promise<unknown> {
  let value: unknown;
  await withProject({ ...WITHOUT_HANDLERS, [file]: text }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/cat/hello()"));
    value = (await response.json()).value;
    await runtime.close();
  });
  return value;
}

Deno.test("rule 11: handlers in CommonJS find the facade by require('@sap/cds')", async () => {
  assert.equal(
    await answerOf(
      "srv/cat_service.js",
      `const cds = require('@sap/cds')
const { SELECT } = cds.ql
class CatService extends cds.ApplicationService {
  init() {
    const { Books } = cds.entities('shop')
    this.on('hello', async () => (await SELECT.one.from(Books, 2)).title)
    return super.init()
  }
}
module.exports = CatService
`,
    ),
    "Persuasion",
  );
  const implementation = `const cds = require('@sap/cds-dk');
module.exports = cds.service.impl(async function () { this.on('hello', () => 'function') })`;
  assert.equal(await answerOf("srv/cat_service.js", implementation), "function");
  assert.equal(
    await answerOf("srv/cat_service.cjs", "exports.CatService = srv => srv.on('hello', () => 'named')"),
    "named",
  );
});

Deno.test("rule 11: handlers in ESM find the facade by import '@sap/cds' and the import map", async () => {
  const text = `import cds from '@sap/cds'
export default class extends cds.ApplicationService {
  init() { this.on('hello', () => 'imported'); return super.init() }
}`;
  assert.equal(await answerOf("srv/cat_service.js", text), "imported");
});

Deno.test("what stands in for packages that are not public says once what does not work", async () => {
  const text = `const said = [], { warn } = console;
console.warn = (line) => said.push(line.split(",")[0].split(":")[0]);
require("@sap/cds").log("server", "warn");
require("@sap/unsaid"); require("@sap/unsaid/part");
require("@sap/cds-odata-v2-adapter-proxy")();
console.warn = warn;
module.exports = (srv) => srv.on("hello", () => said.join("; "));`;
  assert.equal(
    await answerOf("srv/cat_service.js", text),
    "[server] - WARN The package @sap/unsaid is not installed; " +
      "[server] - WARN The package @sap/cds-odata-v2-adapter-proxy is not installed",
  );
});
