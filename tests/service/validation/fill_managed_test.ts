/** What the framework supplies to rows and parameters. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import {
  entityOf,
  fillKeys,
  fillManaged,
  fillParameters,
  isManaged,
} from "../../../src/service/validation/fill_managed.ts";

const model = linkModel(parseCdl(`
  type Level : String enum { low; high = 'H'; };
  entity Rows { key ID : UUID; level : Level default #high; low : Level default #low; number : Integer default 5;
    by : String @cds.on.insert: $user @cds.on.update: $user; at : Timestamp @cds.on.insert: $now @cds.on.update: $now;
    fallback : String default 'd' @cds.on.insert: ($user.none); virtual hint : String default 'v';
    computed : String default (1 + 2); kind : Association to Kinds default 'K';
    parts : Composition of many Parts on parts.row = $self; one : Composition of one Parts; }
  entity Kinds { key code : String; }
  entity Parts { key ID : UUID; row : Association to Rows; state : String default 'new'; by : String @cds.on.update: $user; }
  entity Named { key name : String; part : Association to Parts; }
  service S { action run(user : String default $user, id : String default $user.id, locale : String default $user.locale,
    tenant : String default $user.tenant, own : String default $tenant, region : String default $user.region,
    list : String default $user.list, none : String default $user.none, uuid : UUID default $uuid,
    moment : Timestamp default $now, second : DateTime default $now, day : Date default $now, time : Time default $now,
    number : Integer default 5, level : Level default #high, zero : Integer default 0, plain : String); }
`));
const timestamp = new Date("2020-02-03T04:05:06.789Z");
const attr = { region: "EU", list: ["a", "b"] };
const context = new EventContext({
  user: new User({ id: "ann", attr }),
  tenant: "t1",
  locale: "de",
  timestamp,
});

function filled(query: Query, before?: EventContext): Row {
  fillManaged(query, { model, context, ...(before && { before }) });
  const [body] = Object.values(query) as { readonly entries?: readonly Row[]; readonly data?: Row }[];
  return body!.entries?.[0] ?? body!.data!;
}

const UUID = /^[\da-f]{8}-/;

Deno.test("defaults of parameters are literals, symbols of enums, and what pseudo variables stand for", () => {
  const { params } = model.service("S")!.operations.run!;
  const values: Row = { number: 7, plain: undefined };
  fillParameters(params, values, context);
  const { uuid, ...others } = values;
  assert.match(String(uuid), UUID);
  assert.deepEqual(others, {
    ...{ user: "ann", id: "ann", locale: "de", tenant: "t1", own: "t1", region: "EU", list: "a" },
    moment: "2020-02-03T04:05:06.789Z",
    second: "2020-02-03T04:05:06Z",
    day: "2020-02-03",
    time: "04:05:06",
    ...{ number: 7, level: "H", zero: 0, plain: undefined },
  });
});

Deno.test("new rows get keys, defaults and managed values, their parts too", () => {
  const { ID, parts, ...row } = filled({
    INSERT: { into: "Rows", entries: [{ number: null, parts: [{}], by: "bob" }] },
  });
  assert.match(String(ID), UUID);
  const now = timestamp.toISOString();
  assert.deepEqual(row, {
    number: null,
    by: "bob",
    level: "H",
    low: "low",
    at: now,
    fallback: "d",
    kind_code: "K",
  });
  const [{ ID: part, ...others }] = parts as [Row];
  assert.match(String(part), UUID);
  assert.deepEqual(others, { state: "new" });
});

Deno.test("a foreign key that comes nested has no default", () => {
  const { kind_code } = filled({ INSERT: { into: "Rows", entries: [{ kind: { code: "X" } }] } });
  assert.equal(kind_code, undefined);
});

Deno.test("updates get what changes with them; parts without key are new, of others the database knows", () => {
  const data = { parts: [{ ID: "p1" }, {}], one: { ID: "p2" } };
  const { at, by, parts, one, ...others } = filled({ UPDATE: { entity: { ref: ["Rows"] }, data } });
  assert.deepEqual([at, by, others, one], [timestamp.toISOString(), "ann", {}, { ID: "p2" }]);
  const [known, added] = parts as [Row, Row];
  assert.deepEqual(known, { ID: "p1" });
  assert.equal(added.state, "new");
  const computed = filled({ UPDATE: { entity: "Rows", data: {}, with: { by: { val: "x" } } } });
  assert.deepEqual(Object.keys(computed), ["at"]);
});

Deno.test("rows of an UPSERT that may be there already are left to the database, others are new", () => {
  assert.deepEqual(filled({ UPSERT: { into: "Rows", entries: [{ ID: "r1" }] } }), { ID: "r1" });
  assert.equal(filled({ UPSERT: { into: "Rows", entries: [{}] } }).level, "H");
});

Deno.test("values that an earlier context gave are given again, those of clients stay", () => {
  const before = new EventContext({ user: new User({ id: "anonymous" }), timestamp });
  const update = (by: string): Query => ({ UPDATE: { entity: "Rows", data: { by } } });
  assert.equal(filled(update("anonymous"), before).by, "ann");
  assert.equal(filled(update("bob"), before).by, "bob");
});

Deno.test("queries without rows, and of what the model does not have, stay as they are", () => {
  const row = {};
  for (
    const query of [
      { INSERT: { into: "Unknown", entries: [row] } },
      { INSERT: { into: { ref: ["Rows", "none"] }, entries: [row] } },
      { UPDATE: { entity: "Unknown", data: row } },
      { UPDATE: { entity: "Rows", with: {} } },
      { INSERT: { into: "Rows", columns: ["ID"], rows: [] } },
      { DELETE: { from: "Rows" } },
    ] as Query[]
  ) fillManaged(query, { model, context });
  assert.deepEqual(row, {});
});

Deno.test("keys are generated for rows and parts without, and for nothing else", () => {
  const row: Row = { parts: [{}, { ID: "p1" }], one: {} };
  fillKeys({ into: { ref: ["Rows"] }, entries: [row] }, model);
  const [first, second] = row.parts as [Row, Row];
  for (const { ID } of [row, first, row.one as Row]) assert.match(String(ID), UUID);
  assert.deepEqual([second, Object.keys(first), Object.keys(row)], [{ ID: "p1" }, ["ID"], [
    "parts",
    "one",
    "ID",
  ]]);
  const named: Row = {};
  fillKeys({ into: "Named", entries: [named] }, model);
  assert.deepEqual(named, {});
});

Deno.test("the entity that a write addresses stands at the end of its path", () => {
  const paths = [["Rows"], ["Rows", "parts"], ["Rows", { id: "parts", where: [] }, "row"], [
    "Rows",
    "none",
    "x",
  ], ["None"]];
  assert.deepEqual(paths.map((ref) => entityOf({ ref }, model)?.name), [
    "Rows",
    "Parts",
    "Rows",
    undefined,
    undefined,
  ]);
  assert.equal(entityOf("Parts", model)?.name, "Parts");
});

Deno.test("managed is what is supplied on insert", () => {
  const flat = model.entity("Rows")!.$flat;
  assert.deepEqual(["at", "by", "fallback", "number", "ID"].map((name) => isManaged(flat.get(name)!)), [
    ...[true, true, true, false, false],
  ]);
});
