import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Buyers?$select=ID&$expand=orders($apply=filter(amount gt 1);$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID } where amount > 1 order by ID asc",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=filter(amount gt 1)/search(x);$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID } where amount > 1 search 'x' order by ID asc",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=filter(amount gt 1);$search=x;$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID } where amount > 1 search 'x' order by ID asc",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=search(y);$search=x;$select=ID)": [
    "501 $search with search in $apply is not implemented (offset 50)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=orderby(amount);$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID } order by amount asc nulls first, ID asc",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=orderby(amount);$orderby=city;$top=2;$skip=1;$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID } order by city asc nulls first, ID asc limit 2 offset 1",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=top(3);$filter=amount gt 1;$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID } where ID in (SELECT from S.Buyers[ID = $row1.ID].orders { ID } limit 3) and amount > 1 order by ID asc",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=top(3)/addnested(items,identity as all);$select=ID;$expand=node($select=ID))":
    [
      "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
      "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders as $row2 { ID, node { ID }, items { * } as all } where ID in (SELECT from S.Buyers[ID = $row1.ID].orders as $row2 { ID } limit 3) order by ID asc",
      "nested orders: nested all: SELECT from S.Orders[ID = $row2.ID].items { * } order by order_ID asc, pos asc",
      "rows: S.Buyers select ID expand orders(S.Orders select ID expand node(S.Nodes select ID), all(S.Items))",
    ],
  "Buyers?$select=ID&$expand=orders($apply=groupby((city),aggregate($count as n));$filter=n gt 1;$orderby=n;$top=2)":
    [
      "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
      "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { city as city, count(*) as n } group by city having count(*) > 1 order by count(*) asc, city asc limit 2",
      "rows: S.Buyers select ID expand orders(S.Orders {city: String of String, n: Int64})",
    ],
  "Buyers?$select=ID&$expand=orders($apply=groupby((city),aggregate($count as n))/top(2);$select=n)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from (SELECT from S.Buyers[ID = $row1.ID].orders { city as city, count(*) as n } group by city limit 2) { n as n } order by city asc",
    "rows: S.Buyers select ID expand orders(S.Orders {n: Int64})",
  ],
  "Buyers?$select=ID&$expand=orders($apply=groupby((city),aggregate($count as n));$expand=buyer)": [
    "501 $expand with $apply is not implemented (offset 79)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=groupby((city),aggregate($count as n));$search=x)": [
    "501 $search with $apply is not implemented (offset 79)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=join(items as i);$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID as ID } where items.order_ID is not null order by ID asc, items.order_ID asc, items.pos asc",
    "rows: S.Buyers select ID expand orders(S.Orders {ID: Integer of Integer})",
  ],
  "Pairs?$select=name&$expand=orders($apply=aggregate($it/a with sum as x))": [
    "SELECT from S.Pairs as $row1 { name, a, b, orders { * } as orders } order by a asc, b asc",
    "nested orders: SELECT from S.Pairs[a = $row1.a and b = $row1.b].orders { sum($row1.a) as x } order by ",
    "rows: S.Pairs select name,a,b expand orders(S.Orders {x: Integer})",
  ],
  "Orders?$select=ID&$expand=bares($apply=top(1))": [
    "SELECT from S.Orders as $row1 { ID, bares { * } as bares } order by ID asc",
    "nested bares: SELECT from (SELECT from S.Orders[ID = $row1.ID].bares { city as city, amount as amount } limit 1) { city as city, amount as amount } order by ",
    "rows: S.Orders select ID expand bares(S.Bare {city: String of String, amount: Integer of Integer})",
  ],
  "Orders?$select=ID&$expand=bares($apply=identity)": [
    "SELECT from S.Orders as $row1 { ID, bares { * } as bares } order by ID asc",
    "nested bares: SELECT from S.Orders[ID = $row1.ID].bares { * } order by ",
    "rows: S.Orders select ID expand bares(S.Bare)",
  ],
  "Bare?$expand=items($apply=identity)": [
    "501 $apply below entities without key is not implemented (offset 19)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=concat(aggregate($count as n),groupby((city))))": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from (SELECT from (SELECT from S.Buyers[ID = $row1.ID].orders { count(*) as n }) { n as n, cast(null, cds.String) as city, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Buyers[ID = $row1.ID].orders { city as city } group by city) { cast(null, cds.Int64) as n, city as city, 1 as $part, cast(null, cds.Integer) as $position }) { n as n, city as city, $part, $position } order by $part, $position, city asc",
    "rows: S.Buyers select ID expand orders(S.Orders {n: Int64 in 0, city: String of String in 1})",
  ],
  "Buyers?$select=ID&$expand=orders($apply=filter(items/any(i:i/amount gt amount));$select=ID)": [
    "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
    "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders as $row2 { ID } where exists items[amount > $row2.amount] order by ID asc",
    "rows: S.Buyers select ID expand orders(S.Orders select ID)",
  ],
  "Buyers?$select=ID&$expand=orders($apply=filter(amount gt 1);$compute=amount add 1 as more;$filter=more gt 2;$select=more)":
    [
      "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
      "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID, cast(amount, cds.Int64) + 1 as more } where amount > 1 and (cast(amount, cds.Int64) + 1) > 2 order by ID asc",
      "rows: S.Buyers select ID expand orders(S.Orders select more,ID compute more)",
    ],
  "Buyers?$select=ID&$expand=orders($apply=compute(amount add 1 as more);$compute=more add 1 as most;$orderby=most desc;$select=most)":
    [
      "SELECT from S.Buyers as $row1 { ID, orders { * } as orders } order by ID asc",
      "nested orders: SELECT from S.Buyers[ID = $row1.ID].orders { ID, (cast(amount, cds.Int64) + 1) + 1 as most } order by ((cast(amount, cds.Int64) + 1) + 1) desc nulls last, ID asc",
      "rows: S.Buyers select ID expand orders(S.Orders select most,ID compute most)",
    ],
};

Deno.test("$apply in $expand transforms the related instances of each row (Data Aggregation 6.1)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
