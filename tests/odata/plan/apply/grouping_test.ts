import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Orders?$apply=groupby((city,buyer/name))": [
    "SELECT from S.Orders { city as city, buyer.name as buyer_name } group by city, buyer.name order by city asc, buyer.name asc",
    "rows: S.Orders {city: String of String, buyer/name from buyer_name: String of String}",
  ],
  "Orders?$apply=groupby((buyer))": [
    "SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID order by buyer.ID asc",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String}",
  ],
  "Orders?$apply=groupby((pair))": [
    "SELECT from S.Orders { pair.a as pair_a, pair.b as pair_b } group by pair.a, pair.b order by pair.a asc, pair.b asc",
    "rows: S.Orders {pair/a from pair_a: Integer of Integer, pair/b from pair_b: Integer of Integer}",
  ],
  "Orders?$apply=groupby((city,city,buyer,buyer/ID))": [
    "SELECT from S.Orders { city as city, buyer.ID as buyer_ID } group by city, buyer.ID order by city asc, buyer.ID asc",
    "rows: S.Orders {city: String of String, buyer/ID from buyer_ID: String of String}",
  ],
  "Parts?$apply=groupby((item))": [
    "SELECT from S.Parts { item.order_ID as item_order_ID, item.pos as item_pos } group by item.order_ID, item.pos order by item.order_ID asc, item.pos asc",
    "rows: S.Parts {item/order_ID from item_order_ID: Integer of Integer, item/pos from item_pos: Integer of Integer}",
  ],
  "Orders?$apply=groupby((bare))": [
    "400 Rows can be grouped by single values only (offset 23)",
  ],
  "Orders?$apply=groupby((items))": [
    "400 Rows can be grouped by single values only (offset 23)",
  ],
  "Orders?$apply=groupby((tags))": [
    "400 Rows can be grouped by single values only (offset 23)",
  ],
  "Orders?$apply=groupby((node/children))": [
    "400 Rows can be grouped by single values only (offset 23)",
  ],
  "Orders?$apply=groupby((buyer('1')/name))": [
    "501 This path in $apply is not implemented (offset 23)",
  ],
  "Orders?$apply=groupby((address/city))": [
    '400 "S.Orders" has no property "address" (offset 23)',
  ],
  "Orders?$apply=groupby((address/zip))": [
    '400 "S.Orders" has no property "address" (offset 23)',
  ],
  "Orders?$apply=groupby((buyer/ID,buyer/name))/groupby((buyer))": [
    "SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID, buyer.name as buyer_name } group by buyer.ID, buyer.name) { buyer_ID as buyer_ID, buyer_name as buyer_name } group by buyer_ID, buyer_name order by buyer_ID asc, buyer_name asc",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String, buyer/name from buyer_name: String of String}",
  ],
  "Orders?$apply=groupby((buyer/ID,buyer/name,city))/groupby((buyer/name,city),aggregate($count as n))": [
    "SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID, buyer.name as buyer_name, city as city } group by buyer.ID, buyer.name, city) { buyer_name as buyer_name, city as city, count(*) as n } group by buyer_name, city order by buyer_name asc, city asc",
    "rows: S.Orders {buyer/name from buyer_name: String of String, city: String of String, n: Int64}",
  ],
  "Orders?$apply=groupby((city))/groupby((buyer))": [
    '400 "$apply" has no property "buyer" (offset 39)',
  ],
  "Orders?$apply=groupby((rollup(Place)),aggregate($count as n))": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, city as city, count(*) as n } group by buyer.country, city) { buyer_country as buyer_country, city as city, n as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, count(*) as n } group by buyer.country) { buyer_country as buyer_country, cast(null, cds.String) as city, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, city as city, n as n, $part, $position } order by $part, $position, buyer_country asc, city asc",
    "rows: S.Orders {buyer/country from buyer_country: String of String in 0,1, city: String of String in 0, n: Int64 in 0,1}",
  ],
  "Orders?$apply=groupby((rollup(Town)),aggregate($count as n))": [
    "SELECT from S.Orders { buyer.country as buyer_country, count(*) as n } group by buyer.country order by buyer.country asc",
    "rows: S.Orders {buyer/country from buyer_country: String of String, n: Int64}",
  ],
  "Orders?$apply=groupby((rollup(Nope)))": [
    '400 "S.Orders" has no leveled hierarchy "Nope", and rollup needs two levels (offset 30)',
  ],
  "Orders?$apply=groupby((rollup(buyer/country,city)),aggregate(amount with sum as s))": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, city as city, sum(amount) as s } group by buyer.country, city) { buyer_country as buyer_country, city as city, s as s, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, sum(amount) as s } group by buyer.country) { buyer_country as buyer_country, cast(null, cds.String) as city, s as s, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, city as city, s as s, $part, $position } order by $part, $position, buyer_country asc, city asc",
    "rows: S.Orders {buyer/country from buyer_country: String of String in 0,1, city: String of String in 0, s: Integer in 0,1}",
  ],
  "Orders?$apply=groupby((rollup(buyer/country,buyer/name,city),day))": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, buyer.name as buyer_name, city as city, day as day } group by buyer.country, buyer.name, city, day) { buyer_country as buyer_country, buyer_name as buyer_name, city as city, day as day, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, buyer.name as buyer_name, day as day } group by buyer.country, buyer.name, day) { buyer_country as buyer_country, buyer_name as buyer_name, cast(null, cds.String) as city, day as day, 1 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, day as day } group by buyer.country, day) { buyer_country as buyer_country, cast(null, cds.String) as buyer_name, cast(null, cds.String) as city, day as day, 2 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, buyer_name as buyer_name, city as city, day as day, $part, $position } order by $part, $position, buyer_country asc, buyer_name asc, city asc, day asc",
    "rows: S.Orders {buyer/country from buyer_country: String of String in 0,1,2, buyer/name from buyer_name: String of String in 0,1, city: String of String in 0, day: Date of Date in 0,1,2}",
  ],
  "Orders?$apply=groupby((rollup(buyer/country,city),rollup(day,at)),aggregate($count as n))": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, city as city, day as day, at as at, count(*) as n } group by buyer.country, city, day, at) { buyer_country as buyer_country, city as city, day as day, at as at, n as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, city as city, day as day, count(*) as n } group by buyer.country, city, day) { buyer_country as buyer_country, city as city, day as day, cast(null, cds.Timestamp) as at, n as n, 1 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, day as day, at as at, count(*) as n } group by buyer.country, day, at) { buyer_country as buyer_country, cast(null, cds.String) as city, day as day, at as at, n as n, 2 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, day as day, count(*) as n } group by buyer.country, day) { buyer_country as buyer_country, cast(null, cds.String) as city, day as day, cast(null, cds.Timestamp) as at, n as n, 3 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, city as city, day as day, at as at, n as n, $part, $position } order by $part, $position, buyer_country asc, city asc, day asc, at asc",
    "rows: S.Orders {buyer/country from buyer_country: String of String in 0,1,2,3, city: String of String in 0,1, day: Date of Date in 0,1,2,3, at: Timestamp of Timestamp in 0,2, n: Int64 in 0,1,2,3}",
  ],
  "Orders?$apply=groupby((rollup(buyer,city)))": [
    "SELECT from (SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID, city as city } group by buyer.ID, city) { buyer_ID as buyer_ID, city as city, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID) { buyer_ID as buyer_ID, cast(null, cds.String) as city, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_ID as buyer_ID, city as city, $part, $position } order by $part, $position, buyer_ID asc, city asc",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String in 0,1, city: String of String in 0}",
  ],
  "Orders?$apply=groupby((rollup(buyer/country,city)),groupby((rollup(day,at)),aggregate($count as n)))": [
    "SELECT from (SELECT from (SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, city as city, day as day, at as at, count(*) as n } group by buyer.country, city, day, at) { buyer_country as buyer_country, city as city, day as day, at as at, n as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, city as city, day as day, count(*) as n } group by buyer.country, city, day) { buyer_country as buyer_country, city as city, day as day, cast(null, cds.Timestamp) as at, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, city as city, day as day, at as at, n as n, $part, $position, $part as $order2_0, $position as $order2_1 }) { buyer_country as buyer_country, city as city, day as day, at as at, n as n, $part + 0 as $part, row_number() over (order by (case when $order2_0 is null then 0 else 1 end) , $order2_0 asc , (case when $order2_1 is null then 0 else 1 end) , $order2_1 asc , (case when buyer_country is null then 0 else 1 end) , buyer_country asc , (case when city is null then 0 else 1 end) , city asc , (case when day is null then 0 else 1 end) , day asc , (case when at is null then 0 else 1 end) , at asc) as $position } union all SELECT from (SELECT from (SELECT from (SELECT from S.Orders { buyer.country as buyer_country, day as day, at as at, count(*) as n } group by buyer.country, day, at) { buyer_country as buyer_country, day as day, at as at, n as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { buyer.country as buyer_country, day as day, count(*) as n } group by buyer.country, day) { buyer_country as buyer_country, day as day, cast(null, cds.Timestamp) as at, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { buyer_country as buyer_country, day as day, at as at, n as n, $part, $position, $part as $order2_0, $position as $order2_1 }) { buyer_country as buyer_country, cast(null, cds.String) as city, day as day, at as at, n as n, $part + 2 as $part, row_number() over (order by (case when $order2_0 is null then 0 else 1 end) , $order2_0 asc , (case when $order2_1 is null then 0 else 1 end) , $order2_1 asc , (case when buyer_country is null then 0 else 1 end) , buyer_country asc , (case when day is null then 0 else 1 end) , day asc , (case when at is null then 0 else 1 end) , at asc) as $position }) { buyer_country as buyer_country, city as city, day as day, at as at, n as n, $part, $position } order by $part, $position, buyer_country asc, city asc, day asc, at asc",
    "rows: S.Orders {buyer/country from buyer_country: String of String in 0,1,2,3, city: String of String in 0,1, day: Date of Date in 0,1,2,3, at: Timestamp of Timestamp in 0,2, n: Int64 in 0,1,2,3}",
  ],
  "Orders?$apply=compute(amount add 1 as more)/groupby((more,city),aggregate(amount with sum as s,$count as n))":
    [
      "SELECT from (SELECT from S.Orders { cast(amount, cds.Int64) + 1 as $key0, city as $key1, amount as $value0 }) { $key0 as more, $key1 as city, sum($value0) as s, count(*) as n } group by $key0, $key1 order by $key0 asc, $key1 asc",
      "rows: S.Orders {more: Int64, city: String of String, s: Integer, n: Int64}",
    ],
  "Orders?$apply=filter(amount gt 1)/search(x)/compute(amount add 1 as more)/groupby((more))": [
    "SELECT from (SELECT from S.Orders { cast(amount, cds.Int64) + 1 as $key0 } where amount > 1 search 'x') { $key0 as more } group by $key0 order by $key0 asc",
    "rows: S.Orders {more: Int64}",
  ],
  "Orders?$apply=filter(amount gt 1)/search(x)/groupby((city))": [
    "SELECT from S.Orders { city as city } where amount > 1 search 'x' group by city order by city asc",
    "rows: S.Orders {city: String of String}",
  ],
  "Orders?$apply=concat(aggregate(amount with sum as s),aggregate(amount with max as s))/compute(s add 1 as t)/groupby((t),aggregate(s with max as m,$count as n))":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { sum(amount) as s }) { s as s, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { max(amount) as s }) { s as s, 1 as $part, cast(null, cds.Integer) as $position }) { cast(s, cds.Int64) + 1 as $key0, s as $value0 }) { $key0 as t, max($value0) as m, count(*) as n } group by $key0 order by $key0 asc",
      "rows: S.Orders {t: Int64, m: Integer of Integer, n: Int64}",
    ],
  "Orders?$apply=concat(aggregate(amount with sum as s),aggregate(amount with max as s))/filter(s gt 1)/compute(s add 1 as t)/groupby((t))":
    [
      "SELECT from (SELECT from (SELECT from (SELECT from S.Orders { sum(amount) as s }) { s as s, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { max(amount) as s }) { s as s, 1 as $part, cast(null, cds.Integer) as $position }) { cast(s, cds.Int64) + 1 as $key0 } where s > 1) { $key0 as t } group by $key0 order by $key0 asc",
      "rows: S.Orders {t: Int64}",
    ],
  "Orders?$apply=groupby((city),aggregate(amount with sum as s))/compute(s add 1 as t)/groupby((t),aggregate(s with max as m))":
    [
      "SELECT from (SELECT from S.Orders { city as city, sum(amount) as s, cast(sum(amount), cds.Int64) + 1 as t } group by city) { t as t, max(s) as m } group by t order by t asc",
      "rows: S.Orders {t: Int64, m: Integer of Integer}",
    ],
  "Orders?$apply=groupby((city),aggregate(price with sum as s,price with average as a,price with min as m))":
    [
      "SELECT from S.Orders { city as city, $decimal_sum(price) as s, $decimal_avg(price) as a, min(price) as m } group by city order by city asc",
      "rows: S.Orders {city: String of String, s: Decimal, a: Decimal, m: Decimal of Decimal}",
    ],
  "Orders?$apply=groupby((city),aggregate(amount with average as a))/aggregate(a with sum as s,a with max as m)":
    [
      "SELECT from (SELECT from S.Orders { city as city, $decimal_avg(amount) as a } group by city) { $decimal($decimal_sum(a)) as s, max(a) as m }",
      "rows: S.Orders {s: Decimal, m: Decimal}",
    ],
  "Orders?$apply=groupby((city),filter(amount gt 1)/aggregate(amount with sum as s,$count as n))": [
    "SELECT from S.Orders { city as city, sum(case when amount > 1 then amount end) as s, count(case when amount > 1 then 1 end) as n } group by city order by city asc",
    "rows: S.Orders {city: String of String, s: Integer, n: Int64}",
  ],
  "Orders?$apply=groupby((city),filter(amount gt 1)/filter(low lt 3)/aggregate(amount with sum as s))": [
    "SELECT from S.Orders { city as city, sum(case when amount > 1 and low < 3 then amount end) as s } group by city order by city asc",
    "rows: S.Orders {city: String of String, s: Integer}",
  ],
  "Orders?$apply=groupby((city),filter(amount gt 1))": [
    "SELECT from S.Orders { all } where amount > 1 order by ID asc",
    "rows: S.Orders",
  ],
  "Orders?$apply=groupby((city),filter(amount gt 1)/groupby((day)))": [
    "SELECT from S.Orders { city as city, day as day } where amount > 1 group by city, day order by city asc, day asc",
    "rows: S.Orders {city: String of String, day: Date of Date}",
  ],
  "Orders?$apply=groupby((city),compute(amount add 1 as more)/filter(more gt 1)/groupby((more),aggregate($count as n)))":
    [
      "SELECT from (SELECT from S.Orders { city as $key0, cast(amount, cds.Int64) + 1 as $key1, case when (cast(amount, cds.Int64) + 1) > 1 then 1 end as $value0 }) { $key0 as city, $key1 as more, count($value0) as n } group by $key0, $key1 order by $key0 asc, $key1 asc",
      "rows: S.Orders {city: String of String, more: Int64, n: Int64}",
    ],
  "Orders?$apply=top(3)/groupby((city))": [
    "SELECT from S.Orders { city as city } where ID in (SELECT from S.Orders { ID } limit 3) group by city order by city asc",
    "rows: S.Orders {city: String of String}",
  ],
  "Orders?$apply=orderby(city)/groupby((city))": [
    "SELECT from S.Orders { city as city } group by city order by city asc",
    "rows: S.Orders {city: String of String}",
  ],
  "Orders?$apply=groupby((buyer/ID))/groupby((buyer))": [
    "SELECT from (SELECT from S.Orders { buyer.ID as buyer_ID } group by buyer.ID) { buyer_ID as buyer_ID } group by buyer_ID order by buyer_ID asc",
    "rows: S.Orders {buyer/ID from buyer_ID: String of String}",
  ],
};

Deno.test("groupby makes groups of single values, and rollup those of the levels above (Data Aggregation 3.2.3)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
