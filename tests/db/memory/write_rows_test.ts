/** Writes of the database in memory, with the rules of columns. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  @assert.unique: { code: [a, b] }
  entity my.U { key ID : Integer; a : String; b : Integer; m : String not null default 'm';
    n : Integer default 7; twice : Integer = n * 2 stored; }
  entity my.K { key x : Integer; key y : String; v : Double; p : Decimal(30,2); s : String; i : Int64; }
  entity my.Marks { text : String; }
  entity my.Other { key ID : Integer; a : String; }
`));

interface Given {
  readonly run: (query: Query) => Promise<unknown>;
  readonly rows: (text: string) => Promise<readonly Row[]>;
  readonly insert: (into: string, ...entries: Row[]) => Promise<unknown>;
}

async function withDatabase(use: (given: Given) => Promise<unknown>) {
  const db = await createMemoryDatabase({ model: MODEL, options: {} });
  try {
    await db.deploy();
    const tx = db.begin(new EventContext({}));
    const run = async (query: Query) => await tx.run(query);
    await use({
      run,
      rows: async (text) => await run(parseCqlQuery(`SELECT from ${text}`)) as readonly Row[],
      insert: (into, ...entries) => run({ INSERT: { into, entries } }),
    });
    await tx.rollback();
  } finally {
    await db.close();
  }
}

const update = (entity: string, data: Row, ID: number): Query => ({
  UPDATE: { entity, data, where: [{ ref: ["ID"] }, "=", { val: ID }] },
});

Deno.test("unique values are those of other rows, null is none of them, and what is freed is free (annotations)", () =>
  withDatabase(async ({ run, rows, insert }) => {
    const taken = { status: 409 };
    await insert("my.U", { ID: 1, a: "x", b: 1 }, { ID: 2, a: "x", b: 2 });
    await insert("my.U", { ID: 3, a: "x", b: null }, { ID: 4, a: "x", b: null });
    await assert.rejects(insert("my.U", { ID: 5, a: "x", b: 1 }), taken);
    await assert.rejects(insert("my.U", { ID: 5, a: "z", b: 1 }, { ID: 6, a: "z", b: 1 }), taken);
    await assert.rejects(run(update("my.U", { b: 1 }, 2)), taken);
    assert.equal(await run(update("my.U", { b: 1, n: 1 }, 1)), 1, "its own value is no other's");
    assert.equal(await run(update("my.U", { b: 9 }, 1)), 1);
    await assert.rejects(insert("my.U", { ID: 5, a: "x", b: 9 }), taken);
    await insert("my.U", { ID: 5, a: "x", b: 1 });
    assert.equal(await run({ DELETE: { from: "my.U", where: [{ ref: ["ID"] }, "=", { val: 2 }] } }), 1);
    await insert("my.U", { ID: 6, a: "x", b: 2 });
    assert.deepEqual((await rows("my.U { ID } order by ID")).map(({ ID }) => ID), [1, 3, 4, 5, 6]);
  }));

Deno.test("a write that fails changes nothing, and frees what its first rows took", () =>
  withDatabase(async ({ run, rows, insert }) => {
    await insert("my.U", { ID: 1, a: "x", b: 1 }, { ID: 2, a: "y", b: 2 }, { ID: 3, a: "z", b: 3 });
    const before = await rows("my.U { * } order by ID");
    const same: Query = { UPDATE: { entity: "my.U", data: { a: "q", b: 5 } } };
    await assert.rejects(run(same), { status: 409 });
    await assert.rejects(insert("my.U", { ID: 8, a: "q", b: 5 }, { ID: 1 }), { status: 409 });
    assert.deepEqual(await rows("my.U { * } order by ID"), before);
    await assert.rejects(insert("my.U", { ID: 9, a: "x", b: 1 }), { status: 409 });
    await insert("my.U", { ID: 9, a: "q", b: 5 });
    await assert.rejects(run(update("my.U", { m: null }, 1)), { status: 400 });
    await assert.rejects(insert("my.U", { ID: 10, m: null }), { status: 400 });
    await assert.rejects(insert("my.U", { ID: 9 }), { status: 409, code: "ENTITY_ALREADY_EXISTS" });
  }));

Deno.test("columns without value have their default, and stored ones are calculated on each write (csn-cqn 5)", () =>
  withDatabase(async ({ run, rows, insert }) => {
    await insert("my.U", { ID: 1 }, { ID: 2, n: 5, m: "x" }, { ID: 3, n: null });
    const stored = async () =>
      (await rows("my.U { n, m, twice } order by ID")).map((row) => Object.values(row));
    assert.deepEqual(await stored(), [[7, "m", 14], [5, "x", 10], [null, "m", null]]);
    assert.equal(await run(update("my.U", { n: 4 }, 3)), 1);
    assert.equal(await run(update("my.U", { n: null }, 2)), 1);
    assert.equal(await run(update("my.U", { n: 4 }, 9)), 0);
    const expression: Query = {
      UPDATE: { entity: "my.U", with: { n: { xpr: [{ ref: ["n"] }, "+", { val: 1 }] } } },
    };
    assert.equal(await run(expression), 3);
    assert.deepEqual(await stored(), [[8, "m", 16], [null, "x", null], [5, "m", 10]]);
  }));

Deno.test("columns hold values of their types (db/README)", () =>
  withDatabase(async ({ rows, insert }) => {
    await insert(
      "my.K",
      { x: 1, y: "a", v: "1.5", p: "2.50", s: 12, i: "9007199254740993" },
      { x: 1, y: "b", v: "INF", p: "1234567890123456789.25", s: "x", i: "12" },
      { x: 2, y: "a", v: "NaN", p: "123456789012345", s: "", i: 7 },
      { x: 3, y: "a", v: 1, p: "1234567890123456", s: "1", i: "-5" },
    );
    const held = (await rows("my.K { v, p, s, i } order by x, y")).map((row) => Object.values(row));
    assert.deepEqual(held, [
      [1.5, 2.5, "12", "9007199254740993"],
      [Infinity, "1234567890123456789.25", "x", 12],
      [NaN, 123456789012345, "", 7],
      [1, "1234567890123456", "1", -5],
    ]);
  }));

Deno.test("rows of an entity without key stay, equal ones too, behind a deletion as well", () =>
  withDatabase(async ({ run, rows, insert }) => {
    const texts = async () => (await rows("my.Marks { text } order by text")).map(({ text }) => text);
    await insert("my.Marks", { text: "a" }, { text: "b" }, { text: "b" });
    const ofA = [{ ref: ["text"] }, "=", { val: "a" }];
    assert.equal(await run({ DELETE: { from: "my.Marks", where: ofA } }), 1);
    await insert("my.Marks", { text: "c" }, { text: "b" });
    assert.deepEqual(await texts(), ["b", "b", "b", "c"]);
    assert.equal(await run({ UPDATE: { entity: "my.Marks", data: { text: "d" } } }), 4);
    assert.deepEqual(await texts(), ["d", "d", "d", "d"]);
    assert.equal(await run({ DELETE: { from: "my.Marks" } }), 4);
    assert.deepEqual(await texts(), []);
  }));

Deno.test("rows of a query are inserted with the names of its columns (csn-cqn 5)", () =>
  withDatabase(async ({ run, rows, insert }) => {
    await insert("my.U", { ID: 1, a: "x" }, { ID: 2, a: "y" });
    const from = parseCqlQuery("SELECT from my.U { a, ID } where ID > 1");
    const insertFrom = { INSERT: { into: "my.Other", from } } as Query;
    const { affected } = await run(insertFrom) as { readonly affected: number };
    assert.equal(affected, 1);
    assert.deepEqual(await rows("my.Other { ID, a }"), [{ ID: 2, a: "y" }]);
    await assert.rejects(run(insertFrom), { status: 409 });
  }));
