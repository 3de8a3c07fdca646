import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Orders?$apply=join(items as i)/aggregate(i/amount with sum as s)": [
    "SELECT from S.Orders { sum(items.amount) as s } where items.order_ID is not null",
    "rows: S.Orders {s: Integer}",
  ],
  "Orders?$apply=filter(amount gt 1)/join(items as i,filter(amount gt 2))/aggregate($count as n)": [
    "SELECT from S.Orders { count(*) as n } where amount > 1 and items[amount > 2].order_ID is not null",
    "rows: S.Orders {n: Int64}",
  ],
  "Orders?$apply=join(items as i,search(x))/aggregate($count as n)": [
    "SELECT from S.Orders { count(*) as n } where items[1 = 0].order_ID is not null",
    "rows: S.Orders {n: Int64}",
  ],
  "Buyers?$apply=join(orders as o,search(x)/filter(amount gt 1))/aggregate($count as n)": [
    "SELECT from S.Buyers { count(*) as n } where orders[amount > 1 and (contains(tolower(coalesce(city, '')), tolower('x')) or contains(tolower(coalesce(address.street, '')), tolower('x')) or contains(tolower(coalesce(address.zip, '')), tolower('x')))].ID is not null",
    "rows: S.Buyers {n: Int64}",
  ],
  "Orders?$apply=outerjoin(items as i)/aggregate($count as n)": [
    "SELECT from S.Orders { count(*) as n } where items.order_ID is null or items.order_ID is not null",
    "rows: S.Orders {n: Int64}",
  ],
  "Orders?$apply=join(pair as p)/join(buyer as b)/groupby((p/name,b/name))": [
    "SELECT from S.Orders { pair.name as p_name, buyer.name as b_name } where pair.a is not null and buyer.ID is not null group by pair.name, buyer.name order by pair.name asc, buyer.name asc",
    "rows: S.Orders {p/name from p_name: String of String, b/name from b_name: String of String}",
  ],
  "Orders?$apply=join(items as i)/join(bares as i)": [
    '400 The name "i" is taken (offset 31)',
  ],
  "Orders?$apply=join(items as i)/join(items as j)/aggregate($count as n)": [
    "SELECT from S.Orders { count(*) as n } where items.order_ID is not null and items[1 = 1].order_ID is not null",
    "rows: S.Orders {n: Int64}",
  ],
  "Orders?$apply=join(items as city)": [
    '400 The name "city" is taken (offset 14)',
  ],
  "Orders?$apply=join(items as buyer)": [
    '400 The name "buyer" is taken (offset 14)',
  ],
  "Orders?$apply=compute(1 as i)/join(items as i)": [
    '400 The name "i" is taken (offset 30)',
  ],
  "Orders?$apply=join(bare as b)": [
    "501 A join of entities without key is not implemented (offset 14)",
  ],
  "Orders?$apply=join(bares as b)": [
    "501 A join of entities without key is not implemented (offset 14)",
  ],
  "Orders?$apply=join(items/parts as p)": [
    "501 This path in a join is not implemented (offset 19)",
  ],
  "Orders?$apply=join(node('1') as p)": [
    "501 This path in a join is not implemented (offset 19)",
  ],
  "Orders?$apply=join(nope as p)": [
    '400 "S.Orders" has no navigation property "nope" (offset 19); did you mean "node"?',
  ],
  "Orders?$apply=top(2)/join(items as i)/aggregate($count as n)": [
    "SELECT from S.Orders { count(*) as n } where ID in (SELECT from S.Orders { ID } limit 2) and items.order_ID is not null",
    "rows: S.Orders {n: Int64}",
  ],
  "Bare?$apply=top(2)/join(items as i)": [
    "501 A join of rows that are no entities is not implemented (offset 19)",
  ],
  "Orders?$apply=join(items as i,compute(1 as x))": [
    "501 This transformation inside of a join is not implemented (offset 30)",
  ],
  "Orders?$apply=join(items as i,top(1))": [
    "501 This transformation inside of a join is not implemented (offset 30)",
  ],
  "Orders?$apply=join(items as i,join(parts as p))": [
    "501 This transformation inside of a join is not implemented (offset 30)",
  ],
  "Orders?$apply=join(items as i,groupby((amount)))": [
    "501 This transformation inside of a join is not implemented (offset 30)",
  ],
  "Orders?$apply=concat(groupby((city)),groupby((buyer/name),aggregate(weight with sum as w)))": [
    "SELECT from (SELECT from (SELECT from S.Orders { city as city } group by city) { city as city, cast(null, cds.String) as buyer_name, cast(null, cds.Double) as w, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.name as buyer_name, sum(weight) as w } group by buyer.name) { cast(null, cds.String) as city, buyer_name as buyer_name, w as w, 1 as $part, cast(null, cds.Integer) as $position }) { city as city, buyer_name as buyer_name, w as w, $part, $position } order by $part, $position, city asc, buyer_name asc",
    "rows: S.Orders {city: String of String in 0, buyer/name from buyer_name: String of String in 1, w: Double in 1}",
  ],
  "Orders?$apply=concat(groupby((city)),concat(groupby((buyer/name)),aggregate(weight with sum as w)))": [
    "SELECT from (SELECT from (SELECT from S.Orders { city as city } group by city) { city as city, cast(null, cds.String) as buyer_name, cast(null, cds.Double) as w, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from (SELECT from (SELECT from S.Orders { buyer.name as buyer_name } group by buyer.name) { buyer_name as buyer_name, cast(null, cds.Double) as w, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { sum(weight) as w }) { cast(null, cds.String) as buyer_name, w as w, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_name as buyer_name, w as w, $part, $position, $part as $order2_0, $position as $order2_1 }) { cast(null, cds.String) as city, buyer_name as buyer_name, w as w, $part + 1 as $part, row_number() over (order by (case when $order2_0 is null then 0 else 1 end) , $order2_0 asc , (case when $order2_1 is null then 0 else 1 end) , $order2_1 asc , (case when buyer_name is null then 0 else 1 end) , buyer_name asc) as $position }) { city as city, buyer_name as buyer_name, w as w, $part, $position } order by $part, $position, city asc, buyer_name asc",
    "rows: S.Orders {city: String of String in 0, buyer/name from buyer_name: String of String in 1, w: Double in 2}",
  ],
  "Orders?$apply=concat(concat(groupby((buyer/name)),aggregate(weight with sum as w)),groupby((city)))": [
    "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { buyer.name as buyer_name } group by buyer.name) { buyer_name as buyer_name, cast(null, cds.Double) as w, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { sum(weight) as w }) { cast(null, cds.String) as buyer_name, w as w, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_name as buyer_name, w as w, $part, $position, $part as $order2_0, $position as $order2_1 }) { buyer_name as buyer_name, w as w, cast(null, cds.String) as city, $part + 0 as $part, row_number() over (order by (case when $order2_0 is null then 0 else 1 end) , $order2_0 asc , (case when $order2_1 is null then 0 else 1 end) , $order2_1 asc , (case when buyer_name is null then 0 else 1 end) , buyer_name asc) as $position } union all SELECT from (SELECT from S.Orders { city as city } group by city) { cast(null, cds.String) as buyer_name, cast(null, cds.Double) as w, city as city, 2 as $part, cast(null, cds.Integer) as $position }) { buyer_name as buyer_name, w as w, city as city, $part, $position } order by $part, $position, buyer_name asc, city asc",
    "rows: S.Orders {buyer/name from buyer_name: String of String in 0, w: Double in 1, city: String of String in 2}",
  ],
  "Orders?$apply=concat(concat(aggregate($count as n),aggregate($count as m))/filter(n gt 1),aggregate($count as n))":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { count(*) as n }) { n as n, cast(null, cds.Int64) as m, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { count(*) as m }) { cast(null, cds.Int64) as n, m as m, 1 as $part, cast(null, cds.Integer) as $position }) { n as n, m as m, $part, $position, $part as $order2_0, $position as $order2_1 } where n > 1) { n as n, m as m, $part + 0 as $part, row_number() over (order by (case when $order2_0 is null then 0 else 1 end) , $order2_0 asc , (case when $order2_1 is null then 0 else 1 end) , $order2_1 asc) as $position } union all SELECT from (SELECT from S.Orders { count(*) as n }) { n as n, cast(null, cds.Int64) as m, 2 as $part, cast(null, cds.Integer) as $position }) { n as n, m as m, $part, $position } order by $part, $position",
      "rows: S.Orders {n: Int64 in 0,2, m: Int64 in 1}",
    ],
  "Orders?$apply=concat(groupby((city))/orderby(city desc),groupby((day))/topcount(1,day))": [
    "SELECT from (SELECT from (SELECT from S.Orders { city as city, city as $order0_0 } group by city) { city as city, cast(null, cds.Date) as day, 0 as $part, row_number() over (order by (case when $order0_0 is null then 1 else 0 end) , $order0_0 desc , (case when city is null then 0 else 1 end) , city asc) as $position } union all SELECT from (SELECT from S.Orders { day as day, day as $order0_0 } group by day order by day desc nulls last limit 1) { cast(null, cds.String) as city, day as day, 1 as $part, row_number() over (order by (case when $order0_0 is null then 1 else 0 end) , $order0_0 desc , (case when day is null then 0 else 1 end) , day asc) as $position }) { city as city, day as day, $part, $position } order by $part, $position, city asc, day asc",
    "rows: S.Orders {city: String of String in 0, day: Date of Date in 1}",
  ],
  "Orders?$apply=concat(compute(1 as x)/groupby((x)),aggregate(null with max as y))": [
    "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { 1 as $key0 }) { $key0 as x } group by $key0) { x as x, null as y, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { max(null) as y }) { cast(null, cds.Int64) as x, y as y, 1 as $part, cast(null, cds.Integer) as $position }) { x as x, y as y, $part, $position } order by $part, $position, x asc",
    "rows: S.Orders {x: Int64 in 0, y: ? in 1}",
  ],
  "Orders?$apply=concat(groupby((buyer/name)),groupby((buyer/name,city)))&$orderby=city&$top=1": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.name as buyer_name } group by buyer.name) { buyer_name as buyer_name, cast(null, cds.String) as city, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.name as buyer_name, city as city } group by buyer.name, city) { buyer_name as buyer_name, city as city, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_name as buyer_name, city as city, $part, $position } order by city asc nulls first, buyer_name asc, city asc limit 1",
    "rows: S.Orders {buyer/name from buyer_name: String of String in 0,1, city: String of String in 1}",
  ],
  "Orders?$apply=concat(aggregate($count as n),aggregate($count as n))/aggregate(n with sum as s)": [
    "SELECT from (SELECT from (SELECT from S.Orders { count(*) as n }) { n as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { count(*) as n }) { n as n, 1 as $part, cast(null, cds.Integer) as $position }) { sum(n) as s }",
    "rows: S.Orders {s: Int64}",
  ],
  "Orders?$apply=groupby((city),aggregate(items/amount with max as a,city with min as b))": [
    "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { city as city, max(items.amount) as a } group by city) { city as city, a as a, cast(null, cds.String) as b, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { city as city, min(city) as b } group by city) { city as city, cast(null, cds.Integer) as a, b as b, 1 as $part, cast(null, cds.Integer) as $position }) { city as city, a as a, b as b, $part, $position, $part as $order2_0, $position as $order2_1 }) { city as city, max(a) as a, max(b) as b } group by city order by city asc",
    "rows: S.Orders {city: String of String, a: Integer of Integer, b: String of String}",
  ],
  "Orders?$apply=join(buyer as a)/join(buyer as b)/aggregate($count as n)": [
    "SELECT from S.Orders { count(*) as n } where buyer.ID is not null and buyer.ID is not null",
    "rows: S.Orders {n: Int64}",
  ],
  "Orders?$apply=join(items as i,filter(amount gt 2))/join(items as j,filter(amount gt 3))/join(items as k)/aggregate($count as n)":
    [
      "SELECT from S.Orders { count(*) as n } where items[amount > 2].order_ID is not null and items[amount > 3 and 1 = 1].order_ID is not null and items[2 = 2].order_ID is not null",
      "rows: S.Orders {n: Int64}",
    ],
};

Deno.test("join puts each related instance beside an instance, concat the rows of sequences one behind the other (Data Aggregation 3.4.1 and 3.1.2)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
