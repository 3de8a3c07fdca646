/** Which file a database of SQLite is in, and what is said of one that cannot be opened. */

import assert from "node:assert/strict";
import { openFile } from "../../src/db/sqlite/node_sqlite.ts";
import { databaseFile } from "../../src/db/sqlite/sqlite_database.ts";

const FILES:
  readonly (readonly [options: Record<string, unknown>, tenant: string | undefined, file: string])[] = [
    [{}, undefined, ":memory:"],
    [{}, "t1", ":memory:"],
    [{ url: "" }, undefined, ":memory:"],
    [{ url: 5 }, undefined, ":memory:"],
    [{ url: ":memory:" }, "t1", ":memory:"],
    [{ url: "a.sqlite" }, undefined, "a.sqlite"],
    [{ credentials: { database: "b.sqlite" }, url: "a.sqlite" }, undefined, "b.sqlite"],
    [{ credentials: { url: "c.sqlite", database: "b.sqlite" } }, undefined, "c.sqlite"],
    [{ credentials: {}, url: "a.sqlite" }, undefined, "a.sqlite"],
    [{ url: "sqlite:a.sqlite" }, undefined, "a.sqlite"],
    [{ url: "file:a.sqlite" }, undefined, "a.sqlite"],
    [{ url: "file:///x/a.sqlite" }, undefined, "/x/a.sqlite"],
    [{ url: "a.sqlite" }, "t1", "a-t1.sqlite"],
    [{ url: "a.b/c" }, "t1", "a.b/c-t1"],
    [{ url: "a.v1.db" }, "T.1", "a.v1-_54__2e_1.db"],
  ];

Deno.test("a database of SQLite is in the file of its credentials or URL, that of a tenant beside it, or in memory", () => {
  for (const [options, tenant, file] of FILES) {
    assert.equal(databaseFile(options, tenant), file, JSON.stringify([options, tenant]));
  }
});

Deno.test("a file that cannot be opened is named, with the folder that is missing", () => {
  const folder = Deno.makeTempDirSync();
  const open = (file: string) => () => openFile(file, { readOnly: false, timeout: 10 });
  const failed = "The database file cannot be opened: ";
  try {
    const missing = `${folder}/none/a.sqlite`;
    assert.throws(open(missing), (error: Error) => {
      assert.equal(error.name, "ConfigurationError");
      assert.equal(error.message, `${failed}there is no folder for ${missing}`);
      assert.ok(error.cause instanceof Error);
      return true;
    });
    assert.throws(open(folder), (error: Error) => {
      assert.match(error.message, new RegExp(`^${failed}unable to open .*: ${folder}$`));
      assert.equal(error.message.split(folder).length, 2, "it is named once");
      return true;
    });
    const text = `${folder}/text.sqlite`;
    Deno.writeTextFileSync(
      text,
      "no database, but a text that is long enough to be taken for one ".repeat(20),
    );
    assert.throws(open(text), {
      name: "ConfigurationError",
      message: `${failed}file is not a database: ${text}`,
    });
    const db = openFile(`${folder}/new.sqlite`, { readOnly: false, timeout: 10 });
    db.close();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
