import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Items?$apply=filter(amount eq $these/aggregate(amount with max))": [
    "SELECT from S.Items where amount == (SELECT from S.Items { max(amount) as value }) order by order_ID asc, pos asc",
    "rows: S.Items",
  ],
  "Items?$apply=groupby((pos),aggregate(amount with sum as s))/filter(s gt $these/aggregate(s with average))":
    [
      "SELECT from S.Items { pos as pos, sum(amount) as s } group by pos having sum(amount) > (SELECT from (SELECT from S.Items { pos as pos, sum(amount) as s } group by pos) { $decimal_avg(s) as value }) order by pos asc",
      "rows: S.Items {pos: Integer of Integer, s: Integer}",
    ],
  "Items?$apply=groupby((pos),filter(amount eq $these/aggregate(amount with max))/aggregate($count as n))": [
    '501 "$these" inside of groups is not implemented (offset 61)',
  ],
  "Orders?$select=ID&$expand=items($apply=filter(amount eq $these/aggregate(amount with max)))": [
    '400 "$these" belongs into $apply (offset 56)',
  ],
  "Items?$apply=addnested(parts,filter(size gt 1) as large,aggregate($count as n) as all)&$select=pos": [
    "SELECT from S.Items as $row1 { pos, order_ID, parts { * } as large, parts { * } as all } order by order_ID asc, pos asc",
    "nested large: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } where size > 1 order by ID asc",
    "nested all: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { count(*) as n } order by ",
    "rows: S.Items select pos,order_ID expand large(S.Parts), all(S.Parts {n: Int64})",
  ],
  "Items?$apply=addnested(parts,identity as large)/addnested(parts,identity as large)": [
    '400 The name "large" is taken (offset 48)',
  ],
  "Items?$apply=addnested(parts,identity as large)/addnested(parts,identity as small)&$select=pos": [
    "SELECT from S.Items as $row1 { pos, order_ID, parts { * } as large, parts { * } as small } order by order_ID asc, pos asc",
    "nested large: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
    "nested small: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
    "rows: S.Items select pos,order_ID expand large(S.Parts), small(S.Parts)",
  ],
  "Items?$apply=addnested(parts,identity as amount)": [
    '400 The name "amount" is taken (offset 13)',
  ],
  "Items?$apply=addnested(parts,identity as order)": [
    '400 The name "order" is taken (offset 13)',
  ],
  "Items?$apply=addnested(parts,identity as order_ID)": [
    '400 The name "order_ID" is taken (offset 13)',
  ],
  "Items?$apply=compute(1 as x)/addnested(parts,identity as x)": [
    '400 The name "x" is taken (offset 29)',
  ],
  "Items?$apply=addnested(order/items,identity as x)": [
    '501 The transformation "addnested" at this place of $apply is not implemented (offset 13)',
  ],
  "Items?$apply=addnested(order,identity as x)": [
    "400 $apply needs a collection (offset 29)",
  ],
  "Items?$apply=join(parts as p)/addnested(parts,identity as x)": [
    '501 The transformation "addnested" at this place of $apply is not implemented (offset 30)',
  ],
  "Items?$apply=groupby((pos))/addnested(parts,identity as x)": [
    '501 The transformation "addnested" at this place of $apply is not implemented (offset 28)',
  ],
  "Items?$apply=top(2)/addnested(parts,identity as x)&$select=pos": [
    "SELECT from S.Items as $row1 { pos, order_ID, parts { * } as x } where (order_ID, pos) in (SELECT from S.Items as $row1 { order_ID, pos } limit 2) order by order_ID asc, pos asc",
    "nested x: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
    "rows: S.Items select pos,order_ID expand x(S.Parts)",
  ],
  "Items?$apply=addnested(parts,identity as x)/identity/filter(pos gt 1)/search(y)/orderby(pos)/skip(1)/top(2)/topcount(1,pos)&$select=pos":
    [
      "SELECT from S.Items as $row1 { pos, order_ID, parts { * } as x } where (order_ID, pos) in (SELECT from S.Items as $row1 { order_ID, pos } where pos > 1 search 'y' order by pos asc limit 2 offset 1) order by pos desc, order_ID asc, pos asc limit 1",
      "nested x: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
      "rows: S.Items select pos,order_ID expand x(S.Parts)",
    ],
  "Items?$apply=addnested(parts,identity as x)/compute(1 as y)": [
    '501 The transformation "compute" at this place of $apply is not implemented (offset 44)',
  ],
  "Items?$apply=addnested(parts,identity as x)/aggregate($count as n)": [
    '501 The transformation "aggregate" at this place of $apply is not implemented (offset 44)',
  ],
  "Items?$apply=addnested(parts,identity as x)/concat(identity,identity)": [
    "SELECT from S.Items as $row1 { *, parts { * } as x } order by order_ID asc, pos asc",
    "nested x: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
    "part: SELECT from S.Items as $row1 { *, parts { * } as x } order by order_ID asc, pos asc; rows: S.Items expand x(S.Parts)",
    "nested x: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
    "part: SELECT from S.Items as $row1 { *, parts { * } as x } order by order_ID asc, pos asc; rows: S.Items expand x(S.Parts)",
    "nested x: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } order by ID asc",
    "rows: S.Items",
  ],
  "Items?$apply=top(2)/filter(amount gt 1)&$select=pos": [
    "SELECT from S.Items { pos, order_ID } where (order_ID, pos) in (SELECT from S.Items { order_ID, pos } limit 2) and amount > 1 order by order_ID asc, pos asc",
    "rows: S.Items select pos,order_ID",
  ],
  "Items?$apply=filter(amount gt 1)/filter(pos gt 1)&$select=pos": [
    "SELECT from S.Items { pos, order_ID } where amount > 1 and pos > 1 order by order_ID asc, pos asc",
    "rows: S.Items select pos,order_ID",
  ],
  "Items?$apply=groupby((pos),aggregate($count as n))/filter(n gt 1)/filter(n lt 9)": [
    "SELECT from S.Items { pos as pos, count(*) as n } group by pos having count(*) > 1 and count(*) < 9 order by pos asc",
    "rows: S.Items {pos: Integer of Integer, n: Int64}",
  ],
  "Items?$apply=groupby((pos),aggregate($count as n))/top(2)/filter(n gt 1)": [
    "SELECT from (SELECT from S.Items { pos as pos, count(*) as n } group by pos limit 2) { pos as pos, n as n } where n > 1 order by pos asc",
    "rows: S.Items {pos: Integer of Integer, n: Int64}",
  ],
  "Items?$apply=concat(groupby((pos)),groupby((amount)))/filter(pos gt 1)": [
    "SELECT from (SELECT from (SELECT from S.Items { pos as pos } group by pos) { pos as pos, cast(null, cds.Integer) as amount, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Items { amount as amount } group by amount) { cast(null, cds.Integer) as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position }) { pos as pos, amount as amount, $part, $position } where pos > 1 order by $part, $position, pos asc, amount asc",
    "rows: S.Items {pos: Integer of Integer in 0, amount: Integer of Integer in 1}",
  ],
  "Orders?$apply=search(x)/search(y)&$select=ID": [
    "SELECT from S.Orders { ID } where contains(tolower(coalesce(city, '')), tolower('y')) or contains(tolower(coalesce(address.street, '')), tolower('y')) or contains(tolower(coalesce(address.zip, '')), tolower('y')) search 'x' order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=top(2)/search(x)&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from S.Orders { ID } limit 2) search 'x' order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=groupby((city,amount))/search(x)": [
    "SELECT from (SELECT from S.Orders { city as city, amount as amount } group by city, amount) { city as city, amount as amount } where contains(tolower(coalesce(city, '')), tolower('x')) order by city asc, amount asc",
    "rows: S.Orders {city: String of String, amount: Integer of Integer}",
  ],
  "Orders?$apply=groupby((city,buyer/name))/search(x or y)": [
    "SELECT from (SELECT from S.Orders { city as city, buyer.name as buyer_name } group by city, buyer.name) { city as city, buyer_name as buyer_name } where (contains(tolower(coalesce(city, '')), tolower('x')) or contains(tolower(coalesce(buyer_name, '')), tolower('x'))) and (contains(tolower(coalesce(city, '')), tolower('or')) or contains(tolower(coalesce(buyer_name, '')), tolower('or'))) and (contains(tolower(coalesce(city, '')), tolower('y')) or contains(tolower(coalesce(buyer_name, '')), tolower('y'))) order by city asc, buyer_name asc",
    "rows: S.Orders {city: String of String, buyer/name from buyer_name: String of String}",
  ],
  "Orders?$apply=groupby((city),search(x)/aggregate($count as n))": [
    "SELECT from S.Orders { city as city, count(*) as n } search 'x' group by city order by city asc",
    "rows: S.Orders {city: String of String, n: Int64}",
  ],
  "Orders?$apply=groupby((city),filter(amount gt 1)/search(x)/aggregate($count as n))": [
    "SELECT from S.Orders { city as city, count(*) as n } where amount > 1 search 'x' group by city order by city asc",
    "rows: S.Orders {city: String of String, n: Int64}",
  ],
  "Orders?$apply=concat(aggregate(at with max as x),aggregate(day with max as x))": [
    '400 The name "x" stands for values of different types (offset 14)',
  ],
  "Orders?$apply=concat(aggregate(at with max as x),aggregate(at with min as x))": [
    "SELECT from (SELECT from (SELECT from S.Orders { cast(max(at), cds.Timestamp) as x }) { x as x, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { cast(min(at), cds.Timestamp) as x }) { x as x, 1 as $part, cast(null, cds.Integer) as $position }) { x as x, $part, $position } order by $part, $position",
    "rows: S.Orders {x: Timestamp of Timestamp in 0,1}",
  ],
  "Orders?$apply=concat(aggregate(amount with max as x),aggregate(weight with min as x))": [
    "SELECT from (SELECT from (SELECT from S.Orders { max(amount) as x }) { x as x, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { min(weight) as x }) { x as x, 1 as $part, cast(null, cds.Integer) as $position }) { x as x, $part, $position } order by $part, $position",
    "rows: S.Orders {x: Integer of Integer in 0,1}",
  ],
  "Orders?$apply=concat(aggregate(amount with max as x),aggregate(city with min as x))": [
    '400 The name "x" stands for values of different types (offset 14)',
  ],
  "Orders?$apply=concat(aggregate(city with max as x),aggregate(buyer/ID with min as x))": [
    "SELECT from (SELECT from (SELECT from S.Orders { max(city) as x }) { x as x, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { min(buyer.ID) as x }) { x as x, 1 as $part, cast(null, cds.Integer) as $position }) { x as x, $part, $position } order by $part, $position",
    "rows: S.Orders {x: String of String in 0,1}",
  ],
  "Orders?$apply=concat(aggregate(null with max as x),aggregate(city with min as x))": [
    "SELECT from (SELECT from (SELECT from S.Orders { max(null) as x }) { x as x, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Orders { min(city) as x }) { x as x, 1 as $part, cast(null, cds.Integer) as $position }) { x as x, $part, $position } order by $part, $position",
    "rows: S.Orders {x: ? in 0,1}",
  ],
  "Orders?$apply=groupby((city),top(2))&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from (SELECT from S.Orders { ID, row_number() over (partition by city order by (case when ID is null then 0 else 1 end) , ID asc) as $place }) { ID } where $place <= 2) order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=groupby((city),skip(2))&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from (SELECT from S.Orders { ID, row_number() over (partition by city order by (case when ID is null then 0 else 1 end) , ID asc) as $place }) { ID } where $place > 2) order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=groupby((city),topcount(2,amount)/aggregate(amount with sum as s))": [
    "SELECT from S.Orders { city as city, sum(amount) as s } where ID in (SELECT from (SELECT from S.Orders { ID, row_number() over (partition by city order by (case when amount is null then 1 else 0 end) , amount desc , (case when ID is null then 0 else 1 end) , ID asc) as $place }) { ID } where $place <= 2) group by city order by city asc",
    "rows: S.Orders {city: String of String, s: Integer}",
  ],
  "Orders?$apply=groupby((city),toppercent(20,amount)/aggregate(amount with sum as s))": [
    "SELECT from S.Orders { city as city, sum(amount) as s } where ID in (SELECT from (SELECT from S.Orders { ID, sum(coalesce(amount, 0)) over (partition by city order by (case when amount is null then 1 else 0 end) , amount desc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(amount, 0) as $place, sum(coalesce(amount, 0)) over (partition by city) as $total }) { ID } where $place < ($total * (20 * 0.01))) group by city order by city asc",
    "rows: S.Orders {city: String of String, s: Integer}",
  ],
  "Orders?$apply=groupby((city),bottomsum(20,amount))&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from (SELECT from S.Orders { ID, sum(coalesce(amount, 0)) over (partition by city order by (case when amount is null then 0 else 1 end) , amount asc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(amount, 0) as $place }) { ID } where $place < 20) order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=groupby((city),join(items as i)/aggregate(i/amount with sum as s))": [
    "SELECT from S.Orders { city as city, sum(items.amount) as s } where items.order_ID is not null group by city order by city asc",
    "rows: S.Orders {city: String of String, s: Integer}",
  ],
  "Orders?$apply=groupby((city),S.nope())": [
    '501 The transformation "S.nope" at this place of $apply is not implemented (offset 29)',
  ],
  "Orders?$apply=top(2)/topcount(1,amount)&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from S.Orders { ID } limit 2) order by amount desc nulls last, ID asc limit 1",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=topcount($these/$count div 2,amount)&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from (SELECT from S.Orders { ID, row_number() over (order by (case when amount is null then 1 else 0 end) , amount desc , (case when ID is null then 0 else 1 end) , ID asc) as $place }) { ID } where $place <= $div((SELECT from S.Orders { count(*) as value }), 2)) order by amount desc nulls last, ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=topcount(@n,amount)&@n=2&$select=ID": [
    "SELECT from S.Orders { ID } order by amount desc nulls last, ID asc limit 2",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=toppercent(0,amount)": [
    "400 A percentage above 0 is expected (offset 25)",
  ],
  "Orders?$apply=toppercent(100,amount)&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from (SELECT from S.Orders { ID, sum(coalesce(amount, 0)) over (order by (case when amount is null then 1 else 0 end) , amount desc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(amount, 0) as $place, sum(coalesce(amount, 0)) over () as $total }) { ID } where $place < ($total * (100 * 0.01))) order by amount desc nulls last, ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=topsum(-1,amount)&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from (SELECT from S.Orders { ID, sum(coalesce(amount, 0)) over (order by (case when amount is null then 1 else 0 end) , amount desc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(amount, 0) as $place }) { ID } where $place < -1) order by amount desc nulls last, ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=topsum(INF,amount)": [
    "400 A number is expected (offset 21)",
  ],
  "Orders?$apply=bottompercent(100.5,amount)": [
    "400 A percentage above 0 is expected (offset 28)",
  ],
  "Orders?$apply=topcount(99999999999999999999,amount)": [
    "400 A positive whole number is expected (offset 23)",
  ],
  "Orders?$apply=groupby((city,amount))/topcount(1,amount)/aggregate($count as n)": [
    "SELECT from (SELECT from S.Orders { city as city, amount as amount, amount as $order0_0 } group by city, amount order by amount desc nulls last limit 1) { count(*) as n }",
    "rows: S.Orders {n: Int64}",
  ],
  "Orders?$apply=groupby((city,amount))/topsum(1,amount)": [
    "SELECT from (SELECT from (SELECT from S.Orders { city as city, amount as amount } group by city, amount) { city as city, amount as amount, sum(coalesce(amount, 0)) over (order by (case when amount is null then 1 else 0 end) , amount desc , (case when city is null then 0 else 1 end) , city asc , (case when amount is null then 0 else 1 end) , amount asc) - coalesce(amount, 0) as $place }) { city as city, amount as amount } where $place < 1 order by city asc, amount asc",
    "rows: S.Orders {city: String of String, amount: Integer of Integer}",
  ],
  "Bare?$apply=topsum(1,amount)": [
    "SELECT from (SELECT from (SELECT from S.Bare { city as city, amount as amount }) { city as city, amount as amount, sum(coalesce(amount, 0)) over (order by (case when amount is null then 1 else 0 end) , amount desc) - coalesce(amount, 0) as $place }) { city as city, amount as amount } where $place < 1",
    "rows: S.Bare {city: String of String, amount: Integer of Integer}",
  ],
  "Orders?$apply=bottomcount(1,city)/filter(amount gt 1)&$select=ID": [
    "SELECT from S.Orders { ID } where ID in (SELECT from S.Orders { ID } order by city asc nulls first limit 1) and amount > 1 order by city asc nulls first, ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=topcount(0,amount)": [
    "400 A positive whole number is expected (offset 23)",
  ],
  "Orders?$apply=identity/filter($these/aggregate($these/$count with max) gt 1)": [
    '400 "$these" belongs into $apply (offset 47)',
  ],
  "Orders?$apply=groupby((city))/filter(true)/filter($these/aggregate($these/$count with max) gt 1)": [
    '400 "$these" belongs into $apply (offset 67)',
  ],
};

Deno.test("transformations run on what those before have made, inside of groups on each of them (Data Aggregation 3.1)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
