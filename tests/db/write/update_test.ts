/** What UPDATE and UPSERT do with rows and their parts. */

import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { writing } from "./rows_after.ts";

const MODEL = `
  entity Orders { key ID : Integer; title : String; n : Integer;
    items : Composition of many Items on items.order = $self;
    address : Composition of one Addresses; }
  entity Items { key ID : Integer; order : Association to Orders; text : String;
    parts : Composition of many Parts on parts.item = $self; }
  entity Parts { key ID : Integer; item : Association to Items; }
  entity Addresses { key ID : Integer; city : String; }
  entity Counted { key ID : Integer; text : String; @odata.etag.counter version : Integer default 0; }
  entity Codes { key code : String default 'x'; key no : Integer; text : String; }
  entity Shown as projection on Orders { ID, title as name, n + 1 as next : Integer };`;

const ROWS = {
  Orders: [
    {
      ID: 1,
      title: "a",
      n: 1,
      address: { ID: 5, city: "Rome" },
      items: [{ ID: 1, parts: [{ ID: 1 }] }, { ID: 2, text: "x" }],
    },
    { ID: 2, title: "b", n: 2, items: [{ ID: 3 }] },
  ],
};

const where = [{ ref: ["ID"] }, "=", { val: 1 }] as const;
const update = (data: Row, more = {}) => ({ UPDATE: { entity: "Orders", data, where, ...more } });

Deno.test("an update brings the parts of a row to what it says: those that it leaves out go, with their own parts (csn-cqn 5)", async () => {
  const cases: readonly (readonly [data: Row, items: readonly string[], parts: readonly string[]])[] = [
    [{ title: "z" }, ["1 1 null", "2 1 x", "3 2 null"], ["1 1"]],
    [{ items: [] }, ["3 2 null"], []],
    [{ items: [{ ID: 2 }] }, ["2 1 x", "3 2 null"], []],
    [{ items: [{ ID: 2, text: "y" }, { ID: 4 }] }, ["2 1 y", "3 2 null", "4 1 null"], []],
    [{ items: [{ ID: 1, parts: [{ ID: 2 }, { ID: 3 }] }] }, ["1 1 null", "3 2 null"], ["2 1", "3 1"]],
    [{ items: [{ ID: 1, text: "y" }] }, ["1 1 y", "3 2 null"], ["1 1"]],
  ];
  for (const [data, items, parts] of cases) {
    await writing(MODEL, ROWS, async ({ run, rows }) => {
      assert.equal(await run(update(data)), 1);
      assert.deepEqual(await rows("SELECT from Items { ID, order.ID as o, text } order by ID"), items);
      assert.deepEqual(await rows("SELECT from Parts { ID, item.ID as i } order by ID"), parts);
    });
  }
});

Deno.test("a part that the row itself refers to is changed, replaced or deleted together with the reference", async () => {
  const cases:
    readonly (readonly [id: number, address: Row | null, reference: string, addresses: readonly string[]])[] =
      [
        [1, { city: "Oslo" }, "5", ["5 Oslo"]],
        [1, { ID: 5, city: "Oslo" }, "5", ["5 Oslo"]],
        [1, { ID: 6, city: "Oslo" }, "6", ["6 Oslo"]],
        [1, null, "null", []],
        [2, { ID: 6, city: "Oslo" }, "6", ["5 Rome", "6 Oslo"]],
        [2, null, "null", ["5 Rome"]],
      ];
  for (const [id, address, reference, addresses] of cases) {
    await writing(MODEL, ROWS, async ({ run, rows }) => {
      await run(update({ address }, { where: [{ ref: ["ID"] }, "=", { val: id }] }));
      assert.deepEqual(await rows(`SELECT from Orders { address.ID as a } where ID = ${id}`), [reference]);
      assert.deepEqual(await rows("SELECT from Addresses { ID, city } order by ID"), addresses);
    });
  }
});

Deno.test("values and expressions are set together, expressions count more; keys stay, what cannot be written is told", () =>
  writing(MODEL, ROWS, async ({ run, rows }) => {
    const orders = () => rows("SELECT from Orders { ID, title, n } order by ID");
    const one = [{ ref: ["n"] }, "+", { val: 10 }];
    assert.equal(await run(update({ ID: 9, title: "z", n: 0 }, { with: { n: { xpr: one } } })), 1);
    assert.deepEqual(await orders(), ["1 z 11", "2 b 2"]);
    assert.equal(await run(update({}, { with: { n: { val: 5 }, title: { val: null } } })), 1);
    assert.deepEqual(await orders(), ["1 null 5", "2 b 2"]);
    assert.equal(await run(update({ ID: 9 })), 1, "it counts rows that stay as they are");
    assert.equal(await run({ UPDATE: { entity: "Orders", data: {} } }), 2);
    assert.equal(await run({ UPDATE: { entity: "Orders", data: { n: 3 } } }), 2);
    assert.equal(await run({ UPDATE: { entity: "Shown", data: { name: "c" }, where } }), 1);
    assert.deepEqual(await orders(), ["1 c 3", "2 b 3"]);
    await assert.rejects(run({ UPDATE: { entity: "Shown", with: { next: { val: 1 } }, where } }), {
      name: "TypeError",
      message: 'Element "next" of "Shown" cannot be written',
    });
  }));

Deno.test("counters of versions count changes, whatever callers say, and nothing where nothing is set", () =>
  writing(MODEL, { Counted: [{ ID: 1 }] }, async ({ run, rows }) => {
    const change = async (data: Row, more = {}) => {
      await run({ UPDATE: { entity: "Counted", data, where, ...more } });
      return (await rows("SELECT from Counted { version }"))[0];
    };
    assert.equal(await change({ text: "a" }), "1");
    assert.equal(await change({ text: "a", version: 7 }), "2");
    assert.equal(await change({}), "2");
    assert.equal(await change({}, { with: { text: { val: "b" } } }), "3");
    assert.equal(await change({}, { with: { version: { val: 9 } } }), "9");
  }));

Deno.test("an upsert changes the rows that are there and inserts the others, with defaults of keys", () =>
  writing(
    MODEL,
    { ...ROWS, Codes: [{ code: "x", no: 1, text: "a" }, { code: "y", no: 1, text: "b" }] },
    async ({ run, rows }) => {
      const upsert = (into: string, ...entries: Row[]) => run({ UPSERT: { into, entries } });
      await upsert("Codes", { no: 1, text: "c" }, { no: 2, text: "d" }, { code: "y", no: 1, text: "e" });
      assert.deepEqual(await rows("SELECT from Codes { code, no, text } order by code, no"), [
        "x 1 c",
        "x 2 d",
        "y 1 e",
      ]);
      await upsert("Orders", { ID: 2, title: "c", items: [{ ID: 4 }] }, {
        ID: 3,
        title: "d",
        items: [{ ID: 5 }],
      });
      assert.deepEqual(await rows("SELECT from Orders { ID, title } order by ID"), ["1 a", "2 c", "3 d"]);
      assert.deepEqual(await rows("SELECT from Items { ID, order.ID as o } order by ID"), [
        "1 1",
        "2 1",
        "4 2",
        "5 3",
      ]);
    },
  ));
