/** Queries that are refused before they reach a database, and joins that may miss rows. */

import assert from "node:assert/strict";
import type { TreeSelect } from "../../src/algebra/tree.ts";
import type { SelectQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { boundTexts } from "../../src/db/passes/bound_texts.ts";
import { lowerQuery } from "../../src/db/passes/lower_query.ts";
import { renderQuery } from "../../src/db/render/render_query.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { testModel } from "./fixture.ts";

const MODEL = testModel();

function lowered(cql: string | SelectQuery): TreeSelect {
  const query = typeof cql === "string" ? parseCqlQuery(cql) as SelectQuery : cql;
  return lowerQuery(MODEL, query).query as TreeSelect;
}

const select = (more: Partial<SelectQuery["SELECT"]>): SelectQuery => ({
  SELECT: { from: { ref: ["my.Books"] }, columns: [{ ref: ["ID"] }], ...more },
});

const REFUSED: readonly (readonly [query: string | SelectQuery, message: string])[] = [
  ["SELECT from Books { ID }", 'Unknown entity "Books", did you mean "my.Books" or "Shop.Books"?'],
  ["SELECT from Genres { ID }", 'Unknown entity "Genres", did you mean "my.Genres"?'],
  ["SELECT from my.Bokks { ID }", 'Unknown entity "my.Bokks", did you mean "my.Books"?'],
  ["SELECT from zzz { ID }", 'Unknown entity "zzz"'],
  ["SELECT from my.Books { ID, stock as ID }", 'Several columns are named "ID", expected an alias'],
  ["SELECT from my.Books { 1 + 1 }", "A column is an expression without name, expected an alias"],
  ["SELECT from my.Books { null }", "A column is an expression without name, expected an alias"],
  ["SELECT from my.Books { ID } limit 1.5", "Expected a number of rows as limit, found 1.5"],
  [select({ limit: { rows: { val: -1 } } }), "Expected a number of rows as limit, found -1"],
  [
    select({ limit: { rows: { val: 1 }, offset: { val: -2 } } }),
    "Expected a number of rows as limit, found -2",
  ],
  ["SELECT from my.Books { ID } where reviews = 1", '"reviews" is no single value'],
  ["SELECT from my.Books { unknown }", 'Unknown element "unknown" of "my.Books"'],
  ["SELECT from my.Books { author.unknown }", 'Unknown element "unknown" of "my.Authors"'],
  ["SELECT from my.Books { ID } where exists title", '"title" of "my.Books" is no association'],
  ["SELECT from my.Books { $self.a as a }", 'Unknown element "a" of "my.Books"'],
];

Deno.test("queries that name what is not there, or have no meaning, are refused with what is wrong (csn-cqn 3)", () => {
  for (const [query, message] of REFUSED) {
    assert.throws(() => lowered(query), { message }, JSON.stringify(query));
  }
});

Deno.test("the sum of what is no number is refused with the name of its element", () => {
  const target = (sum: string) => {
    try {
      lowered(`SELECT from my.Books { ${sum} as a }`);
    } catch (error) {
      const { target, status } = error as { readonly target?: string; readonly status?: number };
      return [status, target];
    }
    return undefined;
  };
  assert.deepEqual(target("sum(title)"), [400, "title"]);
  assert.deepEqual(target("avg(author.name)"), [400, "author.name"]);
  assert.deepEqual(target("sum('x')"), [400, undefined]);
  assert.equal(target("sum(stock)"), undefined);
  assert.equal(target("max(title)"), undefined);
});

Deno.test("no limit, or one of zero or more rows, is taken", () => {
  for (const rows of [0, 1, 7]) assert.ok(lowered(select({ limit: { rows: { val: rows } } })));
  assert.ok(lowered(select({ limit: { rows: { ref: ["n"], param: true } as never } })));
});

Deno.test("columns of large whole numbers are the same where their digits are", () => {
  const columns = (...vals: readonly bigint[]) =>
    vals.map((val) => ({ val: val as unknown as number, as: "a" }));
  const big = 9007199254740993n;
  assert.equal(lowered(select({ columns: columns(big, big) })).SELECT.columns!.length, 1);
  assert.throws(() => lowered(select({ columns: columns(big, big + 1n) })), {
    message: 'Several columns are named "a", expected an alias',
  });
});

/** Where the condition on the rows of the second source stands, of the first: inside of it, or behind the join. */
const JOINS: Readonly<Record<string, readonly [first: boolean, second: boolean]>> = {
  ...{ inner: [false, false], left: [false, true], right: [true, false], full: [true, true] },
};

Deno.test("conditions of sources that an outer join may miss come before the join, those of others behind it", () => {
  for (const [join, inside] of Object.entries(JOINS)) {
    const { sql } = renderQuery(
      SQLITE,
      lowered(
        `SELECT from my.Authors[ID > 1] as A ${join} join my.Books[stock > 2] as B on A.ID = B.author.ID { A.ID }`,
      ),
    );
    const [before, behind = ""] = sql.split(/ ON "A"."ID" = "B"."author_ID"/);
    const isIn = (name: string) => [before!.includes(`${name} > ?`), behind.includes(`${name} > ?`)];
    assert.deepEqual(isIn('"Authors"."ID"'), [inside[0], false], join);
    assert.deepEqual(isIn('"A"."ID"'), [false, !inside[0]], join);
    assert.deepEqual(isIn('"Books"."stock"'), [inside[1], false], join);
    assert.deepEqual(isIn('"B"."stock"'), [false, !inside[1]], join);
  }
});

Deno.test("texts are bounded where more than sixteen operands are joined in all", () => {
  const joined = (...counts: readonly number[]) =>
    lowered(
      `SELECT from my.Books { ID, ${
        counts.map((count, at) =>
          `concat(${Array.from({ length: count }, () => "title").join(", ")}) as c${at}`
        )
          .join(", ")
      } }`,
    );
  for (const counts of [[2], [16], [8, 8], [15]]) {
    const query = joined(...counts);
    assert.equal(boundTexts(query, 1), query, String(counts));
  }
  for (const counts of [[17], [8, 9], [20, 2]]) {
    const query = joined(...counts);
    assert.notDeepEqual(boundTexts(query, 1), query, String(counts));
  }
});

Deno.test("the length of what is joined counts each column as often as it stands there, and each subquery", () => {
  const few = (name: string) => `(SELECT from my.Authors { ${name} })`;
  const guarded = (...operands: readonly string[]) => {
    const titles = Array.from({ length: 17 }, () => "title");
    const query = lowered(`SELECT from my.Books { concat(${[...titles, ...operands].join(", ")}) as c }`);
    return JSON.stringify(boundTexts(query, 100)).match(/\$text_length/g)!.length;
  };
  assert.equal(guarded(), 1);
  assert.equal(guarded("title", "author.name"), 2);
  assert.equal(guarded(few("name")), 2);
  assert.equal(guarded(few("name"), few("ID")), 3);
  assert.equal(guarded(few("name"), few("ID"), few("name")), 4);
});

Deno.test("texts of subqueries are bounded in the subquery, and not around it once more", () => {
  const many = `concat(${Array.from({ length: 17 }, () => "name").join(", ")})`;
  const guards = (column: string) => {
    const query = lowered(`SELECT from my.Books { ID, ${column} as c }`);
    return JSON.stringify(boundTexts(query, 100)).match(/\$joined\w*/g);
  };
  const inner = `(SELECT from my.Authors { ${many} as n })`;
  for (const column of [inner, `concat(title, ${inner})`]) {
    assert.deepEqual(guards(column), ["$joined_rows"], column);
  }
});

Deno.test("associations with a condition of their own have no column, those without have their keys (csn-cqn 6)", () => {
  const on = [{ ref: ["author", "ID"] }, "=", { ref: ["ID"] }];
  const to = { type: "cds.Association", target: "my.Authors" };
  const namesOf = (column: object) =>
    lowered(select({ columns: [{ ref: ["ID"] }, column] as SelectQuery["SELECT"]["columns"] }))
      .SELECT.columns!.map((one) => one !== "*" && one.as);
  assert.deepEqual(namesOf({ ref: ["author"], cast: { ...to, on } }), ["ID"]);
  assert.deepEqual(namesOf({ ref: ["author"], expand: ["*"], cast: { ...to, on } }), ["ID"]);
  assert.deepEqual(namesOf({ ref: ["author"], cast: to }), ["ID", "author_ID"]);
  assert.deepEqual(namesOf({ ref: ["author"] }), ["ID", "author_ID"]);
  assert.deepEqual(namesOf({ ref: ["title"], cast: { type: "cds.String" } }), ["ID", "title"]);
});

Deno.test("parameters of views are replaced by arguments, defaults or null, in both forms (csn-cqn 6)", () => {
  const model = linkModel(parseCdl(`entity A { key ID : Integer; }
    entity V(p : Integer, q : Integer default 7, r : Integer) as select from A { ID }
      where ID < :p and ID > $parameters.p and ID <> $parameters.q and ID <> :r;`));
  for (const view of ["V", "localized.V"]) {
    const { query } = lowerQuery(model, parseCqlQuery(`SELECT from ${view}(p: 5) { ID }`));
    const { sql, bindings } = renderQuery(SQLITE, query);
    assert.match(sql, /WHERE "A"\."ID" < \? AND "A"\."ID" > \? AND "A"\."ID" <> \? AND "A"\."ID" <> NULL\)/);
    assert.deepEqual(bindings.map((one) => one.kind === "value" && one.value), [5, 5, 7], view);
  }
});

Deno.test("subqueries have the type of what they select where that is a number", () => {
  const typeOf = (column: string) => {
    const [, found] = lowered(`SELECT from my.Books { ID, (SELECT from my.Authors { ${column} as x }) as c }`)
      .SELECT.columns!;
    return (found as { readonly type?: string }).type;
  };
  assert.deepEqual(["ID", "ID / 2.5", "name", "null"].map(typeOf), [
    "cds.Integer",
    "cds.Decimal",
    undefined,
    undefined,
  ]);
});
