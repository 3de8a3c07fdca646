/** Where the SQL of SQLite and that of PostgreSQL differ. */

import assert from "node:assert/strict";
import { POSTGRES } from "../../../src/db/render/postgres_dialect.ts";
import { SQLITE } from "../../../src/db/render/sqlite_dialect.ts";

Deno.test("elements have the columns of their types (csn-cqn 4)", () => {
  const table: readonly (readonly [type: object, sqlite: string, postgres: string])[] = [
    [{ builtin: "cds.String" }, "NVARCHAR(255)", 'VARCHAR(255) COLLATE "C"'],
    [{ builtin: "cds.String", length: 9 }, "NVARCHAR(9)", 'VARCHAR(9) COLLATE "C"'],
    [{ builtin: "cds.LargeString" }, "NCLOB", 'TEXT COLLATE "C"'],
    [{ builtin: "cds.UUID" }, "NVARCHAR(36)", 'VARCHAR(36) COLLATE "C"'],
    [{ builtin: "cds.Binary" }, "BINARY_BLOB(255)", "BYTEA"],
    [{ builtin: "cds.Binary", length: 4 }, "BINARY_BLOB(4)", "BYTEA"],
    [{ builtin: "cds.Decimal" }, "DECIMAL", "DECIMAL"],
    [{ builtin: "cds.Decimal", precision: 9 }, "DECIMAL(9)", "DECIMAL"],
    [{ builtin: "cds.Decimal", precision: 9, scale: 0 }, "DECIMAL(9,0)", "DECIMAL(9,0)"],
    [{ builtin: "cds.Decimal", precision: 9, scale: 2 }, "DECIMAL(9,2)", "DECIMAL(9,2)"],
    [{ builtin: "cds.Decimal", precision: 9, scale: "floating" }, "DECIMAL(9)", "DECIMAL"],
    [{ builtin: "cds.DecimalFloat" }, "DECIMAL", "DECIMAL"],
    [{ builtin: "cds.DecimalFloat", precision: 9, scale: 1 }, "DECIMAL(9,1)", "DECIMAL(9,1)"],
    [{ builtin: "cds.Integer" }, "INT", "INT"],
    [{ builtin: "cds.Int64" }, "BIGINT", "BIGINT"],
    [{ builtin: "cds.Boolean" }, "BOOLEAN", "BOOLEAN"],
    [{ builtin: "cds.Timestamp" }, "TIMESTAMP_TEXT", "TIMESTAMP"],
    [{ builtin: "cds.Map" }, "JSON_TEXT", "JSONB"],
    [{ builtin: "cds.Integer", items: {} }, "NCLOB", 'TEXT COLLATE "C"'],
    [{}, "NVARCHAR(255)", 'VARCHAR(255) COLLATE "C"'],
  ];
  for (const [type, sqlite, postgres] of table) {
    const found = [SQLITE, POSTGRES].map((dialect) => dialect.columnType(type as never));
    assert.deepEqual(found, [sqlite, postgres], JSON.stringify(type));
  }
});

Deno.test("rows are left out at both ends of a result, each with or without the other (csn-cqn 3)", () => {
  const table:
    readonly (readonly [rows: string | undefined, offset: string | undefined, ...texts: string[]])[] = [
      ["5", undefined, " LIMIT 5", " LIMIT 5"],
      ["5", "2", " LIMIT 5 OFFSET 2", " LIMIT 5 OFFSET 2"],
      [undefined, "2", " LIMIT -1 OFFSET 2", " OFFSET 2"],
      ["?", "?", " LIMIT ifnull(?, -1) OFFSET ifnull(?, 0)", " LIMIT ? OFFSET ?"],
    ];
  for (const [rows, offset, ...texts] of table) {
    assert.deepEqual([SQLITE, POSTGRES].map((dialect) => dialect.limit(rows, offset)), texts);
  }
});

Deno.test("lists, patterns, nulls and truth values are written as each database has them", () => {
  const both = <T>(of: (dialect: typeof SQLITE) => T) => [SQLITE, POSTGRES].map(of);
  assert.deepEqual(both((one) => one.inList("?", false)), [
    "IN (select value from json_each(?))",
    "= ANY(?)",
  ]);
  assert.deepEqual(both((one) => one.inList("?", true)), [
    ...["NOT IN (select value from json_each(?))", "<> ALL(?)"],
  ]);
  assert.deepEqual(both((one) => one.like("p", undefined)), ["p", `p COLLATE "C" ESCAPE ''`]);
  assert.deepEqual(both((one) => one.like("p", "e")), ["p ESCAPE e", 'p COLLATE "C" ESCAPE e']);
  assert.deepEqual(both((one) => one.nulls("asc")), ["", " NULLS FIRST"]);
  assert.deepEqual(both((one) => one.nulls("desc")), ["", " NULLS LAST"]);
  assert.deepEqual(both((one) => one.boolean(true)), ["1", "true"]);
  assert.deepEqual(both((one) => one.boolean(false)), ["0", "false"]);
  assert.deepEqual(both((one) => one.isNull("?")), ["?", "?::text"]);
  assert.deepEqual(both((one) => one.castType("cds.Decimal")), ["numeric", "NUMERIC"]);
  assert.deepEqual(both((one) => one.castType("cds.Date")), [undefined, "DATE"]);
  assert.deepEqual(both((one) => one.memberName("a")), ["a", '"a":']);
  const number = both((one) => one.nextNumber('"t"', '"c"', 0))[0];
  assert.equal(number, '(SELECT coalesce(max("c"), 0) + 1 FROM "t")');
});

Deno.test("placeholders of PostgreSQL are numbered from 1 on, with their types where they are known", () => {
  assert.deepEqual([SQLITE.placeholder(0), SQLITE.placeholder(4, "number")], ["?", "?"]);
  const texts = ["boolean", "infinite", "integer", "number", "other"] as const;
  assert.deepEqual(texts.map((type, index) => POSTGRES.placeholder(index, type)), [
    ...["$1::boolean", "$2::float8", "$3::int", "$4::numeric", "$5"],
  ]);
  assert.equal(POSTGRES.placeholder(0), "$1");
});

Deno.test("values of payloads have columns of their own where a database has them other than in JSON", () => {
  const plain = (func: string, type?: string) => [SQLITE, POSTGRES].map((one) => one.plainValue(func, type));
  assert.deepEqual(plain("$json", "cds.Map"), [undefined, undefined]);
  assert.deepEqual(plain("$json_boolean", "cds.Boolean"), [undefined, "$as_it_is"]);
  assert.deepEqual(plain("$json_double", "cds.Double"), ["$json_double", "$as_it_is"]);
  assert.deepEqual(plain("$json_double"), ["$json_double", undefined]);
  assert.deepEqual(plain("$json_timestamp", "cds.Timestamp"), ["$json_timestamp", "$plain_timestamp"]);
});
