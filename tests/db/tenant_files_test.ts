import assert from "node:assert/strict";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { linkModel } from "../../src/model/link_model.ts";

Deno.test("createSqliteDatabase() keeps each tenant in a file of its own, whatever its name", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const model = linkModel({ definitions: {} });
    const options = { kind: "sqlite", credentials: { url: `${folder}/shop.v1.sqlite` } };
    for (const tenant of [undefined, "t1", "T1", "../t1", "t/1"]) {
      const database = await createSqliteDatabase({ model, options, tenant });
      await database.deploy();
      await database.close();
    }
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith("e"));
    assert.deepEqual(names.sort(), [
      "shop.v1-_2e__2e__2f_t1.sqlite",
      "shop.v1-_54_1.sqlite",
      "shop.v1-t1.sqlite",
      "shop.v1-t_2f_1.sqlite",
      "shop.v1.sqlite",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
