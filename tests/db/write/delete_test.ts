/** What goes with rows that are deleted, and what INSERT takes from paths and queries. */

import assert from "node:assert/strict";
import { writing } from "./rows_after.ts";

const MODEL = `
  entity Orders { key ID : Integer; title : localized String;
    items : Composition of many Items on items.order = $self;
    open : Composition of many Notes on open.order = ID and open.kind = 'open';
    address : Composition of one Addresses;
    shown : Composition of many Views on shown.order = ID;
    next : Composition of many Orders on next.before = $self;
    before : Association to Orders; }
  entity Items { key ID : Integer; order : Association to Orders; parts : Composition of many { key p : Integer; }; }
  entity Notes { key ID : Integer; order : Integer; kind : String; }
  entity Addresses { key ID : Integer; city : String; }
  entity Things { key ID : Integer; order : Integer; }
  entity Views as projection on Things;
  entity Hidden as projection on Orders { ID, title };
  entity Open as projection on Orders where title = 'a';`;

const ROWS = {
  Orders: [
    { ID: 1, title: "a", address: { ID: 5 }, texts: [{ locale: "de", title: "A" }] },
    { ID: 2, title: "b", address: { ID: 6 }, before_ID: 1 },
    { ID: 3, title: "a", texts: [{ locale: "de", title: "A" }] },
  ],
  Items: [{ ID: 1, order_ID: 1, parts: [{ p: 1 }, { p: 2 }] }, { ID: 2, order_ID: 3, parts: [{ p: 1 }] }],
  Notes: [{ ID: 1, order: 1, kind: "open" }, { ID: 2, order: 1, kind: "done" }, {
    ID: 3,
    order: 3,
    kind: "open",
  }],
  Things: [{ ID: 1, order: 1 }, { ID: 2, order: 2 }, { ID: 3, order: 3 }, { ID: 4, order: null }],
};

/** Entities, and the rows of each that are left. */
const READ = [
  "Orders",
  "Orders.texts { ID }",
  "Items",
  "Items.parts { up__ID }",
  "Notes",
  "Addresses",
  "Things",
];

Deno.test("parts of rows go with them, level by level, also those that rows refer to, of projections and of rows like themselves (csn-cqn 5)", async () => {
  const one = [{ ref: ["ID"] }, "=", { val: 1 }] as const;
  const others = [{ ref: ["ID"] }, ">", { val: 1 }] as const;
  const all = ["1 2 3", "1 3", "1 2", "1 1 2", "1 2 3", "5 6", "1 2 3 4"];
  const cases = [
    [{ from: "Orders", where: one }, 1, ["3", "3", "2", "2", "2 3", "", "3 4"]],
    [{ from: "Hidden", where: one }, 1, ["3", "3", "2", "2", "2 3", "", "3 4"]],
    [{ from: "Orders", where: others }, 2, ["1", "1", "1", "1 1", "1 2", "5", "1 4"]],
    [{ from: "Open" }, 2, ["", "", "", "", "2", "", "4"]],
    [{ from: "Open", where: others }, 1, ["1 2", "1", "1", "1 1", "1 2", "5 6", "1 2 4"]],
    [{ from: "Orders" }, 3, ["", "", "", "", "2", "", "4"]],
    [{ from: { ref: [{ id: "Orders", where: one }, "items"] } }, 1, [
      "1 2 3",
      "1 3",
      "2",
      "2",
      "1 2 3",
      "5 6",
      "1 2 3 4",
    ]],
    [{ from: "Orders", where: [{ ref: ["ID"] }, "=", { val: 9 }] }, 0, all],
  ] as const;
  for (const [query, count, left] of cases) {
    await writing(MODEL, ROWS, async ({ run, rows }) => {
      assert.equal(await run({ DELETE: query as never }), count, JSON.stringify(query));
      const found = await Promise.all(READ.map(async (name) => {
        const [entity, columns = "{ ID }"] = name.split(/ (?={)/);
        return (await rows(`SELECT from ${entity} ${columns}`)).toSorted().join(" ");
      }));
      assert.deepEqual(found, left, JSON.stringify(query));
    });
  }
});
