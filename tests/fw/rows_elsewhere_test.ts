import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`
  service Remote {
    @cds.persistence.skip entity Products { key sku : String(10); name : String; parts : Association to many Parts on parts.product = $self; }
    @cds.persistence.skip entity Parts { key ID : Integer; product : Association to Products; }
  }
  service Shop {
    entity Orders { key ID : Integer; product : Association to Remote.Products; }
    entity Products as projection on Remote.Products;
  }`);

for (const kind of ["memory", "sqlite"]) {
  Deno.test(`paths to rows that another system has are answered 501 and named in the log, on ${kind} (behaviours 5)`, async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void lines.push(line);
    const runtime = createRuntime({
      model: MODEL,
      kinds: { databases: { sqlite: () => createSqliteDatabase } },
      env: { requires: { auth: { kind: "dummy" }, db: { kind } }, log: { levels: { default: "warn" } } },
      data: new Map([["Shop.Orders", [{ ID: 1, product_sku: "A" }]]]),
    });
    try {
      const get = async (path: string) => {
        const response = await runtime.fetch(new Request(`http://localhost/odata/v4/shop/Orders${path}`));
        const { error, value } = await response.json();
        return value ?? [response.status, error.message];
      };
      for (const path of ["?$expand=product", "?$filter=product/name eq 'x'", "?$orderby=product/name"]) {
        lines.length = 0;
        assert.deepEqual(await get(path), [501, "Not Implemented"]);
        assert.match(lines[0], /The database has no rows of "Shop.Products" \(@cds.persistence.skip\)/);
      }
      assert.deepEqual(await get("?$filter=product/sku eq 'A'&$select=product_sku"), [{
        ID: 1,
        product_sku: "A",
      }]);
    } finally {
      console.warn = warn;
      await runtime.close();
    }
  });
}

for (const kind of ["memory", "sqlite"]) {
  Deno.test(`entities that would be tables without columns have none, so handlers answer for them, on ${kind}`, async () => {
    const empty: Readonly<Record<string, string>> = {
      Nothing: "",
      Unseen: "virtual v : String;",
      Counted: "n : Integer = 1 + 1; stored : Integer = 1 + 1 stored;",
      Leading: "all : Association to many Kept on all.ID = 1;",
      Around: "in { virtual v : String; };",
    };
    const runtime = createRuntime({
      model: parseCdl(`service S {
        ${Object.entries(empty).map(([name, elements]) => `entity ${name} { ${elements} }`).join("\n")}
        entity Kept { key ID : Integer; }
        entity View as projection on Unseen;
      }`),
      kinds: { databases: { sqlite: () => createSqliteDatabase } },
      env: { requires: { auth: { kind: "dummy" }, db: { kind } }, log: { levels: { default: "silent" } } },
    });
    try {
      const statusOf = async (name: string) => {
        const response = await runtime.fetch(new Request(`http://localhost/odata/v4/s/${name}`));
        await response.body?.cancel();
        return response.status;
      };
      for (const name of [...Object.keys(empty), "View"]) assert.equal(await statusOf(name), 501, name);
      assert.equal(await statusOf("Kept"), 200);
    } finally {
      await runtime.close();
    }
  });
}
