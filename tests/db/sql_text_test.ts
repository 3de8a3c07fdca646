import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import type { Expression, SelectBody, Xo } from "../../src/cqn/cqn.ts";
import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { type LoweringOptions, lowerQuery } from "../../src/db/passes/lower_query.ts";
import { renderQuery } from "../../src/db/render/render_query.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { SqliteConnection } from "../../src/db/sqlite/connection.ts";
import { compileSelect } from "../../src/db/read/compile_select.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { CsnDefinition } from "../../src/model/csn.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import { CSN, testModel } from "./fixture.ts";

const MODEL = testModel();
const ID = { ref: ["ID"] };

/** Compares text and bound values, and runs the statement on a database. */
function expectSql(
  body: SelectBody,
  sql: string,
  values: unknown[] = [],
  options: LoweringOptions = {},
): void {
  const before = JSON.stringify(body);
  const rendered = renderQuery(SQLITE, lowerQuery(MODEL, { SELECT: body }, options).query);
  assert.equal(JSON.stringify(body), before, "the query is not changed");
  assert.equal(rendered.sql, sql);
  assert.deepEqual(rendered.bindings.map((one) => one.kind === "value" ? one.value : one), values);
  const db = new SqliteConnection({ file: ":memory:", timeoutMs: 1000 });
  try {
    for (const statement of renderDdl(MODEL)) db.change({ sql: statement }, []);
    db.all(rendered.sql, rendered.bindings.map((one) => one.kind === "value" ? one.value as string : "de"));
  } finally {
    db.close();
  }
}

Deno.test("renderQuery() binds values and keeps foreign keys out of joins", () => {
  expectSql(
    { from: { ref: ["my.Books"] }, columns: [ID], where: [{ ref: ["author", "ID"] }, "=", { val: 1 }] },
    'SELECT "Books"."ID" FROM "my_Books" AS "Books" WHERE "Books"."author_ID" = ?',
    [1],
  );
});

Deno.test("renderQuery() joins once for several paths along an association", () => {
  expectSql(
    {
      from: { ref: ["my.Books"] },
      columns: [{ ref: ["author", "name"] }, { ref: ["author", "address", "city"] }],
    },
    'SELECT "author"."name", "author"."address_city" AS "city" FROM "my_Books" AS "Books" ' +
      'LEFT JOIN "my_Authors" AS "author" ON "author"."ID" = "Books"."author_ID"',
  );
});

Deno.test("renderQuery() follows paths in the filter of a joined step by a subquery over the same row", () => {
  const where = [{ ref: ["parent", "name"] }, "=", { val: "x" }];
  expectSql(
    { from: { ref: ["my.Genres"] }, columns: [{ ref: [{ id: "parent", where }, "name"] }] },
    'SELECT "parent"."name" FROM "my_Genres" AS "Genres" LEFT JOIN "my_Genres" AS "parent" ' +
      'ON "parent"."ID" = "Genres"."parent_ID" AND EXISTS (SELECT 1 FROM "my_Genres" AS "row" ' +
      'LEFT JOIN "my_Genres" AS "parent$2" ON "parent$2"."ID" = "parent"."parent_ID" ' +
      'WHERE "row"."ID" = "parent"."ID" AND "parent$2"."name" = ?)',
    ["x"],
  );
});

Deno.test("renderQuery() orders pages by key and hides bound limits from the planner", () => {
  expectSql(
    { from: { ref: ["my.Books"] }, columns: [ID], limit: { rows: { val: 5 }, offset: { val: 2 } } },
    'SELECT "Books"."ID" FROM "my_Books" AS "Books" ORDER BY "Books"."ID" LIMIT ifnull(?, -1) OFFSET ifnull(?, 0)',
    [5, 2],
  );
});

Deno.test("renderQuery() compares null as a value with == and !=", () => {
  expectSql(
    { from: { ref: ["my.Books"] }, columns: [ID], where: [{ ref: ["price"] }, "!=", { val: 5 }] },
    'SELECT "Books"."ID" FROM "my_Books" AS "Books" WHERE "Books"."price" IS NOT ?',
    [5],
  );
});

Deno.test("renderQuery() reads localized elements through their texts", () => {
  expectSql(
    { from: { ref: ["my.Books"] }, columns: [{ ref: ["title"] }] },
    'SELECT coalesce("localized"."title", "Books"."title") AS "title" FROM "my_Books" AS "Books" ' +
      'LEFT JOIN "my_Books_texts" AS "localized" ON "localized"."ID" = "Books"."ID" AND "localized"."locale" = ?',
    [{ kind: "variable", path: ["$user", "locale"] }],
    { localized: true },
  );
});

Deno.test("renderQuery() converts the values of a choice only where their types differ", () => {
  const choice = (...names: readonly string[]): Expression & { readonly as: string } => ({
    ...{ func: "coalesce", args: names.map((name) => ({ ref: [name] })), as: "c" },
  });
  expectSql(
    { from: { ref: ["my.Authors"] }, columns: [choice("name", "address_city")] },
    'SELECT coalesce("Authors"."name", "Authors"."address_city") AS "c" FROM "my_Authors" AS "Authors"',
  );
  expectSql(
    { from: { ref: ["my.Books"] }, columns: [choice("price", "stock")] },
    'SELECT coalesce("Books"."price", "Books"."stock") AS "c" FROM "my_Books" AS "Books"',
  );
  expectSql(
    { from: { ref: ["my.Books"] }, columns: [choice("title", "stock")] },
    'SELECT coalesce("Books"."title", cast("Books"."stock" as text)) AS "c" FROM "my_Books" AS "Books"',
  );
});

Deno.test("renderQuery() refuses operators and functions that are no names", () => {
  const render = (where: SelectBody["where"]) => () =>
    renderQuery(SQLITE, lowerQuery(MODEL, { SELECT: { from: { ref: ["my.Books"] }, where } }).query);
  assert.throws(render([ID, "= 1; drop table x", { val: 1 }]), /Unknown operator/);
  assert.throws(render([{ func: "a(b)", args: [] }]), /Unknown function/);
  assert.throws(render([{ func: "isdefined", args: [ID] }]), /isdefined/);
  assert.doesNotThrow(render([{ func: "greatest", args: [ID, { val: 1 }] }, ">", { val: 1 }]));
  assert.throws(render([{ ref: ["titel"] }, "=", { val: 1 }]), {
    message: 'Unknown element "titel" of "my.Books", the nearest is "title"',
  });
});

Deno.test("an unknown entity is answered with the names that may be meant", () => {
  const lower = (name: string) => () => lowerQuery(MODEL, { SELECT: { from: { ref: [name] } } });
  assert.throws(lower("Books"), {
    message: 'Unknown entity "Books", did you mean "my.Books" or "Shop.Books"?',
  });
  assert.throws(lower("my.Boks"), { message: 'Unknown entity "my.Boks", did you mean "my.Books"?' });
  assert.throws(lower("Elsewhere"), { message: 'Unknown entity "Elsewhere"' });
});

/** How often the types of the innermost operand of nested sums are asked for. */
function looksAtInnermost(depth: number): number {
  let looks = 0;
  const innermost = {
    get ref() {
      looks++;
      return ["ID"];
    },
  };
  let sum: Expression = { xpr: [innermost, "+", ID] };
  for (let level = 1; level < depth; level++) sum = { xpr: [sum, "+", ID] };
  lowerQuery(MODEL, {
    SELECT: { from: { ref: ["my.Books"] }, columns: [ID], where: [sum, ">", { val: 0 }] },
  });
  return looks;
}

Deno.test("lowerQuery() finds the type of each operand once, however deep calculations are nested", () => {
  assert.equal(looksAtInnermost(200), looksAtInnermost(2));
});

Deno.test("lowerQuery() finds the type of each operand once in calculations without parentheses", () => {
  const looks = (length: number) => {
    let count = 0;
    const first = {
      get ref() {
        count++;
        return ["ID"];
      },
    };
    const where: Xo[] = [first, ...Array.from({ length }, () => ["/", ID]).flat(), ">", { val: 0 }];
    lowerQuery(MODEL, { SELECT: { from: { ref: ["my.Books"] }, columns: [ID], where } });
    return count;
  };
  assert.equal(looks(200), looks(2));
});

/** What a query over the test model and some more views reads. */
function sourceOf(name: string, model: LinkedModel): unknown {
  const { sql } = compileSelect({ SELECT: { from: { ref: [name] }, columns: ["*"] } }, {
    ...DEFAULT_LIMITS,
    model,
    dialect: SQLITE,
    localized: false,
    payload: false,
  });
  return /FROM "(\w+)"/.exec(sql)?.[1];
}

Deno.test("views that leave out columns at most are read from the table behind them", () => {
  const view = (SELECT: SelectBody, more: Partial<CsnDefinition> = {}): CsnDefinition => ({
    kind: "entity",
    query: { SELECT },
    ...more,
  });
  const from = { ref: ["my.Books"] };
  const model = linkModel({
    definitions: {
      ...CSN.definitions,
      "v.All": view({ from }),
      "v.Same": view({ from: { ref: ["v.All"] } }),
      "v.Some": view({ from, columns: ["*"], excluding: ["hot", "total"] }),
      "v.Few": view({ from: { ref: ["v.Some"] }, columns: [{ ...ID, key: true }, { ref: ["title"] }] }),
      "v.Renamed": view({ from, columns: [{ ...ID, key: true }, { ref: ["title"], as: "name" }] }),
      "v.Swapped": view({ from, columns: [{ ...ID, key: true }, { ref: ["title"], as: "stock" }] }),
      "v.Filtered": view({ from, where: [{ ref: ["stock"] }, ">", { val: 1 }], columns: [ID] }),
      "v.Distinct": view({ from, distinct: true, columns: [{ ref: ["stock"] }] }),
      "v.First": view({ from, limit: { rows: { val: 1 } }, columns: [ID] }),
      "v.Elsewhere": view({ from, columns: [ID] }, { "@cds.persistence.exists": true }),
    },
  });
  for (const name of ["v.Some", "v.Few"]) assert.equal(sourceOf(name, model), "my_Books", name);
  // the view calculates the total
  assert.equal(sourceOf("v.Same", model), "v_All");
  const others = ["v.All", "v.Renamed", "v.Swapped", "v.Filtered", "v.Distinct", "v.First", "v.Elsewhere"];
  for (const name of others) assert.equal(sourceOf(name, model), name.replace(".", "_"), name);
});
