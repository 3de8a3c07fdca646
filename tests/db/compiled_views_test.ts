/**
 * Views, calculated elements and conditions written in CDL give their rows on all engines.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { SelectBody } from "../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { Database } from "../../src/service/database.ts";
import { compile } from "../model/cdl/memory_host.ts";
import { postgresDatabase, server as postgres } from "./postgres.ts";

const MODEL = linkModel(compile(`
  type Status : String(1) enum { open = 'O'; closed = 'C'; };
  entity Orders {
    key id   : Integer;
    status   : Status default #open;
    amount   : Integer;
    customer : Association to Customers;
    parent   : Association to Orders;
    children : Association to many Orders on children.parent = $self;
    doubled  : Integer = amount * 2;
    kept     : Integer = (amount + 1) stored;
    isOpen   : Boolean = status = #open;
    where_   { city : String(20); label : String(30) = city || '!'; }
    buyer    = customer.name;
  }
  entity Customers {
    key id : Integer;
    name   : String(20);
    virtual mood : String(20);
    orders : Association to many Orders on orders.customer = $self;
    big    = orders[1: amount > 25];
  }
  entity Unions as select from Orders { id, 'order' as kind : String(10) } union all
    select from Customers { id, 'customer' as kind } order by kind, id;
  entity Excepts as select from Orders { id } except select from Customers { id };
  entity Intersects as select from Orders { id } intersect select from Customers { id };
  entity Own as select from Orders { id, amount + 1 as more : Integer, $self.more * 2 as twice : Integer };
  entity Mixed as select from Orders
    mixin { same : Association to Customers on same.id = $projection.number and same.name is not null; }
    into { id as number, same.name as sameName, same };
  entity Throughs as select from Mixed { number, same.name as n };
  entity Nested as projection on Orders { id, customer.{ id as cid, upper(name) as shout }, where_.{ * } };
  entity Repeated as select from Orders { id, customer as by, $self.by.{ name }, $self.by.name as again, $self.by as same };
  entity Filters as select from Orders { id, customer as by, customer[name = 'Ann'] as ann, parent.customer as other,
    $self.by[name = 'Ben'].name as ben, $self.ann[name is not null].name as annName, $self.other[id > 0].name as otherName };
  entity Works as select from Customers { id, orders as all, $self.all[amount > 10] as large };
  entity Structured as projection on Orders { id, { amount, status as state } as facts };
  entity Expanded as projection on Customers { id, orders { id, amount } };
  entity Windows as select from Orders {
    id, row_number() over (partition by customer.id order by amount desc) as place : Integer,
    sum(amount) over (order by id) as running : Integer };
  entity Opened as select from Orders { id } where status = #open and exists customer[name = 'Ann'];
  entity Parents as select from Orders { id } where exists children[status in (#closed)];
  entity Counted as select from Customers { id, count(orders.id) as n : Integer,
    count(distinct orders.status) as kinds : Integer } group by id;
  entity Grouped as select from Orders { customer.id as cid, sum(amount) as total : Integer }
    group by customer.id having sum(amount) > 20;
  entity Filtered (least : Integer, name : String(20) default 'Ann') as select from Orders { id, amount }
    where amount >= :least and customer.name = :name;
  entity Calls as select from Filtered(least: 15) as f { f.id };
  entity Users as select from Orders { id, $user.id as user : String(20) } where customer.name = $user.id;
  entity UserUnion as select from Users { id } union all select from Customers { id };
  entity Symbols as select from Orders { id, case status when #open then 'yes' else 'no' end as open : String(3),
    #closed as fixed : Status };
  entity Published as projection on Orders { id, customer, customer.orders as others };
`));

const ROWS = new Map([
  ["Customers", [{ id: 1, name: "Ann" }, { id: 2, name: "Ben" }]],
  ["Orders", [
    { id: 1, status: "O", amount: 10, customer_id: 1, parent_id: null, where__city: "Rome" },
    { id: 2, status: "C", amount: 20, customer_id: 1, parent_id: 1, where__city: "Oslo" },
    { id: 3, status: "O", amount: 30, customer_id: 2, parent_id: 1, where__city: null },
  ]],
]);

/** Queries and their rows. */
const CASES: readonly (readonly [string, readonly unknown[]])[] = [
  ["SELECT from Unions", [
    { id: 1, kind: "customer" },
    { id: 2, kind: "customer" },
    { id: 1, kind: "order" },
    { id: 2, kind: "order" },
    { id: 3, kind: "order" },
  ]],
  ["SELECT from Excepts", [{ id: 3 }]],
  ["SELECT from Intersects order by id", [{ id: 1 }, { id: 2 }]],
  ["SELECT from Own order by id", [
    { id: 1, more: 11, twice: 22 },
    { id: 2, more: 21, twice: 42 },
    { id: 3, more: 31, twice: 62 },
  ]],
  ["SELECT from Mixed order by number", [
    { number: 1, sameName: "Ann" },
    { number: 2, sameName: "Ben" },
    { number: 3, sameName: null },
  ]],
  ["SELECT from Throughs where number = 2", [{ number: 2, n: "Ben" }]],
  ["SELECT from Nested where id = 2", [
    { id: 2, cid: 1, shout: "ANN", where__city: "Oslo", where__label: "Oslo!" },
  ]],
  ["SELECT from Repeated where id = 3", [{ id: 3, by_id: 2, by_name: "Ben", again: "Ben", same_id: 2 }]],
  ["SELECT from Filters { id, ben, annName, otherName } order by id", [
    { id: 1, ben: null, annName: "Ann", otherName: null },
    { id: 2, ben: null, annName: "Ann", otherName: "Ann" },
    { id: 3, ben: "Ben", annName: null, otherName: "Ann" },
  ]],
  ["SELECT from Orders { $self.customer as customer, $self.customer.name as n } where id = 3", [
    { customer_id: 2, n: "Ben" },
  ]],
  ["SELECT from Works { id, large { id } } where id = 1", [{ id: 1, large: [{ id: 2 }] }]],
  ["SELECT from Structured where id = 2", [{ id: 2, facts_amount: 20, facts_state: "C" }]],
  ["SELECT from Expanded where id = 2", [{ id: 2, orders: [{ id: 3, amount: 30 }] }]],
  ["SELECT from Windows order by id", [
    { id: 1, place: 2, running: 10 },
    { id: 2, place: 1, running: 30 },
    { id: 3, place: 1, running: 60 },
  ]],
  ["SELECT from Opened", [{ id: 1 }]],
  ["SELECT from Parents", [{ id: 1 }]],
  ["SELECT from Counted order by id", [{ id: 1, n: 2, kinds: 2 }, { id: 2, n: 1, kinds: 1 }]],
  ["SELECT from Grouped order by cid", [{ cid: 1, total: 30 }, { cid: 2, total: 30 }]],
  ["SELECT from Filtered(least: 15)", [{ id: 2, amount: 20 }]],
  ["SELECT from Filtered(least: 15, name: 'Ben')", [{ id: 3, amount: 30 }]],
  ["SELECT from Calls", [{ id: 2 }]],
  ["SELECT from Users order by id", [{ id: 1, user: "Ann" }, { id: 2, user: "Ann" }]],
  ["SELECT from UserUnion order by id", [{ id: 1 }, { id: 1 }, { id: 2 }, { id: 2 }]],
  ["SELECT from Symbols where id < 3 order by id", [
    { id: 1, open: "yes", fixed: "C" },
    { id: 2, open: "no", fixed: "C" },
  ]],
  ["SELECT from Published { id, others { id } } where id = 1", [{ id: 1, others: [{ id: 1 }, { id: 2 }] }]],
  ["SELECT from Orders { id, doubled, kept, isOpen, buyer, where_.label as label } order by id", [
    { id: 1, doubled: 20, kept: 11, isOpen: true, buyer: "Ann", label: "Rome!" },
    { id: 2, doubled: 40, kept: 21, isOpen: false, buyer: "Ann", label: "Oslo!" },
    { id: 3, doubled: 60, kept: 31, isOpen: true, buyer: "Ben", label: null },
  ]],
  ["SELECT from Customers { id, big.id as big } order by id", [{ id: 1, big: null }, { id: 2, big: 3 }]],
  ["SELECT from Orders { id } where status = #closed", [{ id: 2 }]],
  // virtual elements have no column; structures are left out as a whole, or one element of them
  ["SELECT from Customers order by id", [{ id: 1, name: "Ann" }, { id: 2, name: "Ben" }]],
  ["SELECT from Customers { * } excluding { id, mood } order by id", [{ name: "Ann" }, { name: "Ben" }]],
  [
    "SELECT from Orders { * } excluding { where__city, customer, parent_id, doubled, isOpen, buyer } where id = 2",
    [
      { id: 2, status: "C", amount: 20, kept: 21, where__label: "Oslo!" },
    ],
  ],
  ["SELECT from Orders { id, customer.{ * } excluding { id } } where id = 2", [{
    id: 2,
    customer_name: "Ann",
  }]],
  [
    "SELECT from Orders { parent.{ * } excluding { where__label, customer, parent_id, doubled, isOpen, buyer } } where id = 2",
    [{ parent_id: 1, parent_status: "O", parent_amount: 10, parent_kept: 11, parent_where__city: "Rome" }],
  ],
];

/** Queries whose paths go on behind columns that are no paths of their own. */
const WRONG = [
  "amount + 1 as more, $self.more.name as n",
  "customer as a, $self.a as more, $self.more.name as n",
];

type Open = (model: LinkedModel) => Database | Promise<Database>;

function testEngine(name: string, open: Open): void {
  Deno.test(`${name}: views and calculated elements of CDL give their rows [csn-cqn 6, 7, 14]`, async (t) => {
    const db = await open(MODEL);
    try {
      await db.deploy(ROWS);
      for (const [text, expected] of CASES) {
        await t.step(text, async () => {
          const tx = db.begin(new EventContext({ user: { id: "Ann" } }));
          try {
            const rows = await tx.run(parseCqlQuery(text) as { SELECT: SelectBody });
            assert.deepEqual(JSON.parse(JSON.stringify(rows)), expected);
          } finally {
            await tx.rollback();
          }
        });
      }
      const tx = db.begin(new EventContext());
      for (const columns of WRONG) {
        const query = parseCqlQuery(`SELECT from Orders { ${columns} }`);
        await assert.rejects(async () => await tx.run(query), /Unknown element "more"/, columns);
      }
      await tx.rollback();
    } finally {
      await db.close();
    }
  });
}

testEngine(
  "sqlite",
  (model) => createSqliteDatabase({ model, options: { credentials: { url: ":memory:" } } }),
);
testEngine("memory", (model) => createMemoryDatabase({ model, options: {} }));
if (postgres.isThere) testEngine("postgres", (model) => postgresDatabase(model));
else console.log("compiled views: no PostgreSQL, passed over there");
