import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Orders?$apply=concat(filter(amount gt 1),filter(low gt 1))&$select=ID": [
    "SELECT from (SELECT from S.Orders { ID as ID, city as city, amount as amount, low as low, mean as mean, odd as odd, price as price, weight as weight, took as took, day as day, at as at, code as code, tags as tags, address_street as address_street, address_zip as address_zip, buyer_ID as buyer_ID, named_name as named_name, named_country as named_country, node_ID as node_ID, pair_a as pair_a, pair_b as pair_b, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Orders { ID as ID, city as city, amount as amount, low as low, mean as mean, odd as odd, price as price, weight as weight, took as took, day as day, at as at, code as code, tags as tags, address_street as address_street, address_zip as address_zip, buyer_ID as buyer_ID, named_name as named_name, named_country as named_country, node_ID as node_ID, pair_a as pair_a, pair_b as pair_b, 1 as $part, cast(null, cds.Integer) as $position } where low > 1) { ID as ID, $part, $position } order by $part, $position, ID asc",
    "rows: S.Orders {ID: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))": [
    "SELECT from S.Items where amount > 1 order by order_ID asc, pos asc",
    "part: SELECT from S.Items where amount > 1 order by order_ID asc, pos asc; rows: S.Items",
    "part: SELECT from S.Items where pos > 1 order by order_ID asc, pos asc; rows: S.Items",
    "rows: S.Items",
  ],
  "Items?$apply=filter(pos gt 2)/concat(filter(amount gt 1),aggregate($count as n))": [
    "SELECT from S.Items where pos > 2 and amount > 1 order by order_ID asc, pos asc",
    "part: SELECT from S.Items where pos > 2 and amount > 1 order by order_ID asc, pos asc; rows: S.Items",
    "part: SELECT from S.Items { count(*) as n } where pos > 2; rows: S.Items {n: Int64}",
    "rows: S.Items",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$expand=order($select=ID)": [
    "SELECT from S.Items { *, order { ID } } where amount > 1 order by order_ID asc, pos asc",
    "part: SELECT from S.Items { *, order { ID } } where amount > 1 order by order_ID asc, pos asc; rows: S.Items expand order(S.Orders select ID)",
    "part: SELECT from S.Items { *, order { ID } } where pos > 1 order by order_ID asc, pos asc; rows: S.Items expand order(S.Orders select ID)",
    "rows: S.Items",
  ],
  "Items?$apply=concat(filter(amount gt 1),aggregate($count as n))&$expand=order": [
    "501 $expand of groups with concat is not implemented (offset 64)",
  ],
  "Items?$apply=concat(filter(amount gt 1),groupby((pos)))&$expand=order": [
    "501 $expand of groups with concat is not implemented (offset 56)",
  ],
  "Items?$apply=concat(filter(amount gt 1),concat(identity,identity))&$expand=order": [
    "501 $expand of groups with concat is not implemented (offset 67)",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$filter=pos lt 9": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { order_ID as order_ID, pos as pos, amount as amount, $part, $position } where pos < 9 order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {order_ID: Integer of Integer in 0,1, pos: Integer of Integer in 0,1, amount: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$top=1": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { order_ID as order_ID, pos as pos, amount as amount, $part, $position } order by $part, $position, order_ID asc, pos asc limit 1",
    "rows: S.Items {order_ID: Integer of Integer in 0,1, pos: Integer of Integer in 0,1, amount: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$orderby=pos": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { order_ID as order_ID, pos as pos, amount as amount, $part, $position } order by pos asc nulls first, order_ID asc, pos asc",
    "rows: S.Items {order_ID: Integer of Integer in 0,1, pos: Integer of Integer in 0,1, amount: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$count=true": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { order_ID as order_ID, pos as pos, amount as amount, $part, $position } order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {order_ID: Integer of Integer in 0,1, pos: Integer of Integer in 0,1, amount: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$select=pos": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { pos as pos, $part, $position } order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {pos: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),filter(pos gt 1))&$compute=pos add 1 as more": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { order_ID as order_ID, pos as pos, amount as amount, cast(pos, cds.Int64) + 1 as more, $part, $position } order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {order_ID: Integer of Integer in 0,1, pos: Integer of Integer in 0,1, amount: Integer of Integer in 0,1, more: Int64}",
  ],
  "Items?$apply=concat(top(1),filter(pos gt 1))": [
    "SELECT from (SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount } limit 1) { order_ID as order_ID, pos as pos, amount as amount, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, 1 as $part, cast(null, cds.Integer) as $position } where pos > 1) { order_ID as order_ID, pos as pos, amount as amount, $part, $position } order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {order_ID: Integer of Integer in 0,1, pos: Integer of Integer in 0,1, amount: Integer of Integer in 0,1}",
  ],
  "Items?$apply=concat(aggregate($count as n),aggregate(amount with sum as s))": [
    "SELECT from (SELECT from (SELECT from S.Items { count(*) as n }) { n as n, cast(null, cds.Integer) as s, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Items { sum(amount) as s }) { cast(null, cds.Int64) as n, s as s, 1 as $part, cast(null, cds.Integer) as $position }) { n as n, s as s, $part, $position } order by $part, $position",
    "rows: S.Items {n: Int64 in 0, s: Integer in 1}",
  ],
  "Items?$apply=concat(aggregate($count as n),concat(aggregate(amount with sum as s),groupby((pos))))": [
    "SELECT from (SELECT from (SELECT from S.Items { count(*) as n }) { n as n, cast(null, cds.Integer) as s, cast(null, cds.Integer) as pos, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from (SELECT from (SELECT from S.Items { sum(amount) as s }) { s as s, cast(null, cds.Integer) as pos, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Items { pos as pos } group by pos) { cast(null, cds.Integer) as s, pos as pos, 1 as $part, cast(null, cds.Integer) as $position }) { s as s, pos as pos, $part, $position, $part as $order2_0, $position as $order2_1 }) { cast(null, cds.Int64) as n, s as s, pos as pos, $part + 1 as $part, row_number() over (order by (case when $order2_0 is null then 0 else 1 end) , $order2_0 asc , (case when $order2_1 is null then 0 else 1 end) , $order2_1 asc , (case when pos is null then 0 else 1 end) , pos asc) as $position }) { n as n, s as s, pos as pos, $part, $position } order by $part, $position, pos asc",
    "rows: S.Items {n: Int64 in 0, s: Integer in 1, pos: Integer of Integer in 2}",
  ],
  "Items?$apply=nest(filter(amount gt 1) as large,aggregate($count as n) as all)": [
    "SELECT from S.Items where amount > 1 order by order_ID asc, pos asc",
    "part large: SELECT from S.Items where amount > 1 order by order_ID asc, pos asc; rows: S.Items",
    "part all: SELECT from S.Items { count(*) as n }; rows: S.Items {n: Int64}",
    "rows: S.Items",
  ],
  "Items?$apply=filter(pos gt 1)/nest(identity as x,groupby((pos)) as y)": [
    "SELECT from S.Items where pos > 1 order by order_ID asc, pos asc",
    "part x: SELECT from S.Items where pos > 1 order by order_ID asc, pos asc; rows: S.Items",
    "part y: SELECT from S.Items { pos as pos } where pos > 1 group by pos order by pos asc; rows: S.Items {pos: Integer of Integer}",
    "rows: S.Items",
  ],
  "Items?$apply=nest(identity as x)&$select=x": [
    "501 An option behind nest in $apply is not implemented (offset 13)",
  ],
  "Items?$apply=nest(identity as x)&$compute=1 as y": [
    "501 An option behind nest in $apply is not implemented (offset 13)",
  ],
  "Items?$apply=nest(identity as x)&$expand=x": [
    "501 An option behind nest in $apply is not implemented (offset 13)",
  ],
  "Items?$apply=nest(identity as x)&$count=true": [
    "501 An option behind nest in $apply is not implemented (offset 13)",
  ],
  "Items?$apply=nest(identity as x,identity as x)": [
    "400 The names of nest are not distinct (offset 13)",
  ],
  "Items?$apply=nest(identity as x,top(1) as y)": [
    "501 Bounds at the end of a sequence in nest is not implemented (offset 13)",
  ],
  "Items?$apply=addnested(parts,filter(size gt 1) as large)&$select=pos": [
    "SELECT from S.Items as $row1 { pos, order_ID, parts { * } as large } order by order_ID asc, pos asc",
    "nested large: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } where size > 1 order by ID asc",
    "rows: S.Items select pos,order_ID expand large(S.Parts)",
  ],
  "Items?$apply=addnested(parts,filter(size gt 1) as large)&$expand=order($select=ID)": [
    "SELECT from S.Items as $row1 { *, order { ID }, parts { * } as large } order by order_ID asc, pos asc",
    "nested large: SELECT from S.Items[order_ID = $row1.order_ID and pos = $row1.pos].parts { * } where size > 1 order by ID asc",
    "rows: S.Items expand order(S.Orders select ID), large(S.Parts)",
  ],
  "Items/$count?$apply=filter(pos gt 1)&$filter=amount gt 1": [
    "SELECT one from S.Items { count(*) as $count } where pos > 1 and amount > 1",
    "rows: none",
  ],
  "Items/$count?$apply=top(3)&$filter=amount gt 1": [
    "SELECT one from S.Items { count(*) as $count } where (order_ID, pos) in (SELECT from S.Items { order_ID, pos } limit 3) and amount > 1",
    "rows: none",
  ],
  "Items/$count?$apply=groupby((pos),aggregate($count as n))&$filter=n gt 1": [
    "SELECT one from (SELECT from S.Items { pos as pos, count(*) as n } group by pos) { count(*) as $count } where n > 1",
    "rows: none",
  ],
  "Items/$count?$apply=search(x)": [
    "SELECT one from S.Items { count(*) as $count } search 'x'",
    "rows: none",
  ],
  "Items/$count?$apply=identity&$search=x": [
    "501 $search with $apply and /$count is not implemented (offset 29)",
  ],
  "Items?$apply=top(2)": [
    "SELECT from S.Items order by order_ID asc, pos asc limit 2",
    "rows: S.Items",
  ],
  "Items?$apply=skip(2)": [
    "SELECT from S.Items order by order_ID asc, pos asc limit 1000 offset 2",
    "rows: S.Items",
  ],
  "Items?$apply=skip(1)/top(2)&$select=pos": [
    "SELECT from S.Items { pos, order_ID } order by order_ID asc, pos asc limit 2 offset 1",
    "rows: S.Items select pos,order_ID",
  ],
  "Items?$apply=top(2)&$top=1": [
    "SELECT from S.Items where (order_ID, pos) in (SELECT from S.Items { order_ID, pos } limit 2) order by order_ID asc, pos asc limit 1",
    "rows: S.Items",
  ],
  "Items?$apply=top(2)&$skip=1": [
    "SELECT from S.Items where (order_ID, pos) in (SELECT from S.Items { order_ID, pos } limit 2) order by order_ID asc, pos asc limit 1000 offset 1",
    "rows: S.Items",
  ],
  "Items?$apply=orderby(amount)/top(2)&$orderby=pos": [
    "SELECT from S.Items where (order_ID, pos) in (SELECT from S.Items { order_ID, pos } order by amount asc nulls first limit 2) order by pos asc, order_ID asc",
    "rows: S.Items",
  ],
  "Items?$apply=orderby(amount)&$orderby=pos": [
    "SELECT from S.Items order by pos asc, order_ID asc",
    "rows: S.Items",
  ],
  "Items?$apply=orderby(amount)": [
    "SELECT from S.Items order by amount asc nulls first, order_ID asc, pos asc",
    "rows: S.Items",
  ],
  "Items?$apply=orderby(amount)&$top=1": [
    "SELECT from S.Items order by amount asc nulls first, order_ID asc, pos asc limit 1",
    "rows: S.Items",
  ],
  "Items?$apply=search(x)&$search=y": [
    "SELECT from S.Items where 1 = 0 search 'x' order by order_ID asc, pos asc",
    "rows: S.Items",
  ],
  "Orders?$apply=search(x)&$search=y&$select=ID": [
    "SELECT from S.Orders { ID } where contains(tolower(coalesce(city, '')), tolower('y')) or contains(tolower(coalesce(address.street, '')), tolower('y')) or contains(tolower(coalesce(address.zip, '')), tolower('y')) search 'x' order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=search(x)&$select=ID": [
    "SELECT from S.Orders { ID } search 'x' order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=filter(amount gt 1)&$search=y&$filter=low lt 2&$select=ID": [
    "SELECT from S.Orders { ID } where amount > 1 and low < 2 search 'y' order by ID asc",
    "rows: S.Orders select ID",
  ],
  "Items?$apply=groupby((pos))&$search=x": [
    "501 $search with $apply is not implemented (offset 28)",
  ],
  "Items?$apply=groupby((pos),aggregate($count as n))&$select=n&$orderby=n desc&$top=3&$skip=1": [
    "SELECT from S.Items { count(*) as n } group by pos order by count(*) desc, pos asc limit 3 offset 1",
    "rows: S.Items {n: Int64}",
  ],
  "Items?$apply=groupby((pos),aggregate($count as n))/topcount(2,n)&$select=n": [
    "SELECT from S.Items { count(*) as n } group by pos order by count(*) desc, pos asc limit 2",
    "rows: S.Items {n: Int64}",
  ],
  "Items?$apply=groupby((pos),aggregate($count as n))/skip(2)": [
    "SELECT from S.Items { pos as pos, count(*) as n } group by pos order by pos asc limit 1000 offset 2",
    "rows: S.Items {pos: Integer of Integer, n: Int64}",
  ],
  "Items?$apply=groupby((pos),aggregate($count as n))/topcount(2,n)&$filter=n gt 1": [
    "SELECT from (SELECT from S.Items { pos as pos, count(*) as n, count(*) as $order0_0 } group by pos order by count(*) desc limit 2) { pos as pos, n as n, $order0_0 } where n > 1 order by $order0_0 desc, pos asc",
    "rows: S.Items {pos: Integer of Integer, n: Int64}",
  ],
  "Bare?$apply=top(2)": [
    "SELECT from S.Bare order by  limit 2",
    "rows: S.Bare",
  ],
  "Bare?$apply=top(2)&$filter=amount gt 1": [
    "SELECT from (SELECT from S.Bare { city as city, amount as amount } limit 2) { city as city, amount as amount } where amount > 1",
    "rows: S.Bare {city: String of String, amount: Integer of Integer}",
  ],
  "Bare?$apply=top(2)/filter(amount gt 1)": [
    "SELECT from (SELECT from S.Bare { city as city, amount as amount } limit 2) { city as city, amount as amount } where amount > 1",
    "rows: S.Bare {city: String of String, amount: Integer of Integer}",
  ],
  "Items?$apply=join(parts as p)&$select=pos": [
    "SELECT from S.Items { pos as pos } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "rows: S.Items {pos: Integer of Integer}",
  ],
  "Items?$apply=join(parts as p)&$expand=p": [
    "SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, parts.ID as p_ID, parts.size as p_size, parts.item_order_ID as p_item_order_ID, parts.item_pos as p_item_pos } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "rows: S.Items {order_ID: Integer of Integer, pos: Integer of Integer, amount: Integer of Integer, p/ID from p_ID: Integer of Integer null at 1 without p_ID, p/size from p_size: Integer of Integer null at 1 without p_ID, p/item_order_ID from p_item_order_ID: Integer of Integer null at 1 without p_ID, p/item_pos from p_item_pos: Integer of Integer null at 1 without p_ID}",
  ],
  "Items?$apply=join(parts as p)&$expand=*": [
    "SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, parts.ID as p_ID, parts.size as p_size, parts.item_order_ID as p_item_order_ID, parts.item_pos as p_item_pos } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "group: order by order_ID = ID: SELECT from S.Orders { all } (localized) (bounded)",
    "rows: S.Items {order_ID: Integer of Integer, pos: Integer of Integer, amount: Integer of Integer, p/ID from p_ID: Integer of Integer null at 1 without p_ID, p/size from p_size: Integer of Integer null at 1 without p_ID, p/item_order_ID from p_item_order_ID: Integer of Integer null at 1 without p_ID, p/item_pos from p_item_pos: Integer of Integer null at 1 without p_ID} expand order(S.Orders)",
  ],
  "Items?$apply=join(parts as p)&$expand=*,p($select=size)&$select=pos": [
    "SELECT from S.Items { pos as pos, parts.size as p_size, parts.ID as p_ID, order_ID as order_ID } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "group: order by order_ID = ID: SELECT from S.Orders { all } (localized) (bounded)",
    "rows: S.Items {pos: Integer of Integer, p/size from p_size: Integer of Integer null at 1 without p_ID} expand order(S.Orders)",
  ],
  "Items?$apply=join(parts as p)&$expand=p($select=size)": [
    "SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, parts.size as p_size, parts.ID as p_ID } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "rows: S.Items {order_ID: Integer of Integer, pos: Integer of Integer, amount: Integer of Integer, p/size from p_size: Integer of Integer null at 1 without p_ID}",
  ],
  "Items?$apply=join(parts as p)&$expand=p($select=*)": [
    "SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, parts.ID as p_ID, parts.size as p_size, parts.item_order_ID as p_item_order_ID, parts.item_pos as p_item_pos } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "rows: S.Items {order_ID: Integer of Integer, pos: Integer of Integer, amount: Integer of Integer, p/ID from p_ID: Integer of Integer null at 1 without p_ID, p/size from p_size: Integer of Integer null at 1 without p_ID, p/item_order_ID from p_item_order_ID: Integer of Integer null at 1 without p_ID, p/item_pos from p_item_pos: Integer of Integer null at 1 without p_ID}",
  ],
  "Items?$apply=join(parts as p)&$expand=p($select=nope)": [
    '400 "p" has no property "nope" (offset 48)',
  ],
  "Items?$apply=join(parts as p)&$expand=p($select=siz)": [
    '400 "p" has no property "siz" (offset 48); did you mean "size"?',
  ],
  "Items?$apply=join(parts as p)&$expand=p($filter=size gt 1)": [
    '501 $filter in $expand of "p" is not implemented (offset 40)',
  ],
  "Items?$apply=join(parts as p)&$expand=p($top=1)": [
    "400 The option $top is not allowed for a single expanded entity (offset 40)",
  ],
  "Items?$apply=join(parts as p)&$expand=p/item": [
    '501 This path in $expand of "p" is not implemented (offset 38)',
  ],
  "Items?$apply=join(parts as p)&$expand=p/$ref": [
    '501 This path in $expand of "p" is not implemented (offset 38)',
  ],
  "Items?$apply=join(parts as p)&$expand=p,order($select=ID)": [
    "SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, parts.ID as p_ID, parts.size as p_size, parts.item_order_ID as p_item_order_ID, parts.item_pos as p_item_pos } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "group: order by order_ID = ID: SELECT from S.Orders { ID } (localized) (bounded)",
    "rows: S.Items {order_ID: Integer of Integer, pos: Integer of Integer, amount: Integer of Integer, p/ID from p_ID: Integer of Integer null at 1 without p_ID, p/size from p_size: Integer of Integer null at 1 without p_ID, p/item_order_ID from p_item_order_ID: Integer of Integer null at 1 without p_ID, p/item_pos from p_item_pos: Integer of Integer null at 1 without p_ID} expand order(S.Orders select ID)",
  ],
  "Items?$apply=join(parts as p)&$select=pos,p/size": [
    "SELECT from S.Items { pos as pos, parts.size as p_size, parts.ID as p_ID } where parts.ID is not null order by order_ID asc, pos asc, parts.ID asc",
    "rows: S.Items {pos: Integer of Integer, p/size from p_size: Integer of Integer null at 1 without p_ID}",
  ],
  "Orders?$apply=join(pair as p)&$expand=p($select=a)&$select=ID": [
    "SELECT from S.Orders { ID as ID, pair.a as p_a, pair.b as p_b } where pair.a is not null order by ID asc, pair.a asc, pair.b asc",
    "rows: S.Orders {ID: Integer of Integer, p/a from p_a: Integer of Integer null at 1 without p_a,p_b}",
  ],
  "Orders?$apply=outerjoin(buyer as b)/filter(b/name eq 'x')&$select=ID&$orderby=b/name": [
    "SELECT from S.Orders { ID as ID } where (buyer.ID is null or buyer.ID is not null) and buyer.name = 'x' order by buyer.name asc nulls first, ID asc, buyer.ID asc",
    "rows: S.Orders {ID: Integer of Integer}",
  ],
  "Items(order_ID=1,pos=2)?$apply=identity": [
    "400 The option $apply is not allowed for a single entity (offset 24)",
  ],
  "Items?$apply=concat(filter(amount gt 1),aggregate($count as n))&$select=n": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, cast(null, cds.Int64) as n, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from (SELECT from S.Items { count(*) as n }) { cast(null, cds.Integer) as order_ID, cast(null, cds.Integer) as pos, cast(null, cds.Integer) as amount, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { n as n, $part, $position } order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {n: Int64 in 1}",
  ],
  "Items?$apply=concat(filter(amount gt 1),aggregate($count as n))&$filter=n gt 1": [
    "SELECT from (SELECT from S.Items { order_ID as order_ID, pos as pos, amount as amount, cast(null, cds.Int64) as n, 0 as $part, cast(null, cds.Integer) as $position } where amount > 1 union all SELECT from (SELECT from S.Items { count(*) as n }) { cast(null, cds.Integer) as order_ID, cast(null, cds.Integer) as pos, cast(null, cds.Integer) as amount, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { order_ID as order_ID, pos as pos, amount as amount, n as n, $part, $position } where n > 1 order by $part, $position, order_ID asc, pos asc",
    "rows: S.Items {order_ID: Integer of Integer in 0, pos: Integer of Integer in 0, amount: Integer of Integer in 0, n: Int64 in 1}",
  ],
  "Items?$apply=concat(aggregate(amount with sum as s),aggregate($count as n))&$compute=n add 1 as more&$select=more":
    [
      "SELECT from (SELECT from (SELECT from S.Items { sum(amount) as s }) { s as s, cast(null, cds.Int64) as n, 0 as $part, cast(null, cds.Integer) as $position } union all SELECT from (SELECT from S.Items { count(*) as n }) { cast(null, cds.Integer) as s, n as n, 1 as $part, cast(null, cds.Integer) as $position }) { n + 1 as more, $part, $position } order by $part, $position",
      "rows: S.Items {more: Int64}",
    ],
  "Bare?$apply=top(2)&$orderby=city": [
    "SELECT from (SELECT from S.Bare { city as city, amount as amount } limit 2) { city as city, amount as amount } order by city asc nulls first",
    "rows: S.Bare {city: String of String, amount: Integer of Integer}",
  ],
};

Deno.test("options behind $apply see its rows: bounds come first, concat and nest may be queries of their own (Data Aggregation 3)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
