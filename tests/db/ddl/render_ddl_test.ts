/** What a model wants of a database: its tables, with their columns and constraints, and its views. */

import assert from "node:assert/strict";
import { modelledSchema, persistentEntities, renderDdl } from "../../../src/db/ddl/render_ddl.ts";
import type { ColumnShape, TableShape } from "../../../src/db/ddl/schema_shape.ts";
import { POSTGRES } from "../../../src/db/render/postgres_dialect.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const modelOf = (cdl: string) => linkModel(parseCdl(cdl));

function tables(cdl: string, options = {}): Record<string, TableShape> {
  const { tables } = modelledSchema(modelOf(cdl), options);
  return Object.fromEntries(tables.map(({ shape }) => [shape.name, shape]));
}

function columns(elements: string, options = {}): Record<string, ColumnShape> {
  const { E } = tables(
    `entity E { key ID : Integer; ${elements} } entity T { key ID : Integer; }
    type S { g : Integer; typed : Integer; }`,
    options,
  );
  return Object.fromEntries(E.columns.map((column) => [column.name, column]));
}

Deno.test("what is in the database are entities with columns, and views of which all sources are there", () => {
  const model = modelOf(`
    entity A { key ID : Integer; }
    @cds.persistence.skip entity Skipped { key ID : Integer; }
    @cds.persistence.exists entity There { key ID : Integer; }
    entity Empty { many : Association to many A on many.ID = 1; }
    entity V as projection on A;
    entity OfSkipped as projection on Skipped;
    entity OfThat as projection on OfSkipped;
    entity OfThere as projection on There;
    entity Joined as select from A join Skipped on A.ID = Skipped.ID { A.ID };
    entity Both as select from A { key ID } union all select from Skipped { key ID };
    entity Within as select from (select from Skipped { ID }) as s { s.ID };
    entity Asking as select from A { ID, (select count(*) as n from Skipped) as n : Integer };`);
  assert.deepEqual(persistentEntities(model).map(({ name }) => name), ["A", "V", "OfThere"]);
});

Deno.test("views come after those that they read, also by joins, unions, paths and inner queries", () => {
  const order = (query: string) =>
    modelledSchema(modelOf(`
      entity A as ${query};
      entity B as select from C { key ID, to };
      entity C as projection on T;
      entity T { key ID : Integer; to : Association to T; b : Association to B; }`))
      .views.map(({ entity }) => entity.name).join();
  const cases: readonly (readonly [query: string, order: string])[] = [
    ["projection on B", "C,B,A"],
    ["select from T join B on T.ID = B.ID { T.ID }", "C,B,A"],
    ["select from T { key ID } union all select from B { key ID }", "C,B,A"],
    ["select from T { ID, b.to.ID as n }", "C,B,A"],
    ["select from T { ID } where exists b", "C,B,A"],
    ["select from T { ID, (select max(ID) as m from B) as n : Integer }", "C,B,A"],
    ["select from (select from B { ID }) as s { s.ID }", "C,B,A"],
    ["projection on T", "A,C,B"],
  ];
  assert.deepEqual(cases.map(([query]) => [query, order(query)]), cases);
});

Deno.test("columns have types, defaults and calculated values; those that are virtual or calculated when read have none", () => {
  const found = columns(`
    s : String(9); many : many String; d : Decimal(9, 2); l : LargeString; q : Decimal(5);
    virtual v : Integer; read : Integer = ID * 2; stored : Integer = ID * 2 stored;
    one : Integer default 1; none : Integer default null; ref : Timestamp default $now; func : Timestamp default now();
    user : String default $user; sum : Integer default 1 + 1; must : Integer not null; to : Association to T not null;
    calc : Integer = ID + 1 stored not null;`);
  const fallbacks = Object.entries(found).filter(([, { fallback }]) => fallback !== undefined);
  assert.deepEqual(Object.keys(found), [
    ...[
      "ID",
      "s",
      "many",
      "d",
      "l",
      "q",
      "stored",
      "one",
      "none",
      "ref",
      "func",
      "user",
      "sum",
      "must",
      "to_ID",
      "calc",
    ],
  ]);
  const now = found.ref.fallback;
  assert.match(now!, /now|strftime/i);
  assert.deepEqual(fallbacks.map(([name, { fallback }]) => [name, fallback]), [
    ["one", "1"],
    ["ref", now],
    ["func", now],
    ["sum", "(1 + 1)"],
  ]);
  assert.deepEqual(
    Object.entries(found).flatMap(([name, { notNull }]) => notNull ? [name] : []),
    ["ID", "must", "to_ID"],
  );
  assert.deepEqual([found.stored.generated, found.calc.generated, found.s.generated], [
    ...['"ID" * 2', '"ID" + 1', undefined],
  ]);
  assert.deepEqual([found.s, found.many, found.d, found.q].map(({ type }) => type), [
    { builtin: "cds.String", length: 9 },
    {},
    { builtin: "cds.Decimal", precision: 9, scale: 2 },
    { builtin: "cds.Decimal", precision: 5 },
  ]);
  assert.equal(found.s.sql, "NVARCHAR(9)");
  assert.equal(columns("s : String(9);", { dialect: POSTGRES }).s.sql, 'VARCHAR(9) COLLATE "C"');
});

Deno.test("columns and tables tell which names they had: that of the element or structure they come from, that of the whole", () => {
  const found = columns(`
    @fw.renamedFrom: 'm' n : Integer; @fw.renamedFrom: 'same' same : Integer; @fw.renamedFrom: 'too' to : Association to T;
    a { @fw.renamedFrom: 'x' b { c : Integer; @fw.renamedFrom: 'e' d : Integer; } };
    g { g : Integer; @fw.renamedFrom: 'f' to : Association to T; @fw.renamedFrom: 'h' g2 : Integer; };
    @fw.renamedFrom: 'was' typed : S;`);
  const earlier = Object.values(found).flatMap(({ name, was }) => was === undefined ? [] : [[name, was]]);
  assert.deepEqual(Object.fromEntries(earlier), {
    n: "m",
    to_ID: "too_ID",
    a_b_c: "a_x_c",
    a_b_d: "a_x_e",
    g_to_ID: "g_f_ID",
    g_g2: "g_h",
    typed_g: "was_g",
    typed_typed: "was_typed",
  });
  const renamed = tables(`
    @fw.renamedFrom: 'Old' entity my.New { key ID : Integer; parts : Composition of many { key p : Integer; }; }
    @fw.renamedFrom: 'his.Old' entity my.Other { key ID : Integer; parts : Composition of many { key p : Integer; }; }
    @fw.renamedFrom: 'Before' entity After { key ID : Integer; }
    entity Same { key ID : Integer; parts : Composition of many { key p : Integer; }; }`);
  assert.deepEqual(Object.fromEntries(Object.entries(renamed).map(([name, { was }]) => [name, was])), {
    my_New: "my_Old",
    my_New_parts: "my_Old_parts",
    my_Other: "his_Old",
    my_Other_parts: "his_Old_parts",
    After: "Before",
    Same: undefined,
    Same_parts: undefined,
  });
});

Deno.test("foreign keys refer to whole keys of tables, and rows of compositions end with the row they are in", () => {
  const model = `
    entity E {
      key ID : Integer;
      to : Association to T; two : Association to Two; half : Association to Two { a }; name : Association to T { name };
      view : Association to V; skipped : Association to Skipped; @assert.integrity: false free : Association to T;
      many : Association to many Part on many.up = $self;
      parts : Composition of many Part on parts.up = $self;
    }
    entity T { key ID : Integer; name : String; }
    entity V as projection on T;
    entity Two { key a : Integer; key b : Integer; }
    @cds.persistence.skip entity Skipped { key ID : Integer; }
    entity Part { key ID : Integer; up : Association to E; other : Association to E; }`;
  const foreignKeys = (name: string, options = {}) =>
    tables(model, options)[name].constraints.map((one) => [one.name, one.definition]);
  const end = "DEFERRABLE INITIALLY DEFERRED";
  const refers = (columns: string, target: string, onDelete = "RESTRICT") =>
    `FOREIGN KEY(${columns}) REFERENCES ${target} ON UPDATE RESTRICT ON DELETE ${onDelete} ${end}`;
  assert.deepEqual(foreignKeys("E", { foreignKeys: true }), [
    ["c__E_to", refers('"to_ID"', '"T"("ID")')],
    ["c__E_two", refers('"two_a", "two_b"', '"Two"("a", "b")')],
  ]);
  assert.deepEqual(foreignKeys("Part", { foreignKeys: true }), [
    ["c__Part_up", refers('"up_ID"', '"E"("ID")', "CASCADE")],
    ["c__Part_other", refers('"other_ID"', '"E"("ID")')],
  ]);
  assert.deepEqual(foreignKeys("E"), []);
});

Deno.test("statements come for tables first, then for views", () => {
  const statements = renderDdl(modelOf("entity V as select from T { ID }; entity T { key ID : Integer; }"));
  assert.deepEqual(statements.map((sql) => sql.slice(0, 16)), ['CREATE TABLE "T"', 'CREATE VIEW "V" ']);
});

Deno.test("entities whose names a database could not tell apart are refused", () => {
  const refused = (other: string) => () =>
    modelledSchema(modelOf(`entity a.b.C { key ID : Integer; } entity ${other} { key ID : Integer; }`));
  assert.throws(refused("a.b_C"), { name: "ConfigurationError" });
  assert.throws(refused("A.B.c"), { name: "ConfigurationError" });
  refused("a.b.D")();
});
