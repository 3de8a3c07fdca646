/** Queries that create or drop tables and views, as text. */

import assert from "node:assert/strict";
import type { SchemaQuery } from "../../src/cqn/cqn.ts";
import { renderDdl, schemaStatements } from "../../src/db/ddl/render_ddl.ts";
import { renderTable } from "../../src/db/ddl/schema_shape.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { testModel } from "./fixture.ts";

const MODEL = testModel();
const statements = (query: unknown, options = {}) => schemaStatements(query as SchemaQuery, MODEL, options);
const find = (start: string, options = {}) =>
  renderDdl(MODEL, options).filter((sql) => sql.startsWith(start));

Deno.test("CREATE makes the table or view of an entity as a deployment does", () => {
  assert.deepEqual(statements({ CREATE: { entity: "my.Authors" } }), find('CREATE TABLE "my_Authors"'));
  assert.deepEqual(
    statements({ CREATE: { entity: MODEL.entity("my.Authors") } }),
    find('CREATE TABLE "my_Authors"'),
  );
  const options = { dialect: POSTGRES, foreignKeys: true };
  const [checked] = statements({ CREATE: { entity: "my.Books" } }, options);
  assert.deepEqual([checked], find('CREATE TABLE "my_Books"', options));
  assert.match(checked!, /FOREIGN KEY\("author_ID"\)/);
  assert.deepEqual(statements({ CREATE: { entity: "Shop.Books" } }), find('CREATE VIEW "Shop_Books"'));
});

Deno.test("CREATE takes definitions that somebody made, and the rows of a query", () => {
  const entity = {
    name: "own.T",
    kind: "entity",
    elements: { ID: { key: true, type: "cds.Integer" }, n: { type: "cds.String" } },
  };
  assert.deepEqual(statements({ CREATE: { entity } }), [
    'CREATE TABLE "own_T" (\n  "ID" INT NOT NULL,\n  "n" NVARCHAR(255),\n  PRIMARY KEY("ID")\n)',
  ]);
  const as = {
    SELECT: {
      from: { ref: ["my.Authors"] },
      columns: [{ ref: ["name"] }],
      where: [{ ref: ["ID"] }, ">", { val: 1 }],
    },
  };
  assert.deepEqual(statements({ CREATE: { entity: "own.T", as } }), [
    'CREATE TABLE "own_T" AS SELECT "Authors"."name" FROM "my_Authors" AS "Authors" WHERE "Authors"."ID" > 1',
  ]);
  assert.throws(() => statements({ CREATE: { entity: "own.T" } }), {
    name: "TypeError",
    message: 'There is no entity "own.T" to create',
  });
});

Deno.test("DROP names a table or a view, by the entity or by itself", () => {
  const cases: readonly [object, string][] = [
    [{ entity: "my.Authors" }, 'DROP TABLE IF EXISTS "my_Authors"'],
    [{ entity: { name: "my.Authors" } }, 'DROP TABLE IF EXISTS "my_Authors"'],
    [{ entity: "Shop.Books" }, 'DROP VIEW IF EXISTS "Shop_Books"'],
    [{ entity: "own.T" }, 'DROP TABLE IF EXISTS "own_T"'],
    [{ table: { ref: ["Shop.Books"] } }, 'DROP TABLE IF EXISTS "Shop_Books"'],
    [{ view: { ref: ["my.Authors"] } }, 'DROP VIEW IF EXISTS "my_Authors"'],
  ];
  for (const [DROP, sql] of cases) assert.deepEqual(statements({ DROP }), [sql]);
  assert.throws(() => statements({ DROP: {} }), {
    name: "TypeError",
    message: "Expected the entity, table or view to drop",
  });
});

Deno.test("a table has its columns, its key if there is one, and its constraints", () => {
  const column = (name: string, more = {}) => ({ name, sql: "INT", ...more });
  const table = { name: "T", entity: "T", columns: [column("a")], constraints: [] };
  assert.equal(renderTable(table), 'CREATE TABLE "T" (\n  "a" INT\n)');
  assert.equal(renderTable({ ...table, key: [] }), 'CREATE TABLE "T" (\n  "a" INT\n)');
  const whole = {
    ...table,
    columns: [
      column("a", { notNull: true }),
      column("b", { fallback: "1", notNull: true }),
      column("c", { fallback: "2" }),
      column("d", { generated: '"a" + 1', notNull: true }),
    ],
    key: ["a", "b"],
    constraints: [{ name: "u", definition: 'UNIQUE ("c")' }],
  };
  assert.equal(
    renderTable(whole, "other"),
    'CREATE TABLE "other" (\n  "a" INT NOT NULL,\n  "b" INT DEFAULT 1 NOT NULL,\n  "c" INT DEFAULT 2,\n' +
      '  "d" INT GENERATED ALWAYS AS ("a" + 1) STORED,\n  PRIMARY KEY("a", "b"),\n  CONSTRAINT "u" UNIQUE ("c")\n)',
  );
});
