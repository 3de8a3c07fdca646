import assert from "node:assert/strict";
import { ENGINES } from "../../odata/engines.ts";
import { withApp } from "../../data/app.ts";

const MODEL = `
namespace db;
entity Orders { key ID : Integer; owner : String(20);
  items : Composition of many Items on items.order = $self; lines : Composition of many Lines on lines.whole = ID; }
entity Items { key ID : Integer; note : String(20); order : Association to Orders;
  bits : Composition of many Bits on bits.item = $self; }
entity Bits { key ID : Integer; item : Association to Items; }
entity Lines { key ID : Integer; note : String(20); whole : Integer; }
@path: 'test' @odata service Test {
  @restrict: [{ grant: 'READ' }, { grant: 'WRITE', where: 'owner = $user' }]
  entity Orders as projection on db.Orders;
}
`;
const ROWS = {
  "db.Orders": [{ ID: 1, owner: "ann" }, { ID: 2, owner: "bob" }, { ID: 3, owner: "ann" }],
  "db.Items": [{ ID: 1, order_ID: 1 }, { ID: 2, order_ID: 2 }, { ID: 3, order_ID: 3 }],
  "db.Bits": [{ ID: 1, item_ID: 1 }],
  "db.Lines": [{ ID: 1, whole: 1 }],
};
const env = {
  log: { levels: { default: "silent" } },
  requires: { db: { kind: "given" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {}, bob: {} } } },
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`a change gives parts to rows only that the user may change (auth 7, ${engine})`, () =>
    withApp({ model: MODEL, rows: ROWS, database, env }, async ({ send }) => {
      const write = async (method: string, path: string, body: object) =>
        (await send(method, path, { user: "ann", body })).status;
      const refused: readonly (readonly [method: string, path: string, body: object])[] = [
        ["PATCH", "Orders(1)/items(1)", { order_ID: 2 }],
        ["PATCH", "Orders(1)/items(1)", { note: "a", "order@odata.bind": "Orders(2)" }],
        ["PATCH", "Orders(1)/items(1)", { order_ID: null }],
        ["PUT", "Orders(1)/items(1)", { note: "a", order_ID: 2 }],
        ["PUT", "Orders(1)/items(1)/order_ID", { value: 2 }],
        ["PATCH", "Orders(1)/items/$each", { order_ID: 2 }],
        ["PATCH", "Orders(1)/items(1)/bits(1)", { item_ID: 2 }],
        ["PATCH", "Orders(1)/lines(1)", { whole: 2 }],
      ];
      for (const given of refused) assert.equal(await write(...given), 403, JSON.stringify(given));
      const orders = await send(
        "GET",
        "Orders?$select=ID&$expand=items($select=ID,note;$expand=bits),lines",
        {
          user: "ann",
        },
      );
      const [first, second] = orders.body.value as unknown as Record<string, unknown>[];
      assert.deepEqual(first!.items, [{ ID: 1, note: null, bits: [{ ID: 1, item_ID: 1 }] }]);
      assert.deepEqual(first!.lines, [{ ID: 1, note: null, whole: 1 }]);
      assert.deepEqual(second!.lines, []);
      assert.equal(await write("PATCH", "Orders(1)/items(1)", { note: "a", order_ID: 1 }), 200);
      assert.equal(await write("PATCH", "Orders(1)/lines(1)", { note: "a" }), 200);
      assert.ok(await write("PATCH", "Orders(1)/items(1)/bits(1)", { item_ID: 3 }) < 300);
      assert.ok(await write("PATCH", "Orders(1)/items(1)", { order_ID: 3 }) < 300);
    }));
}
