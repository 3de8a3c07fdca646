import assert from "node:assert/strict";
import { createRuntime, fw, INSERT, type Row, SELECT, UPSERT } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`entity Orders {
  key ID : UUID;
  name : String;
  level : Integer default 3;
  createdAt : Timestamp @cds.on.insert: $now;
  items : Composition of many { key ID : UUID; text : String default 'x'; };
}`);

for (const write of [INSERT, UPSERT]) {
  Deno.test(`${write.name} leaves rows of the caller as they are but for generated keys (api 8, rule 9)`, async () => {
    const env = { requires: { db: { kind: "memory" } }, log: { levels: { default: "silent" } } };
    const runtime = createRuntime({ model: MODEL, env });
    try {
      await runtime.start();
      for (const row of [{ name: "a" }, { name: "b" }, { name: "c", items: [{}] }] as Row[]) {
        await fw.run(write.into("Orders").entries(row));
        assert.deepEqual(Object.keys(row).sort(), row.items ? ["ID", "items", "name"] : ["ID", "name"]);
        for (const item of (row.items ?? []) as Row[]) assert.deepEqual(Object.keys(item), ["ID"]);
        const stored = await SELECT.one.from("Orders").where({ ID: row.ID }) as Row;
        assert.equal(stored.level, 3);
        assert.equal(typeof stored.createdAt, "string");
      }
      assert.deepEqual(await SELECT.from("Orders.items").columns("text"), [{ text: "x" }]);
    } finally {
      await runtime.close();
    }
  });
}
