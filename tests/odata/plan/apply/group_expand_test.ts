import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Orders?$apply=groupby((buyer),aggregate(amount with sum as s))&$expand=buyer": [
    "SELECT from S.Orders { buyer.ID as buyer_ID, sum(amount) as s } group by buyer.ID order by buyer.ID asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { * } (localized) (bounded)",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String, s: Integer} expand buyer(S.Buyers)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=buyer($select=name)&$select=buyer": [
    "SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID order by buyer.ID asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { name, ID } (localized) (bounded)",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String} expand buyer(S.Buyers select name,ID)",
  ],
  "Orders?$apply=groupby((buyer_ID))&$expand=buyer&$select=buyer_ID": [
    "SELECT from S.Orders { buyer_ID as buyer_ID } group by buyer_ID order by buyer_ID asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { * } (localized) (bounded)",
    "rows: S.Orders {buyer_ID: String of String} expand buyer(S.Buyers)",
  ],
  "Orders?$apply=groupby((pair,buyer,city))&$expand=*": [
    "SELECT from S.Orders { pair.a as pair_a, pair.b as pair_b, buyer.ID as buyer_ID, city as city } group by pair.a, pair.b, buyer.ID, city order by pair.a asc, pair.b asc, buyer.ID asc, city asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { * } (localized) (bounded)",
    "group: pair by pair_a = a, pair_b = b: SELECT from S.Pairs { * } (localized) (bounded)",
    "rows: S.Orders {pair/a from pair_a: Integer of Integer, pair/b from pair_b: Integer of Integer, buyer/ID from buyer_ID: String of String, city: String of String} expand buyer(S.Buyers), pair(S.Pairs)",
  ],
  "Orders?$apply=groupby((pair,buyer,city))&$expand=*,buyer($select=name)": [
    "SELECT from S.Orders { pair.a as pair_a, pair.b as pair_b, buyer.ID as buyer_ID, city as city } group by pair.a, pair.b, buyer.ID, city order by pair.a asc, pair.b asc, buyer.ID asc, city asc",
    "group: pair by pair_a = a, pair_b = b: SELECT from S.Pairs { * } (localized) (bounded)",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { name, ID } (localized) (bounded)",
    "rows: S.Orders {pair/a from pair_a: Integer of Integer, pair/b from pair_b: Integer of Integer, buyer/ID from buyer_ID: String of String, city: String of String} expand pair(S.Pairs), buyer(S.Buyers select name,ID)",
  ],
  "Orders?$apply=groupby((pair,buyer))&$expand=pair,buyer": [
    "SELECT from S.Orders { pair.a as pair_a, pair.b as pair_b, buyer.ID as buyer_ID } group by pair.a, pair.b, buyer.ID order by pair.a asc, pair.b asc, buyer.ID asc",
    "group: pair by pair_a = a, pair_b = b: SELECT from S.Pairs { * } (localized) (bounded)",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { * } (localized) (bounded)",
    "rows: S.Orders {pair/a from pair_a: Integer of Integer, pair/b from pair_b: Integer of Integer, buyer/ID from buyer_ID: String of String} expand pair(S.Pairs), buyer(S.Buyers)",
  ],
  "Orders?$apply=groupby((pair/a))&$expand=pair": [
    '400 The groups have no key of "pair" (offset 40)',
  ],
  "Orders?$apply=groupby((pair/a))&$expand=*": [
    "SELECT from S.Orders { pair.a as pair_a } group by pair.a order by pair.a asc",
    "rows: S.Orders {pair/a from pair_a: Integer of Integer}",
  ],
  "Orders?$apply=groupby((pair/a,pair/b),aggregate($count as n))&$select=n&$expand=pair($select=name)": [
    "SELECT from S.Orders { count(*) as n, pair.a as pair_a, pair.b as pair_b } group by pair.a, pair.b order by pair.a asc, pair.b asc",
    "group: pair by pair_a = a, pair_b = b: SELECT from S.Pairs { name, a, b } (localized) (bounded)",
    "rows: S.Orders {n: Int64} expand pair(S.Pairs select name,a,b)",
  ],
  "Orders?$apply=groupby((named/name,named/country))&$expand=named($select=name)": [
    "SELECT from S.Orders { named.name as named_name, named.country as named_country } group by named.name, named.country order by named.name asc, named.country asc",
    "group: named by named_name = name, named_country = country: SELECT from S.Buyers { name, ID, country } (localized) (bounded)",
    "rows: S.Orders {named/name from named_name: String of String, named/country from named_country: String of String} expand named(S.Buyers select name,ID)",
  ],
  "Orders?$apply=groupby((named/name,named/country))&$expand=named($select=ID;$expand=orders($select=ID))": [
    "SELECT from S.Orders { named.name as named_name, named.country as named_country } group by named.name, named.country order by named.name asc, named.country asc",
    "group: named by named_name = name, named_country = country: SELECT from S.Buyers { ID, orders { ID }, name, country } (localized) (bounded)",
    "rows: S.Orders {named/name from named_name: String of String, named/country from named_country: String of String} expand named(S.Buyers select ID expand orders(S.Orders select ID))",
  ],
  "Orders?$apply=groupby((named/name,named/country))&$expand=named($compute=length(name) as name_length;$select=name_length)":
    [
      "SELECT from S.Orders { named.name as named_name, named.country as named_country } group by named.name, named.country order by named.name asc, named.country asc",
      "group: named by named_name = name, named_country = country: SELECT from S.Buyers { ID, length(name) as name_length, name, country } (localized) (bounded)",
      "rows: S.Orders {named/name from named_name: String of String, named/country from named_country: String of String} expand named(S.Buyers select name_length,ID compute name_length)",
    ],
  "Items?$apply=groupby((order))&$expand=order($compute=buyer/ID as b;$select=b)": [
    "SELECT from S.Items { order.ID as order_ID } group by order.ID order by order.ID asc",
    "group: order by order_ID = ID: SELECT from S.Orders { ID, buyer.ID as b } (localized) (bounded)",
    "rows: S.Items {order/ID from order_ID: Integer of Integer} expand order(S.Orders select b,ID compute b)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=buyer($filter=name eq 'x')": [
    "SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID order by buyer.ID asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { * } where name = 'x' (localized) (bounded)",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String} expand buyer(S.Buyers)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=buyer($filter=orders/any(o:o/buyer/name eq name))": [
    "SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID order by buyer.ID asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers as $row1 { * } where exists orders[buyer.name == $row1.name] (localized) (bounded)",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String} expand buyer(S.Buyers)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=buyer/$ref": [
    "SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID order by buyer.ID asc",
    "group: buyer by buyer_ID = ID: SELECT from S.Buyers { ID } (localized) (bounded)",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String} expand buyer/$ref(S.Buyers select ID)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=buyer/orders": [
    "501 This path in $expand of groups is not implemented (offset 39)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=items": [
    "501 A collection in $expand of groups is not implemented (offset 39)",
  ],
  "Orders?$apply=groupby((buyer))&$expand=nope": [
    '400 "S.Orders" has no navigation property "nope" (offset 39); did you mean "node"?',
  ],
  "Orders?$apply=groupby((buyer))&$expand=bare": [
    '400 The groups have no key of "bare" (offset 39)',
  ],
  "Orders?$apply=groupby((city))&$expand=buyer": [
    '400 The groups have no key of "buyer" (offset 38)',
  ],
  "Orders?$apply=groupby((buyer),aggregate($count as buyer))&$expand=buyer": [
    '400 The name "buyer" is taken (offset 66)',
  ],
  "Orders?$apply=groupby((buyer))&$expand=buyer($filter=$it/amount gt 1)": [
    "400 There is no instance that this path could start at (offset 53)",
  ],
  "Orders?$apply=concat(groupby((buyer)),groupby((city)))/filter(true)&$expand=buyer": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID) { buyer_ID as buyer_ID, cast(null, cds.String) as city, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { city as city } group by city) { cast(null, cds.String) as buyer_ID, city as city, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_ID as buyer_ID, city as city, $part, $position } where 1 = 1 order by $part, $position, buyer_ID asc, city asc",
    "group: buyer by buyer_ID = ID in 0: SELECT from S.Buyers { * } (localized) (bounded)",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String in 0, city: String of String in 1} expand buyer(S.Buyers)",
  ],
  "Orders?$apply=groupby((rollup(buyer/country,buyer/ID)))&$expand=buyer($select=name)": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, buyer.ID as buyer_ID } group by buyer.country, buyer.ID) { buyer_country as buyer_country, buyer_ID as buyer_ID, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country } group by buyer.country) { buyer_country as buyer_country, cast(null, cds.String) as buyer_ID, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, buyer_ID as buyer_ID, $part, $position } order by $part, $position, buyer_country asc, buyer_ID asc",
    "group: buyer by buyer_ID = ID in 0: SELECT from S.Buyers { name, ID } (localized) (bounded)",
    "rows: S.Orders {buyer/country from buyer_country: String of String in 0,1, buyer/ID from buyer_ID: String of String in 0} expand buyer(S.Buyers select name,ID)",
  ],
};

Deno.test("$expand of groups reads the entities whose whole key the groups hold (Data Aggregation 3.2.3.1)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
