/** Associations that column lists declare and comparisons of structures, in the database (csn-cqn 6, 14). */

import assert from "node:assert/strict";
import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { lowerQuery } from "../../src/db/passes/lower_query.ts";
import { renderQuery } from "../../src/db/render/render_query.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { SqliteConnection } from "../../src/db/sqlite/connection.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { createAllEngines } from "./all_engines.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { compile } from "../model/cdl/memory_host.ts";

/** Deploys a model, fills it and runs a query. */
function rows(text: string, { fill, query }: { readonly fill: string; readonly query: string }): unknown[] {
  const model = linkModel(compile(text));
  const db = new SqliteConnection({ file: ":memory:", timeoutMs: 1000 });
  try {
    for (const statement of renderDdl(model)) db.change({ sql: statement }, []);
    for (const statement of fill.split(";")) db.change({ sql: statement }, []);
    const { sql, bindings } = renderQuery(SQLITE, lowerQuery(model, parseCqlQuery(query)).query);
    return db.all(sql, bindings.map((one) => one.kind === "value" ? one.value as string : "de"));
  } finally {
    db.close();
  }
}

const plain = (found: unknown[]) => found.map((row) => ({ ...row as object }));

const BOOKS = `entity Books { key ID : Integer; author : Association to Authors; }
  entity Authors { key ID : Integer; name : String; }
  entity Reviews { key ID : Integer; book : Integer; text : String; }`;
const BOOK_ROWS = "INSERT INTO Authors VALUES (5, 'A'); INSERT INTO Books VALUES (1, 5), (2, 5); " +
  "INSERT INTO Reviews VALUES (7, 1, 'good')";

Deno.test("views have no column for associations that they declare, and paths follow their condition", () => {
  const text = `${BOOKS} entity V as projection on Books { ID as number,
      reviews : Association to many Reviews on reviews.book = number,
      author : redirected to Writers on author.ID = $self.number };
    entity Writers as projection on Authors;
    entity S as select from V { number, reviews.text };`;
  const one = rows(text, { fill: BOOK_ROWS, query: "select from V order by number" });
  assert.deepEqual(plain(one), [{ number: 1 }, { number: 2 }]);
  const path = rows(text, {
    fill: BOOK_ROWS,
    query: "select from V { number, reviews.text } order by number",
  });
  assert.deepEqual(plain(path), [{ number: 1, text: "good" }, { number: 2, text: null }]);
  const view = rows(text, { fill: BOOK_ROWS, query: "select from S order by number" });
  assert.deepEqual(plain(view), plain(path));
  const some = rows(text, {
    fill: BOOK_ROWS,
    query: "select from V { number } where exists reviews[text = 'good']",
  });
  assert.deepEqual(plain(some), [{ number: 1 }]);
});

Deno.test("conditions compare with elements of structures of the row itself", () => {
  const text =
    `entity A { key ID : Integer; in { n : Integer; }; bs : Association to many B on bs.n = $self.in.n; }
    entity B { key ID : Integer; n : Integer; }`;
  const fill = "INSERT INTO A VALUES (1, 5); INSERT INTO B VALUES (7, 5), (8, 6)";
  assert.deepEqual(plain(rows(text, { fill, query: "select from A { ID, bs.ID as b }" })), [{ ID: 1, b: 7 }]);
});

Deno.test("associations lead back from ones in structures of their target, whichever side of the equality those stand on", () => {
  const fill = "INSERT INTO A VALUES (1), (2); INSERT INTO B VALUES (7, 1, 2), (8, 2, 2)";
  for (const on of ["bs.in.a = $self", "$self = bs.in.a", "$projection = bs.in.a", "$self.bs.in.a = $self"]) {
    const text = `entity A { key ID : Integer; bs : Association to many B on ${on}; }
      entity B { key ID : Integer; in { a : Association to A; }; a : Association to A; }`;
    const found = rows(text, { fill, query: "select from A { ID, bs.ID as b } order by ID" });
    assert.deepEqual(plain(found), [{ ID: 1, b: 7 }, { ID: 2, b: 8 }], on);
  }
});

Deno.test("conditions of mixins may begin with the name of the source", () => {
  const text = `${BOOKS} entity V as select from Books as b
    mixin { reviews : Association to many Reviews on reviews.book = b.ID } into { b.ID, reviews.text };`;
  const found = rows(text, { fill: BOOK_ROWS, query: "select from V order by ID" });
  assert.deepEqual(plain(found), [{ ID: 1, text: "good" }, { ID: 2, text: null }]);
});

const POINTS = `entity P { key ID : Integer; a { x : Integer; y : Integer; }; b { x : Integer; y : Integer; };
    q : Association to Q; r : Association to Q; n : Association to P on n.a = a and n.ID <> ID; }
  entity Q { key k : Integer; key l : Integer; }`;
const POINT_ROWS = "INSERT INTO P VALUES (1, 1, 2, 1, 2, 3, 4, 3, 4), (2, 1, 2, 1, 3, 3, 4, 3, 5), " +
  "(3, NULL, NULL, 0, 0, NULL, NULL, 1, 1)";

Deno.test("structures and associations with several keys are compared by all their parts", () => {
  const ids = (where: string) =>
    rows(POINTS, { fill: POINT_ROWS, query: `select from P { ID } where ${where} order by ID` })
      .map((row) => (row as { ID: number }).ID);
  assert.deepEqual(ids("a = b"), [1]);
  assert.deepEqual(ids("not a = b"), [2]);
  assert.deepEqual(ids("a <> b"), [2]);
  assert.deepEqual(ids("q = r or a is null"), [1, 3]);
  assert.deepEqual(ids("q is not null and q != r"), [2]);
  assert.deepEqual(ids("n.ID = 2"), [1]);
  assert.throws(() => ids("a = q"), /Structures with different elements cannot be compared: x, y; k, l/);
});

Deno.test("rows are grouped by all parts of a structure", () => {
  const query = "select from P { count(*) as n } group by a order by n";
  assert.deepEqual(plain(rows(POINTS, { fill: POINT_ROWS, query })), [{ n: 1 }, { n: 2 }]);
});

Deno.test("texts of entities with a structured key are found by all its parts", () => {
  const text = "entity P { key id { a : Integer; b : Integer; }; name : localized String; }";
  const fill = "INSERT INTO P VALUES (1, 2, 'N'), (1, 3, 'M'); INSERT INTO P_texts VALUES ('de', 1, 3, 'T')";
  const found = rows(text, { fill, query: "select from P { name, texts.name as other } order by name" });
  assert.deepEqual(plain(found), [{ name: "M", other: "T" }, { name: "N", other: null }]);
});

Deno.test("the default of an association is the symbol's value in its foreign key", () => {
  const text = `type Code : String enum { open; closed = 'c' } entity States { key code : Code; }
    entity E { key ID : Integer; state : Association to States default #closed; }`;
  const found = rows(text, {
    fill: "INSERT INTO E (ID) VALUES (1)",
    query: "select from E { ID, state.code }",
  });
  assert.deepEqual(plain(found), [{ ID: 1, code: "c" }]);
});

Deno.test("an association with neither keys nor a condition, as imported models have, leads nowhere, on all engines", async () => {
  const ID = { key: true, type: "cds.Integer" };
  const to = { type: "cds.Association", target: "B" };
  const elements = { ID, many: { ...to, cardinality: { max: "*" as const } }, one: { ...to, keys: [] } };
  const model = linkModel({
    definitions: { A: { kind: "entity", elements }, B: { kind: "entity", elements: { ID } } },
  });
  const asked: Readonly<Record<string, readonly unknown[]>> = {
    "A { ID, many { ID as n } }": [{ ID: 1, many: [] }],
    "A { many.ID as n }": [{ n: null }],
    "A { one.ID as n }": [{ n: null }],
    "A { count(many) as n }": [{ n: 0 }],
    "A { ID } where exists many": [],
    "A { ID } where exists many[ID = 1]": [],
    "A:many { ID }": [],
  };
  for (const database of await createAllEngines(model)) {
    try {
      await database.deploy(new Map([["A", [{ ID: 1 }]], ["B", [{ ID: 1 }]]]));
      for (const [text, expected] of Object.entries(asked)) {
        const tx = database.begin(new EventContext());
        assert.deepEqual(
          await tx.run(parseCqlQuery(`SELECT from ${text}`)),
          expected,
          `${database.kind}: ${text}`,
        );
        await tx.rollback();
      }
    } finally {
      await database.close();
    }
  }
});
