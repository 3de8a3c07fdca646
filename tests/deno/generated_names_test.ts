import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

Deno.test("CommonJS requires names of generated types by what package.json imports, generated or not", async () => {
  const { "srv/cat_service.ts": _typed, ...others } = SMALL;
  const files = {
    ...others,
    "package.json": '{ "imports": { "#cds-models/*": "./@cds-models/*/index.js" } }',
    "srv/cat_service.js": `const cds = require("@sap/cds");
const { Books, Absent } = require("#cds-models/shop"), { Books: own } = require("../@cds-models/CatService");
module.exports = class CatService extends cds.ApplicationService {
  async init() { this.on("hello", () => [Books.name, typeof Absent, own.name].join()); await super.init(); }
}`,
  };
  await withProject(files, async (folder) => {
    const options = { variables: {}, env: { log: { levels: { default: "silent" } } } };
    const { runtime } = await loadProject(folder, options);
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/cat/hello()"));
    assert.equal((await response.json()).value, "shop.Books,undefined,CatService.Books");
    await runtime.close();
  });
});
