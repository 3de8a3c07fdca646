/** What a request changes (api 7). */

import assert from "node:assert/strict";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { printQuery } from "../../src/cqn/print_query.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { dataDiff } from "../../src/service/requests/data_diff.ts";

const MODEL = linkModel(parseCdl(`
  entity Orders { key ID : Integer; note : String; at : Timestamp; amount : Decimal; place { town : String; }; tags : many String;
    items : Composition of many { key pos : Integer; text : String; marks : Composition of many { key no : Integer; text : String; } };
    head : Composition of one Heads; }
  entity Heads { key ID : Integer; text : String; }`));

/** The differences, and the queries that were asked for them. */
async function diff(event: string, data: Row, stored: Row | null = null) {
  const asked: string[] = [];
  const read = (query: Query) => {
    asked.push(printQuery(query));
    return Promise.resolve(stored);
  };
  const subject = { ref: ["Orders"] };
  const found = await dataDiff(data, { event, target: MODEL.entity("Orders")!, subject, read });
  return { found, asked };
}

const ITEM = { up__ID: 1, pos: 1, text: "a" };

Deno.test("a new row and its parts are created, and nothing is read", async () => {
  const data = { ID: 1, items: [ITEM], head: { ID: 2 } };
  for (const event of ["CREATE", "INSERT"]) {
    assert.deepEqual(await diff(event, data), {
      found: { ID: 1, items: [{ ...ITEM, _op: "create" }], head: { ID: 2, _op: "create" }, _op: "create" },
      asked: [],
    });
  }
  const { found } = await diff("CREATE", { ID: 1, items: [], head: null });
  assert.deepEqual(found, { ID: 1, items: [], head: null, _op: "create" });
});

Deno.test("a deletion tells all of the row that it deletes", async () => {
  const { found, asked } = await diff("DELETE", {}, { ID: 1, note: "a" });
  assert.deepEqual(found, { ID: 1, note: "a", _op: "delete" });
  assert.deepEqual(asked, ["SELECT one from Orders { * }"]);
});

Deno.test("an update asks for the keys, and for what it writes", async () => {
  const { asked } = await diff("UPDATE", {
    note: "b",
    items: [{ pos: 1, marks: [{ text: "x" }] }, { text: "y" }],
  });
  assert.deepEqual(asked, [
    "SELECT one from Orders { ID, note, items { up__ID, pos, text, marks { up__up__ID, up__pos, no, text } } }",
  ]);
});

Deno.test("a changed row has its keys, what differs, and what was there before", async () => {
  const cases: readonly (readonly [data: Row, stored: Row | null, found: Row])[] = [
    [{ note: "b", amount: 1 }, { ID: 1, note: "a", amount: 1 }, {
      ID: 1,
      note: "b",
      _op: "update",
      _old: { note: "a" },
    }],
    [{ note: "b" }, { ID: 1 }, { ID: 1, note: "b", _op: "update", _old: { note: null } }],
    [{ note: null }, { ID: 1, note: "a" }, { ID: 1, note: null, _op: "update", _old: { note: "a" } }],
    [{ note: "a" }, { ID: 1, note: "a" }, { ID: 1 }],
    [{ note: null }, { ID: 1 }, { ID: 1 }],
    // a row that is not there is created
    [{ ID: 1, note: "a" }, null, { ID: 1, note: "a", _op: "create" }],
    // other forms of the same value
    [{ amount: "1.5" }, { ID: 1, amount: 1.5 }, { ID: 1 }],
    [{ at: "2020-01-01T00:00:00.000Z" }, { ID: 1, at: new Date(Date.UTC(2020, 0)) }, { ID: 1 }],
    [{ tags: ["a"] }, { ID: 1, tags: ["a"] }, { ID: 1 }],
    [
      { tags: ["b"] },
      { ID: 1, tags: ["a"] },
      { ID: 1, tags: ["b"], _op: "update", _old: { tags: ["a"] } },
    ],
  ];
  for (const [data, stored, expected] of cases) {
    assert.deepEqual((await diff("UPDATE", data, stored)).found, expected, JSON.stringify(data));
  }
});

Deno.test("parts are created, changed and deleted with their row, those that stay are not told", async () => {
  const stored = { ID: 1, items: [ITEM, { up__ID: 1, pos: 2, text: "b" }, { up__ID: 1, pos: 3, text: "c" }] };
  const { found } = await diff("UPDATE", {
    items: [{ pos: 1, text: "a" }, { pos: 2, text: "new" }, { pos: 4, text: "d" }],
  }, stored);
  assert.deepEqual(found, {
    ID: 1,
    items: [
      { up__ID: 1, pos: 2, text: "new", _op: "update", _old: { text: "b" } },
      { pos: 4, text: "d", _op: "create" },
      { up__ID: 1, pos: 3, text: "c", _op: "delete" },
    ],
    _op: "update",
  });
  const same = await diff("UPDATE", { items: [{ pos: 1, text: "a" }] }, { ID: 1, items: [ITEM] });
  assert.deepEqual(same.found, { ID: 1 });
  const one = await diff("UPDATE", { head: { ID: 2, text: "x" } }, { ID: 1, head: { ID: 2, text: "y" } });
  assert.deepEqual(one.found, {
    ID: 1,
    head: { ID: 2, text: "x", _op: "update", _old: { text: "y" } },
    _op: "update",
  });
  const none = await diff("UPDATE", { head: null }, { ID: 1, head: { ID: 2 } });
  assert.deepEqual(none.found, { ID: 1, head: { ID: 2, _op: "delete" }, _op: "update" });
});
