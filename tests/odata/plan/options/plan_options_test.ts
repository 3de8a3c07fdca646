import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Cars?$orderby=name,owner/name desc,address/street,tags/$count&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by name asc nulls first, owner.name desc nulls last, address_street asc nulls first, $size(tags) asc, ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$orderby=owner": [
    "400 A primitive value is expected (offset 14)",
  ],
  "Cars?$orderby=tags": [
    "400 A primitive value is expected (offset 14)",
  ],
  "Cars?$orderby=address": [
    "400 A primitive value is expected (offset 14)",
  ],
  "Cars?$orderby=colour,size desc,ready&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by colour asc nulls first, size desc nulls last, ready asc nulls first, ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$orderby=ID desc,name&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID desc, name asc nulls first",
    "rows: S.Cars select ID",
  ],
  "Cars?$orderby=name,name&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by name asc nulls first, name asc nulls first, ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$compute=price mul 2 as twice,twice add 1 as more&$select=more&$orderby=twice&$filter=more gt 1": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, $decimal_add($decimal_mul(price, cast(2, cds.Decimal)), cast(1, cds.Decimal)) as more } where $decimal_add($decimal_mul(price, cast(2, cds.Decimal)), cast(1, cds.Decimal)) > cast(1, cds.Decimal) order by $decimal_mul(price, cast(2, cds.Decimal)) asc nulls first, ID asc",
    "rows: S.Cars select more,ID compute more",
  ],
  "Cars?$compute=owner/name as who&$expand=owner($compute=name as n;$select=n)&$select=who": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner.name as who, owner { ID, name as n } } order by ID asc",
    "rows: S.Cars select who,ID compute who expand owner(S.People select n,ID compute n)",
  ],
  "Cars?$compute=price as name": [
    '400 The name "name" is taken (offset 14)',
  ],
  "Cars?$compute=price as owner": [
    '400 The name "owner" is taken (offset 14)',
  ],
  "Cars?$compute=price as NAME": [
    '400 The name "NAME" is taken (offset 14)',
  ],
  "Cars?$compute=price as p,price as P": [
    '400 The name "P" is taken (offset 25)',
  ],
  "Cars?$compute=ready and true as yes&$select=yes": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, cast(ready = true and 1 = 1, cds.Boolean) as yes } order by ID asc",
    "rows: S.Cars select yes,ID compute yes",
  ],
  "Cars?$compute=null as nothing&$select=nothing": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, null as nothing } order by ID asc",
    "rows: S.Cars select nothing,ID compute nothing",
  ],
  "Cars?$search=a AND NOT b&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } search 'a' and not 'b' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$search=a OR (b AND c)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } search 'a' or ('b' and 'c') order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$search="a b" c&$select=ID': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } search 'a b' and 'c' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$top=0&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc limit 0",
    "rows: S.Cars select ID",
  ],
  "Cars?$top=5&$skip=0&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc limit 5 offset 0",
    "rows: S.Cars select ID",
  ],
  "Cars?$skip=3&$count=true&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc limit 1000 offset 3",
    "rows: S.Cars select ID",
  ],
  "Cars?$top=99999999999&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$skip=99999999999&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc limit 1000 offset 99999999999",
    "rows: S.Cars select ID",
  ],
  "Cars/$count?$filter=price gt 1&$search=x": [
    "count; S.Cars at Cars/$count; S.Cars",
    "SELECT one from S.Cars { count(*) as $count } where price > 1 search 'x'",
    "rows: none",
  ],
  "Cars/$count?$top=1": [
    "400 The option $top is not allowed for /$count (offset 12)",
  ],
  "Cars/$count?$orderby=name": [
    "400 The option $orderby is not allowed for /$count (offset 12)",
  ],
  "Cars/$count?$compute=price add 1 as more&$filter=more gt 1": [
    "count; S.Cars at Cars/$count; S.Cars",
    "SELECT one from S.Cars { count(*) as $count } where $decimal_add(price, cast(1, cds.Decimal)) > cast(1, cds.Decimal)",
    "rows: none",
  ],
  "Cars(1)?$select=name&$expand=owner": [
    "entity; S.Cars at Cars(1); S.Cars",
    "SELECT one from S.Cars[ID = 1] { name, ID, kind, owner { * } }",
    "rows: S.Cars select name,ID expand owner(S.People)",
  ],
  "Cars(1)?$filter=true": [
    "400 The option $filter is not allowed for a single entity (offset 8)",
  ],
  "Cars(1)?$top=1": [
    "400 The option $top is not allowed for a single entity (offset 8)",
  ],
  "Cars(1)?$count=true": [
    "400 The option $count is not allowed for a single entity (offset 8)",
  ],
  "Cars(1)/name?$select=x": [
    "property; S.Cars at Cars(1)/name; S.Cars; property name",
    "SELECT one from S.Cars[ID = 1] { name }",
    "rows: none",
  ],
  "Cars(1)/name?$filter=true": [
    "400 The option $filter is not allowed for a single value (offset 13)",
  ],
  "Cars(1)/address?$select=street": [
    "property; S.Cars at Cars(1)/address; S.Cars; property address; of address_street,address_geo_lat,address_geo_lon at 1",
    "SELECT one from S.Cars[ID = 1] { address_street, address_geo_lat, address_geo_lon }",
    "rows: members address{street}",
  ],
  "Cars(1)/address?$select=geo/lat": [
    "property; S.Cars at Cars(1)/address; S.Cars; property address; of address_street,address_geo_lat,address_geo_lon at 1",
    "SELECT one from S.Cars[ID = 1] { address_street, address_geo_lat, address_geo_lon }",
    "rows: members address{geo{lat}}",
  ],
  "Cars(1)/address?$select=nope": [
    '400 "address" has no property "nope" (offset 24)',
  ],
  "Cars(1)/address?$expand=owner": [
    "501 $expand of a property is not implemented (offset 16)",
  ],
  "Cars(1)/address?$compute=street as x&$select=x": [
    "property; S.Cars at Cars(1)/address; S.Cars; property address; of address_street,address_geo_lat,address_geo_lon at 1",
    "SELECT one from S.Cars[ID = 1] { address_street, address_geo_lat, address_geo_lon, address_street as ![address@compute.x] }",
    "rows: members address{x} and x: cds.String",
  ],
  "Cars(1)/tags?$filter=$it eq 'x'&$orderby=$it desc&$top=2&$skip=1&$count=true": [
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags; values",
    "SELECT one from S.Cars[ID = 1] { $filtered(tags, $by_code_points(cast($member($item1.value), cds.String)) = 'x', name'$item1', ($by_code_points(cast($member($item1.value), cds.String))), (2, 1)) as tags, $count(tags, $by_code_points(cast($member($item2.value), cds.String)) = 'x', name'$item2') as ![tags@odata.count] }",
    "rows: none",
  ],
  "Cars(1)/tags?$search=x": [
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags; values",
    "SELECT one from S.Cars[ID = 1] { $filtered(tags, contains(tolower(coalesce($by_code_points(cast($member($item1.value), cds.String)), '')), tolower('x')), name'$item1', (), (null, null)) as tags }",
    "rows: none",
  ],
  "Cars(1)/tags?$select=x": [
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags; values",
    "SELECT one from S.Cars[ID = 1] { tags }",
    "rows: none",
  ],
  "Cars(1)/spots?$filter=floor gt 1&$select=city,inner&$orderby=floor": [
    "property (collection); S.Cars at Cars(1)/spots; S.Cars; property spots; values",
    "SELECT one from S.Cars[ID = 1] { $filtered(spots, cast($member($item1.value, name'floor'), cds.Integer) > 1, name'$item1', (cast($member($item1.value, name'floor'), cds.Integer)), (null, null)) as spots }",
    "rows: members spots{city, inner}",
  ],
  "Cars(1)/spots?$compute=floor add 1 as up&$select=up&$filter=up gt 2": [
    "property (collection); S.Cars at Cars(1)/spots; S.Cars; property spots; values",
    "SELECT one from S.Cars[ID = 1] { $filtered(spots, (cast($member($item1.value, name'floor'), cds.Integer) + 1) > 2, name'$item1', (), (null, null), (name'up', cast($member($item1.value, name'floor'), cds.Integer) + 1)) as spots }",
    "rows: members spots{up} and up: cds.Int64",
  ],
  "Cars(1)/spots?$select=nope": [
    '400 "items" has no property "nope" (offset 22)',
  ],
  "Cars(1)/spots/0?$select=city": [
    "property; S.Cars at Cars(1)/spots/0; S.Cars; property spots inside 0",
    "SELECT one from S.Cars[ID = 1] { spots }",
    "rows: members spots{city}",
  ],
  "Cars(1)/spots/0?$compute=floor add 1 as up": [
    "property; S.Cars at Cars(1)/spots/0; S.Cars; property spots inside 0",
    "SELECT one from S.Cars[ID = 1] { spots, cast($member(spots, 0, name'floor'), cds.Integer) + 1 as ![spots@compute.up] }",
    "rows: members spots and up: cds.Int64",
  ],
  "Cars(1)/tags/$count?$filter=$it eq 'x'": [
    "count; S.Cars at Cars(1)/tags; S.Cars; property tags; values",
    "SELECT one from S.Cars[ID = 1] { $count(tags, $by_code_points(cast($member($item1.value), cds.String)) = 'x', name'$item1') as $count }",
    "rows: none",
  ],
  "Cars/$ref?$filter=price gt 1&$orderby=name&$top=2": [
    "ref (collection); S.Cars at Cars/$ref; S.Cars",
    "SELECT from S.Cars { ID } where price > 1 order by name asc nulls first, ID asc limit 2",
    "rows: S.Cars select ID",
  ],
  "Cars/$ref?$select=name": [
    "400 The option $select is not allowed for /$ref of a collection (offset 10)",
  ],
  "Cars/$each?$filter=true": [
    '400 The option $filter is not allowed for /$each; "/$filter(…)" in the path chooses members (offset 11)',
  ],
  "Cars(1)/$ref?$filter=true": [
    "400 The option $filter is not allowed for /$ref of a single entity (offset 13)",
  ],
  "Home?$select=limit&$expand=car($select=name)": [
    "entity; S.Home at Home; S.Home",
    "SELECT one from S.Home { limit, ID, car { name, ID, kind } }",
    "rows: S.Home select limit,ID expand car(S.Cars select name,ID)",
  ],
  "Home?$filter=true": [
    "400 The option $filter is not allowed for a single entity (offset 5)",
  ],
  "PATCH Cars(1)?$select=name&$expand=owner($select=name)": [
    "entity; S.Cars at Cars(1); S.Cars",
    "SELECT one from S.Cars[ID = 1] { name, ID, kind, owner { name, ID } }",
    "rows: S.Cars select name,ID expand owner(S.People select name,ID)",
  ],
  "POST Cars?$select=name": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { name, ID, kind }",
    "rows: S.Cars select name,ID",
  ],
  "POST Cars?$filter=true": [
    "400 The option $filter is not allowed for a request that changes data (offset 5)",
  ],
  "PATCH Cars(1)/name?$select=x": [
    "property; S.Cars at Cars(1)/name; S.Cars; property name",
    "SELECT one from S.Cars[ID = 1] { name }",
    "rows: none",
  ],
  "DELETE Cars(1)?$select=name": [
    "entity; S.Cars at Cars(1); S.Cars",
    "SELECT one from S.Cars[ID = 1] { name, ID, kind }",
    "rows: S.Cars select name,ID",
  ],
  "PATCH Cars?$filter=price gt 1": [
    "400 The option $filter is not allowed for a request that changes data (offset 5)",
  ],
  "PATCH Cars/$each?$filter=price gt 1": [
    '400 The option $filter is not allowed for /$each; "/$filter(…)" in the path chooses members (offset 11)',
  ],
  "DELETE Cars/$filter(price gt 1)/$each": [
    "each (collection); S.Cars at Cars/$each; S.Cars",
    "SELECT from S.Cars[price > 1] { all }",
    "rows: S.Cars",
  ],
  "GET Cars?$format=json&sap-language=DE&$select=ID": [
    'entitySet (collection); S.Cars at Cars; S.Cars; {"sap-language":"DE"}',
    "SELECT from S.Cars { ID, kind } order by ID asc",
    "rows: S.Cars select ID",
  ],
  "GET Cars?$index=1": [
    "400 $index needs a request that adds to an ordered collection (offset 5)",
  ],
  "GET Cars?$levels=1": [
    '400 Syntax error at offset 5: found "$levels", expected a known query option',
  ],
  "GET Cars?$nope=1": [
    '400 Syntax error at offset 5: found "$nope", expected a known query option; did you mean "$top"?',
  ],
  "GET Cars?$select=ID&$select=name": [
    '400 Syntax error at offset 16: found "$select", expected each option once',
  ],
  "$all?$select=ID": [
    "400 The option $select is not allowed for $all (offset 5)",
  ],
  "$all?$top=2": [
    "all (collection)",
    "set Cars: SELECT from S.Cars { all } order by ID asc limit 2 offset 0; rows: S.Cars",
    "set People: SELECT from S.People order by ID asc limit 2 offset 0; rows: S.People",
    "set Trips: SELECT from S.Trips order by car_ID asc, no asc limit 2 offset 0; rows: S.Trips",
    "set Home: SELECT from S.Home order by ID asc limit 2 offset 0; rows: S.Home",
    "set Files: SELECT from S.Files { ID, name } order by ID asc limit 2 offset 0; rows: S.Files",
    "set Films: SELECT from S.Films order by ID asc limit 2 offset 0; rows: S.Films",
    "set Songs: SELECT from S.Songs { ID } order by ID asc limit 2 offset 0; rows: S.Songs",
    "set Few: SELECT from S.Few order by ID asc limit 2 offset 0; rows: S.Few",
    "set Fewer: SELECT from S.Fewer order by ID asc limit 2 offset 0; rows: S.Fewer",
    "set Three: SELECT from S.Three order by ID asc limit 2 offset 0; rows: S.Three",
    "set Cheap: SELECT from S.Cheap order by ID asc limit 2 offset 0; rows: S.Cheap",
  ],
};

Deno.test("$compute, $orderby, $search and bounds order and extend what is read, each where it is allowed (URL 5.1)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
