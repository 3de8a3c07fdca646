import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../src/model/csn.ts";
import { toMany, toOne } from "./associations.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const key = { key: true, type: "cds.Integer" };
const text = { type: "cds.String", length: 50 };
const immutable = { ...text, "@Core.Immutable": true };
const parts = (name: string, target: string, back: string) => ({
  ...toMany(name, target, back),
  type: "cds.Composition",
});

const MODEL: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Orders": {
      kind: "entity",
      elements: { ID: key, no: immutable, items: parts("items", "ShopService.Items", "order") },
    },
    "ShopService.Items": {
      kind: "entity",
      elements: {
        order: { ...toOne("ShopService.Orders"), key: true },
        pos: key,
        article: immutable,
        note: text,
        unit: { ...text, "@mandatory": true },
        marks: parts("marks", "ShopService.Marks", "item"),
      },
    },
    "ShopService.Marks": {
      kind: "entity",
      elements: {
        ID: key,
        colour: immutable,
        item: {
          type: "cds.Association",
          target: "ShopService.Items",
          keys: [{ ref: ["order"] }, { ref: ["pos"] }],
        },
      },
    },
  },
};

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Orders", [{ ID: 1, no: "A" }]],
  ["ShopService.Items", [{ order_ID: 1, pos: 1, article: "tea", note: "old", unit: "g" }]],
  ["ShopService.Marks", [{ ID: 1, colour: "red", item_order_ID: 1, item_pos: 1 }]],
]);

const items = async (shop: Shop) => {
  const { body } = await shop.send(
    "GET",
    "Orders(1)?$expand=items($select=pos,article,note;$orderby=pos;$expand=marks($select=ID,colour;$orderby=ID))",
  );
  return (body as { items: Record<string, unknown>[] }).items.map(({ pos, article, note, marks }) => ({
    ...{ pos, article, note },
    marks: (marks as Row[]).map(({ colour }) => colour),
  }));
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`parts that an update creates have the immutable values they are given, and all that is mandatory, on ${engine} (Core.Immutable, 7.3)`, async () => {
    const shop = await openShop({ model: MODEL, data: ROWS, database });
    try {
      const body = {
        no: "B",
        items: [
          { pos: 1, article: "x", note: "new", marks: [{ ID: 1, colour: "x" }, { ID: 2, colour: "blue" }] },
          { pos: 2, article: "milk", unit: "l", marks: [{ ID: 3, colour: "white" }] },
        ],
      };
      assert.equal((await shop.send("PATCH", "Orders(1)", { body })).status, 200);
      const expected = [
        { pos: 1, article: "tea", note: "new", marks: ["red", "blue"] },
        { pos: 2, article: "milk", note: null, marks: ["white"] },
      ];
      assert.deepEqual(await items(shop), expected);
      assert.equal((await shop.send("GET", "Orders(1)/no/$value")).body, "A");
      const delta = { "items@delta": [{ pos: 2, article: "x" }, { pos: 3, article: "jam", unit: "g" }] };
      assert.equal((await shop.send("PATCH", "Orders(1)", { body: delta })).status, 200);
      assert.deepEqual(await items(shop), [
        ...expected,
        { pos: 3, article: "jam", note: null, marks: [] },
      ]);
      // what is mandatory may be missing in stored parts only
      for (const missing of [{ "items@delta": [{ pos: 4 }] }, { items: [{ pos: 1 }, { pos: 4 }] }]) {
        const { status, body } = await shop.send("PATCH", "Orders(1)", { body: missing });
        const { code, target } = (body as { error: { code: string; target: string } }).error;
        assert.deepEqual([status, code, target], [400, "ASSERT_MANDATORY", "items(pos=4)/unit"]);
      }
      const wrong = { items: [{ pos: "x", article: "y" }] };
      assert.equal((await shop.send("PATCH", "Orders(1)", { body: wrong })).status, 400);
      assert.deepEqual(shop.logged, []);
    } finally {
      await shop.close();
    }
  });
}

const NOT_NULL = parseCdl(`
  @odata service ShopService {
    entity Orders { key ID : Integer;
      items : Composition of many Items on items.parent = $self; notes : Composition of many Notes on notes.parent = $self; }
    entity Items { key parent : Association to Orders; key pos : Integer; text : String(20) not null;
      marks : Composition of many Marks on marks.item = $self; }
    entity Marks { key ID : UUID; item : Association to Items; colour : String(20) not null; }
    entity Notes { key ID : UUID; parent : Association to Orders; text : String(20) not null; rank : Integer not null default 1; }
  }`);

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`what new parts of an update lack is told with their place, on ${engine} (JSON Format 21.2)`, async () => {
    const data = new Map([["ShopService.Orders", [{ ID: 1 }]]]);
    const shop = await openShop({ model: NOT_NULL, data, database });
    const wrong: readonly [object, string][] = [
      [{ items: [{ pos: 1, text: "a" }, { text: "b" }] }, "items[1]/pos"],
      [{ "items@delta": [{ text: "b" }] }, "items[0]/pos"],
      [{ notes: [{ rank: 2 }] }, "notes[0]/text"],
      [{ items: [{ pos: 1, text: "a", marks: [{ colour: "red" }, {}] }] }, "items[0]/marks[1]/colour"],
    ];
    try {
      for (const [body, expected] of wrong) {
        const answer = await shop.send("PATCH", "Orders(1)", { body });
        const { error } = answer.body as { error: { code: string; target: string } };
        assert.deepEqual([answer.status, error.code, error.target], [400, "ASSERT_NOT_NULL", expected]);
      }
      const body = { items: [{ pos: 1, text: "a", marks: [{ colour: "red" }] }], notes: [{ text: "n" }] };
      assert.equal((await shop.send("PATCH", "Orders(1)", { body })).status, 200);
    } finally {
      await shop.close();
    }
  });
}
