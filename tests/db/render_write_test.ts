/** How writes become text, and that writes which are alike have the same object as text (db/README). */

import assert from "node:assert/strict";
import type { Expr, TreeSelect } from "../../src/algebra/tree.ts";
import type { SelectQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { lowerQuery } from "../../src/db/passes/lower_query.ts";
import type { Binding } from "../../src/db/render/binding.ts";
import type { Dialect } from "../../src/db/render/dialect.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import type { WriterOptions } from "../../src/db/render/render_expression.ts";
import { type RenderedWrite, renderInsert, renderWrite } from "../../src/db/render/render_write.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import type { Assignment, InsertColumns } from "../../src/db/write/statement_runner.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { FlatElement } from "../../src/model/linked.ts";

const MODEL = linkModel(
  parseCdl(`namespace my; entity E { key ID : Integer; n : Integer; name : String; yes : Boolean; }`),
);
const TABLE = MODEL.entity("my.E")!;
const [ID, N, NAME, YES] = ["ID", "n", "name", "yes"].map((name) => TABLE.$flat.get(name)!) as
  & FlatElement[]
  & [FlatElement, FlatElement, FlatElement, FlatElement];

/** A query over tables. */
function lowered(cql: string): TreeSelect {
  return lowerQuery(MODEL, parseCqlQuery(cql) as SelectQuery).query as TreeSelect;
}

/** A condition over the table, a new one each time. */
const where = (cql: string): Expr => lowered(`select from my.E { ID } where ${cql}`).SELECT.where!;
const value = (value: unknown): Binding => ({ kind: "value", value });
const set = (...columns: readonly FlatElement[]): Assignment[] =>
  columns.map((column, at) => ({ column, value: at + 10 }));

function update(
  assignments: readonly Assignment[],
  condition?: Expr,
  { dialect = SQLITE, ...options }: WriterOptions & { readonly dialect?: Dialect } = {},
): RenderedWrite {
  return renderWrite(dialect, { kind: "update", table: TABLE, set: assignments, where: condition }, options);
}

function remove(condition?: Expr, options?: WriterOptions): RenderedWrite {
  return renderWrite(SQLITE, { kind: "delete", table: TABLE, where: condition }, options);
}

Deno.test("rows are inserted with a placeholder for each value, the next number behind them, or with defaults", () => {
  const texts: readonly (readonly [Dialect, Omit<InsertColumns, "table">, number, string])[] = [
    [SQLITE, { columns: [] }, 1, 'INSERT INTO "my_E" DEFAULT VALUES'],
    [SQLITE, { columns: [ID, NAME] }, 1, 'INSERT INTO "my_E" ("ID", "name") VALUES (?, ?)'],
    [POSTGRES, { columns: [ID, NAME] }, 2, 'INSERT INTO "my_E" ("ID", "name") VALUES ($1, $2), ($3, $4)'],
    [
      ...[POSTGRES, { columns: [ID], numbered: N }, 2] as const,
      `INSERT INTO "my_E" ("ID", "n") VALUES ($1, nextval('fw_queue_seq')), ($2, nextval('fw_queue_seq'))`,
    ],
    [
      ...[SQLITE, { columns: [ID], numbered: N }, 2] as const,
      'INSERT INTO "my_E" ("ID", "n") VALUES (?, (SELECT coalesce(max("n"), 0) + 1 FROM "my_E")), ' +
      '(?, (SELECT coalesce(max("n"), 0) + 2 FROM "my_E"))',
    ],
    [
      ...[SQLITE, { columns: [], numbered: N }, 1] as const,
      'INSERT INTO "my_E" ("n") VALUES ((SELECT coalesce(max("n"), 0) + 1 FROM "my_E"))',
    ],
  ];
  for (const [dialect, columns, rows, sql] of texts) {
    assert.equal(renderInsert(dialect, { table: TABLE, ...columns }, rows).sql, sql);
  }
});

Deno.test("the text of an insertion is the same object for the same columns, number of rows and dialect", () => {
  const into = { table: TABLE, columns: [ID] };
  const text = renderInsert(SQLITE, into);
  assert.equal(renderInsert(SQLITE, into, 1), text);
  assert.equal(renderInsert(SQLITE, into, 2), renderInsert(SQLITE, into, 2));
  assert.equal(renderInsert(SQLITE, into), text);
  assert.match(renderInsert(SQLITE, into, 2).sql, /VALUES \(\?\), \(\?\)$/);
  assert.match(renderInsert(POSTGRES, into).sql, /VALUES \(\$1\)$/);
  assert.equal(renderInsert(SQLITE, into), text);
  assert.notEqual(renderInsert(SQLITE, { table: TABLE, columns: [ID] }), text);
});

Deno.test("a write has the values of its assignments before those of its condition", () => {
  const written: readonly (readonly [RenderedWrite, sql: string, bindings: readonly Binding[]])[] = [
    [remove(), 'DELETE FROM "my_E"', []],
    [remove(where("name = 'x'")), 'DELETE FROM "my_E" WHERE "E"."name" = ?', [value("x")]],
    [update(set(N, NAME)), 'UPDATE "my_E" SET "n" = ?, "name" = ?', [value(10), value(11)]],
    [
      ...[update(set(N), where("name = 'x'")), 'UPDATE "my_E" SET "n" = ? WHERE "E"."name" = ?'] as const,
      [value(10), value("x")],
    ],
    [
      ...[
        update(
          [{ column: N, expression: where("n = n + 1 or n = 2") }, { column: ID, value: 7 }],
          where("n = 3"),
        ),
        'UPDATE "my_E" SET "n" = "E"."n" = "E"."n" + ? OR "E"."n" = ?, "ID" = ? WHERE "E"."n" = ?',
      ] as const,
      [value(1), value(2), value(7), value(3)],
    ],
    [
      ...[
        renderWrite(SQLITE, {
          ...{ kind: "insertFrom", table: TABLE, columns: [ID, N] },
          query: lowered("select from my.E { n, ID } where n = 5"),
        }),
        'INSERT INTO "my_E" ("ID", "n") SELECT "E"."n", "E"."ID" FROM "my_E" AS "E" WHERE "E"."n" = ?',
      ] as const,
      [value(5)],
    ],
  ];
  for (const [{ text, bindings, comparesAttributes }, sql, values] of written) {
    assert.equal(text.sql, sql);
    assert.deepEqual(bindings, values, sql);
    assert.equal(comparesAttributes, false);
  }
});

Deno.test("writes with the same condition, kind and columns share their text and the values of the condition", () => {
  const condition = where("name = 'x'");
  const first = update(set(N), condition);
  const second = update([{ column: N, value: 99 }], condition);
  assert.equal(second.text, first.text);
  assert.deepEqual([first.bindings, second.bindings], [10, 99].map((n) => [value(n), value("x")]));
  const deletion = remove(condition);
  assert.equal(deletion.text.sql, 'DELETE FROM "my_E" WHERE "E"."name" = ?');
  assert.deepEqual(deletion.bindings, [value("x")]);
  assert.equal(remove(condition), deletion, "a deletion has nothing of its own");
  // whatever was written between them
  assert.equal(update(set(N), condition).text, first.text);
  assert.deepEqual(update(set(N), condition).bindings, first.bindings);
  assert.equal(remove(condition), deletion);
});

Deno.test("writes with the same condition that set other columns, or of another dialect or kind, have other texts", () => {
  const condition = where("name = 'x'");
  const others: readonly (readonly [write: () => RenderedWrite, sql: string])[] = [
    [() => update(set(N), condition), 'UPDATE "my_E" SET "n" = ? WHERE "E"."name" = ?'],
    [() => update(set(ID), condition), 'UPDATE "my_E" SET "ID" = ? WHERE "E"."name" = ?'],
    [() => update(set(N, ID), condition), 'UPDATE "my_E" SET "n" = ?, "ID" = ? WHERE "E"."name" = ?'],
    [() => update(set(N, YES), condition), 'UPDATE "my_E" SET "n" = ?, "yes" = ? WHERE "E"."name" = ?'],
    [() => update(set(), condition), 'UPDATE "my_E" SET  WHERE "E"."name" = ?'],
    [
      () => update(set(N), condition, { dialect: POSTGRES }),
      'UPDATE "my_E" SET "n" = $1 WHERE "E"."name" = $2',
    ],
    [() => remove(condition), 'DELETE FROM "my_E" WHERE "E"."name" = ?'],
  ];
  // each after each other one, and a second time after itself
  for (const [before] of others) {
    for (const [write, sql] of others) {
      before();
      const { text } = write();
      assert.equal(text.sql, sql);
      assert.equal(write().text, text);
    }
  }
});

Deno.test("an attribute of the user that has one value is compared as that, one that may have several as a list", () => {
  const condition = where("name = $user.level");
  const [one, many] = [
    'DELETE FROM "my_E" WHERE "E"."name" = ?',
    /^DELETE .* IN \(select value from /,
  ] as const;
  const single = remove(condition, { isOfOne: true });
  assert.equal(single.text.sql, one);
  assert.equal(single.comparesAttributes, false);
  const several = remove(condition);
  assert.match(several.text.sql, many);
  assert.equal(several.comparesAttributes, true);
  for (let times = 0; times < 2; times++) {
    assert.equal(remove(condition, { isOfOne: true }), single);
    assert.equal(remove(condition, { isOfOne: true }), single);
    assert.equal(remove(condition, { isOfOne: false }), several);
    assert.equal(remove(condition), several);
  }
  assert.match(remove(where("name <> $user.level"), { isOfOne: true }).text.sql, /"name" <> \?/);
});

Deno.test("writes whose parameters have values of other types have other texts", () => {
  const condition = where("n = :p");
  const typed = (type: "integer" | "boolean" | "other") =>
    update([], condition, { dialect: POSTGRES, types: { p: type } });
  const plain = remove(condition);
  for (const type of ["integer", "boolean", "other", "integer"] as const) {
    assert.equal(typed(type), typed(type));
    assert.notEqual(typed(type), typed(type === "other" ? "integer" : "other"));
  }
  assert.notEqual(typed("integer").text.sql, typed("other").text.sql);
  const untyped = update([], condition, { dialect: POSTGRES });
  assert.notEqual(typed("integer").text.sql, untyped.text.sql);
  assert.equal(update([], condition, { dialect: POSTGRES }), untyped);
  assert.equal(remove(condition), plain);
});
