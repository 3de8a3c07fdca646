import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Orders?$apply=aggregate($count as N,$count as n)": [
    '400 The name "n" is taken (offset 36)',
  ],
  "Orders?$apply=groupby((buyer/name),aggregate($count as buyer_name))": [
    '400 The name "buyer_name" is taken (offset 45)',
  ],
  "Orders?$apply=groupby((buyer/name),aggregate($count as BUYER_name))": [
    '400 The name "BUYER_name" is taken (offset 45)',
  ],
  "Orders?$apply=aggregate(amount)": [
    "SELECT from S.Orders { sum(amount) as amount }",
    "rows: S.Orders {amount: Integer}",
  ],
  "Orders?$apply=aggregate(amount,low as least,mean)": [
    "SELECT from S.Orders { sum(amount) as amount, min(low) as least, $decimal_avg(mean) as mean }",
    "rows: S.Orders {amount: Integer, least: Integer of Integer, mean: Decimal}",
  ],
  "Orders?$apply=aggregate(odd)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 24)',
  ],
  "Orders?$apply=aggregate(city)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 24)',
  ],
  "Orders?$apply=aggregate(city as c)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 24)',
  ],
  "Orders?$apply=aggregate(nope as c)": [
    '400 "S.Orders" has no property "nope" (offset 24); did you mean "node"?',
  ],
  "Orders?$apply=aggregate(buyer/name as c)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 24)',
  ],
  "Orders?$apply=aggregate(items/amount as c)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 24)',
  ],
  "Orders?$apply=aggregate(items/amount)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 24)',
  ],
  "Orders?$apply=aggregate(amount mul 2 as c)": [
    '400 Syntax error at offset 36: found "as", expected "with" and a method',
  ],
  "Orders?$apply=aggregate(tags/$count as c)": [
    "400 A collection is expected before this (offset 24)",
  ],
  "Orders?$apply=groupby((city),aggregate(amount))/aggregate(amount)": [
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 58)',
  ],
  "Orders?$apply=aggregate($count as n,city with max as last,amount with min as first)": [
    "SELECT from S.Orders { count(*) as n, max(city) as last, min(amount) as first }",
    "rows: S.Orders {n: Int64, last: String of String, first: Integer of Integer}",
  ],
  "Orders?$apply=aggregate(items/amount with sum as a,items/parts/size with sum as b,$count as n)": [
    "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { sum(items.amount) as a }) { a as a, cast(null, cds.Integer) as b, cast(null, cds.Int64) as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { sum(items.parts.size) as b }) { cast(null, cds.Integer) as a, b as b, cast(null, cds.Int64) as n, 1 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { count(*) as n }) { cast(null, cds.Integer) as a, cast(null, cds.Integer) as b, n as n, 2 as $part, cast(null, cds.Integer) as $position }) { a as a, b as b, n as n, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(a) as a, max(b) as b, max(n) as n }",
    "rows: S.Orders {a: Integer, b: Integer, n: Int64}",
  ],
  "Orders?$apply=aggregate(items/amount mul items/parts/size with sum as a)": [
    "SELECT from S.Orders { sum(cast(items.amount, cds.Int64) * items.parts.size) as a }",
    "rows: S.Orders {a: Int64}",
  ],
  "Orders?$apply=groupby((city),aggregate(items/amount with sum as a,$count as n))": [
    "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { city as city, sum(items.amount) as a } group by city) { city as city, a as a, cast(null, cds.Int64) as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { city as city, count(*) as n } group by city) { city as city, cast(null, cds.Integer) as a, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { city as city, a as a, n as n, $part, $position, $part as $order2_0, $position as $order2_1 }) { city as city, max(a) as a, max(n) as n } group by city order by city asc",
    "rows: S.Orders {city: String of String, a: Integer, n: Int64}",
  ],
  "Orders?$apply=aggregate(items/amount mul bares/amount with sum as a)": [
    "501 An aggregation of two collections is not implemented (offset 37)",
  ],
  "Orders?$apply=aggregate(items/$count as n)": [
    "SELECT from S.Orders { count(items.order_ID) as n }",
    "rows: S.Orders {n: Int64}",
  ],
  "Orders?$apply=aggregate(buyer/orders/$count as n,buyer/orders/items/amount with max as m)": [
    "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { count(buyer.orders.ID) as n }) { n as n, cast(null, cds.Integer) as m, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { max(buyer.orders.items.amount) as m }) { cast(null, cds.Int64) as n, m as m, 1 as $part, cast(null, cds.Integer) as $position }) { n as n, m as m, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(n) as n, max(m) as m }",
    "rows: S.Orders {n: Int64, m: Integer of Integer}",
  ],
  "Orders?$apply=aggregate(bares/$count as n)": [
    "501 A count of instances without key is not implemented (offset 24)",
  ],
  "Orders?$apply=aggregate(amount with sum from city with average as a)": [
    "SELECT from (SELECT from S.Orders { city as city, sum(amount) as a } group by city) { $decimal_avg(a) as a }",
    "rows: S.Orders {a: Decimal}",
  ],
  "Orders?$apply=aggregate(amount with sum from city,day with average from day with max as a)": [
    "SELECT from (SELECT from (SELECT from S.Orders { city as city, day as day, sum(amount) as a } group by city, day) { day as day, $decimal_avg(a) as a } group by day) { max(a) as a }",
    "rows: S.Orders {a: Decimal}",
  ],
  "Orders?$apply=aggregate(amount with sum from city with average as a,low with sum from city with average as b,$count as n)":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { city as city, sum(amount) as a, sum(low) as b } group by city) { $decimal_avg(a) as a, $decimal_avg(b) as b }) { a as a, b as b, cast(null, cds.Int64) as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { count(*) as n }) { cast(null, cds.Decimal) as a, cast(null, cds.Decimal) as b, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { a as a, b as b, n as n, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(a) as a, max(b) as b, max(n) as n }",
      "rows: S.Orders {a: Decimal, b: Decimal, n: Int64}",
    ],
  "Orders?$apply=aggregate(amount with sum from city with average as a,low with sum from city with max as b)":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { city as city, sum(amount) as a } group by city) { $decimal_avg(a) as a }) { a as a, cast(null, cds.Integer) as b, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from (SELECT from S.Orders { city as city, sum(low) as b } group by city) { max(b) as b }) { cast(null, cds.Decimal) as a, b as b, 1 as $part, cast(null, cds.Integer) as $position }) { a as a, b as b, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(a) as a, max(b) as b }",
      "rows: S.Orders {a: Decimal, b: Integer of Integer}",
    ],
  "Orders?$apply=aggregate(amount with sum from buyer/name with average as a,low with sum from buyer with average as b)":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { buyer.name as buyer_name, sum(amount) as a } group by buyer.name) { $decimal_avg(a) as a }) { a as a, cast(null, cds.Decimal) as b, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID, sum(low) as b } group by buyer.ID) { $decimal_avg(b) as b }) { cast(null, cds.Decimal) as a, b as b, 1 as $part, cast(null, cds.Integer) as $position }) { a as a, b as b, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(a) as a, max(b) as b }",
      "rows: S.Orders {a: Decimal, b: Decimal}",
    ],
  "Orders?$apply=groupby((day),aggregate(amount with sum from city with average as a))": [
    "SELECT from (SELECT from S.Orders { day as day, city as city, sum(amount) as a } group by day, city) { day as day, $decimal_avg(a) as a } group by day order by day asc",
    "rows: S.Orders {day: Date of Date, a: Decimal}",
  ],
  "Orders?$apply=groupby((day),filter(amount gt 1)/aggregate(amount with sum from city with average as a))": [
    "SELECT from (SELECT from S.Orders { day as day, city as city, sum(amount) as a } where amount > 1 group by day, city) { day as day, $decimal_avg(a) as a } group by day order by day asc",
    "rows: S.Orders {day: Date of Date, a: Decimal}",
  ],
  "Orders?$apply=aggregate(city with countdistinct from day with max as a)": [
    "SELECT from (SELECT from S.Orders { day as day, countdistinct(city) as a } group by day) { max(a) as a }",
    "rows: S.Orders {a: Int64}",
  ],
  "Orders?$apply=aggregate(buyer with countdistinct as c)": [
    "SELECT from S.Orders { countdistinct(buyer.ID) as c }",
    "rows: S.Orders {c: Int64}",
  ],
  "Orders?$apply=aggregate(pair with countdistinct as c)": [
    "501 countdistinct of instances with several keys is not implemented (offset 24)",
  ],
  "Orders?$apply=aggregate(items with countdistinct as c)": [
    "501 countdistinct of instances with several keys is not implemented (offset 24)",
  ],
  "Orders?$apply=aggregate(items/parts with countdistinct as c)": [
    "SELECT from S.Orders { countdistinct(items.parts.ID) as c }",
    "rows: S.Orders {c: Int64}",
  ],
  "Orders?$apply=aggregate(bares with countdistinct as c)": [
    "400 A primitive value is expected (offset 24)",
  ],
  "Orders?$apply=aggregate(buyer/name with countdistinct as c)": [
    "SELECT from S.Orders { countdistinct(buyer.name) as c }",
    "rows: S.Orders {c: Int64}",
  ],
  "Orders?$apply=groupby((buyer))/aggregate(buyer/ID with countdistinct as c)": [
    "SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID) { countdistinct(buyer_ID) as c }",
    "rows: S.Orders {c: Int64}",
  ],
  "Orders?$apply=groupby((buyer))/aggregate(buyer with countdistinct as c)": [
    '400 "$apply" has no property "buyer" (offset 41)',
  ],
  "Orders?$apply=aggregate(took with sum as s,took with average as a,took with max as m,took with countdistinct as c)":
    [
      "SELECT from S.Orders { $decimal_sum(took) as s, $decimal_avg(took) as a, max(took) as m, countdistinct(took) as c }",
      "rows: S.Orders {s: Decimal of Decimal, a: Decimal of Decimal, m: Decimal of Decimal, c: Int64}",
    ],
  "Orders?$apply=aggregate(weight with average as a,weight with sum as s,price with average as p,amount with average as q)":
    [
      "SELECT from S.Orders { avg(weight) as a, sum(weight) as s, $decimal_avg(price) as p, $decimal_avg(amount) as q }",
      "rows: S.Orders {a: Double, s: Double, p: Decimal, q: Decimal}",
    ],
  "Orders?$apply=aggregate(day with min as d,at with max as t,city with countdistinct as c)": [
    "SELECT from S.Orders { cast(min(day), cds.Date) as d, cast(max(at), cds.Timestamp) as t, countdistinct(city) as c }",
    "rows: S.Orders {d: Date of Date, t: Timestamp of Timestamp, c: Int64}",
  ],
  "Orders?$apply=aggregate(day with sum as d)": [
    '400 The method "sum" needs numbers (offset 24)',
  ],
  "Orders?$apply=aggregate(city with average as d)": [
    '400 The method "average" needs numbers (offset 24)',
  ],
  "Orders?$apply=aggregate(code with min as d)": [
    '400 The method "min" needs values that have an order (offset 24)',
  ],
  "Orders?$apply=aggregate(code with max as d)": [
    '400 The method "max" needs values that have an order (offset 24)',
  ],
  "Orders?$apply=aggregate(code with countdistinct as d)": [
    "SELECT from S.Orders { countdistinct(code) as d }",
    "rows: S.Orders {d: Int64}",
  ],
  "Orders?$apply=aggregate(null with sum as s,null with max as m)": [
    "SELECT from S.Orders { sum(null) as s, max(null) as m }",
    "rows: S.Orders {s: ?, m: ?}",
  ],
  "Orders?$apply=compute(amount add 1 as more,more mul 2 as most)/aggregate(most with sum as s)": [
    "SELECT from S.Orders { sum((cast(amount, cds.Int64) + 1) * 2) as s }",
    "rows: S.Orders {s: Int64}",
  ],
  "Orders?$apply=compute(amount add 1 as City)": [
    '400 The name "City" is taken (offset 29)',
  ],
  "Orders?$apply=compute(amount add 1 as city)": [
    '400 The name "city" is taken (offset 29)',
  ],
  "Orders?$apply=compute(amount add 1 as x,low as X)": [
    '400 The name "X" is taken (offset 40)',
  ],
  "Orders?$apply=groupby((day))/compute(1 as city)": [
    "SELECT from S.Orders { day as day, 1 as city } group by day order by day asc",
    "rows: S.Orders {day: Date of Date, city: Int64}",
  ],
  "Orders?$apply=groupby((day))/compute(1 as day)": [
    '400 The name "day" is taken (offset 37)',
  ],
  "Orders?$apply=join(items as i)/compute(1 as i)": [
    '400 The name "i" is taken (offset 39)',
  ],
  "Orders?$apply=join(items as i)/compute(i/amount add 1 as more)&$select=ID,more": [
    "SELECT from S.Orders { ID as ID, cast(items.amount, cds.Int64) + 1 as more } where items.order_ID is not null order by ID asc, items.order_ID asc, items.pos asc",
    "rows: S.Orders {ID: Integer of Integer, more: Int64}",
  ],
  "Orders?$apply=aggregate(amount with sum from city with average as a,low with sum from day with average as b)":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { city as city, sum(amount) as a } group by city) { $decimal_avg(a) as a }) { a as a, cast(null, cds.Decimal) as b, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from (SELECT from S.Orders { day as day, sum(low) as b } group by day) { $decimal_avg(b) as b }) { cast(null, cds.Decimal) as a, b as b, 1 as $part, cast(null, cds.Integer) as $position }) { a as a, b as b, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(a) as a, max(b) as b }",
      "rows: S.Orders {a: Decimal, b: Decimal}",
    ],
  "Orders?$apply=aggregate(items/$count as n,$count as m)": [
    "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { count(items.order_ID) as n }) { n as n, cast(null, cds.Int64) as m, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { count(*) as m }) { cast(null, cds.Int64) as n, m as m, 1 as $part, cast(null, cds.Integer) as $position }) { n as n, m as m, $part, $position, $part as $order2_0, $position as $order2_1 }) { max(n) as n, max(m) as m }",
    "rows: S.Orders {n: Int64, m: Int64}",
  ],
};

Deno.test("aggregate and compute give each name one value, and methods the types that fit them (Data Aggregation 3.2.1 and 3.3.2)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
