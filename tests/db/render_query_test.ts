/** How queries become text: parts of sets, groups, order and bounds, and values that are bound or written. */

import assert from "node:assert/strict";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { lowerQuery } from "../../src/db/passes/lower_query.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { renderQuery } from "../../src/db/render/render_query.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import type { Dialect } from "../../src/db/render/dialect.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { SelectBody, SelectQuery, SetQuery } from "../../src/cqn/cqn.ts";

const MODEL = linkModel(
  parseCdl(`entity E { key ID : Integer; n : Integer; price : Decimal(9, 2); name : String; }`),
);

function textOf(query: string | SelectQuery | SetQuery, inline = false, dialect: Dialect = SQLITE): string {
  const given = typeof query === "string" ? parseCqlQuery(query) as SelectQuery | SetQuery : query;
  return renderQuery(dialect, lowerQuery(MODEL, given).query, { inline }).sql;
}

const select = (more: Partial<SelectBody> = {}): SelectQuery => ({
  SELECT: { from: { ref: ["E"] }, columns: [{ ref: ["ID"] }], ...more },
});

/** The text of a set, which is read through a query that names its columns; all its parts call their table the same. */
function textOfSet(query: SetQuery): string {
  return /^SELECT "rows"."ID" FROM \((.*)\) AS "rows"$/.exec(textOf(query))![1]!.replace(/\$\d+/g, "");
}

Deno.test("parts of a set that are ordered or bounded, or sets themselves, stand in a query of their own", () => {
  const plain = 'SELECT "E"."ID" FROM "E" AS "E"';
  const orderBy = [{ ref: ["n"] }];
  const limit = { rows: { val: 1 } };
  const bounds = " LIMIT ifnull(?, -1)";
  const parts: readonly (readonly [SelectQuery, string])[] = [
    [select(), plain],
    [select({ where: [{ ref: ["n"] }, "=", { val: 1 }] }), `${plain} WHERE "E"."n" = ?`],
    [select({ orderBy }), `SELECT * FROM (${plain} ORDER BY "E"."n")`],
    [select({ limit }), `SELECT * FROM (${plain} ORDER BY "E"."ID"${bounds})`],
    [select({ orderBy, limit }), `SELECT * FROM (${plain} ORDER BY "E"."n", "E"."ID"${bounds})`],
  ];
  for (const [part, text] of parts) {
    const union = { op: "union", all: true, args: [part, select()] } as const;
    assert.equal(textOfSet({ SET: union }), `${text} UNION ALL ${plain}`);
    assert.equal(textOfSet({ SET: { op: "except", args: [select(), part] } }), `${plain} EXCEPT ${text}`);
  }
  const nested: SetQuery = { SET: { op: "intersect", args: [select(), select()] } };
  assert.match(
    textOf({ SET: { op: "union", args: [nested, select()] } }),
    /FROM \(SELECT "rows"\."ID" FROM \(SELECT [^()]* INTERSECT SELECT [^()]*\) AS "rows" UNION SELECT /,
  );
});

Deno.test("the order and bounds of a set stand behind its parts", () => {
  const query: SetQuery = {
    SET: { op: "union", args: [select(), select()], orderBy: [{ ref: ["ID"] }], limit: { rows: { val: 1 } } },
  };
  assert.match(textOf(query), /UNION SELECT .* ORDER BY .*"ID" LIMIT ifnull\(\?, -1\)/);
});

/** What stands in the text of a query with bound values, and in that of a view. */
const TEXTS: Readonly<Record<string, readonly [dialect: Dialect, text: string, view: string]>> = {
  "{ round(price, 1) as a }": [
    ...[SQLITE, 'fw_scaled("E"."price", ?)'] as const,
    `round(iif("E"."price" is null, null, cast(format('%.15g', "E"."price") as numeric)), 1)`,
  ],
  "{ price * n as a }": [
    ...[SQLITE, 'fw_decimal_mul("E"."price", "E"."n")'] as const,
    `iif(("E"."price" * "E"."n") is null, null, cast(format('%.15g', ("E"."price" * "E"."n")) as numeric))`,
  ],
  "{ 2 as two, 'x' as x, true as t, null as nothing }": [
    ...[
      SQLITE,
      '? AS "two", ? AS "x", ? AS "t", NULL AS "nothing"',
      '2 AS "two", \'x\' AS "x", 1 AS "t", NULL AS "nothing"',
    ] as const,
  ],
  "{ true as t }": [POSTGRES, '$1::boolean AS "t"', 'true AS "t"'],
  "{ current_date as a }": [SQLITE, 'CURRENT_DATE AS "a"', 'CURRENT_DATE AS "a"'],
  "{ avg(price) over (partition by n) as a : Decimal }": [
    ...[
      POSTGRES,
      'avg("E"."price") OVER (PARTITION BY "E"."n")',
      'avg("E"."price") OVER (PARTITION BY "E"."n")',
    ] as const,
  ],
  "{ avg(price) as a }": [
    ...[
      POSTGRES,
      'sum(("E"."price")::numeric)::float8 / nullif',
      'sum(("E"."price")::numeric)::float8 / nullif',
    ] as const,
  ],
  "{ sum(price) over (order by n desc, ID) as a }": [
    ...[SQLITE, 'OVER (ORDER BY "E"."n" DESC, "E"."ID")', 'OVER (ORDER BY "E"."n" DESC, "E"."ID")'] as const,
  ],
  "{ count(*) as c, n } group by 1, n": [SQLITE, 'GROUP BY "E"."n"', 'GROUP BY "E"."n"'],
  "{ n } group by n having count(*) > 1": [SQLITE, "HAVING count(*) > ?", "HAVING count(*) > 1"],
  "{ n } where name like 'a%' escape '!'": [SQLITE, '"E"."name" LIKE ? ESCAPE ?', `LIKE 'a%' ESCAPE '!'`],
  "{ n } order by 'x', name desc nulls first limit 1 offset 2": [
    ...[
      SQLITE,
      'ORDER BY "E"."name" DESC NULLS FIRST, "E"."ID" LIMIT ifnull(?, -1) OFFSET ifnull(?, 0)',
    ] as const,
    'ORDER BY "E"."name" DESC NULLS FIRST, "E"."ID" LIMIT 1 OFFSET 2',
  ],
};

Deno.test("values are bound in queries and written in views, which have functions of their own", () => {
  for (const [query, [dialect, text, view]] of Object.entries(TEXTS)) {
    const cql = `select from E ${query}`;
    for (const [isView, expected] of [[false, text], [true, view]] as const) {
      const found = textOf(cql, isView, dialect);
      assert.ok(found.includes(expected), `${query}: ${found}`);
    }
  }
  assert.throws(() => textOf("select from E { now() as a }", true), {
    name: "TypeError",
    message: "A view cannot depend on values of a request",
  });
});

Deno.test("equal rows are left out of distinct queries and of sets only", () => {
  assert.match(textOf("select distinct from E { n }"), /^SELECT DISTINCT "E"\."n" FROM/);
  assert.match(textOf("select from E { n }"), /^SELECT "E"\."n" FROM/);
});
