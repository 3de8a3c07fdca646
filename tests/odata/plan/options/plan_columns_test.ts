import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Cars?$select=name,owner,address": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { name, owner_ID, address_street, address_geo_lat, address_geo_lon, ID, kind } order by ID asc",
    "rows: S.Cars select name,owner_ID,address,ID navigations owner",
  ],
  "Cars?$select=address/street,address/geo/lat": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { address_street, address_geo_lat, address_geo_lon, ID, kind } order by ID asc",
    "rows: S.Cars select address/street,address/geo/lat,ID",
  ],
  "Cars?$select=address($select=street)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { address_street, address_geo_lat, address_geo_lon, ID, kind } order by ID asc",
    "rows: S.Cars select address/street,ID",
  ],
  "Cars?$select=address/geo($select=lat)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { address_street, address_geo_lat, address_geo_lon, ID, kind } order by ID asc",
    "rows: S.Cars select address/geo/lat,ID",
  ],
  "Cars?$select=address/nope": [
    '400 "address" has no property "nope" (offset 13)',
  ],
  "Cars?$select=spot/inner/zip,spots/city,spots/inner/zip": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { spot_city, spot_floor, spot_rooms, spot_inner_zip, spots, ID, kind } order by ID asc",
    "rows: S.Cars select spot/inner/zip,spots,ID members spots{city, inner{zip}}",
  ],
  "Cars?$select=spots($select=city,inner/zip;$filter=floor gt 1;$orderby=city;$top=2;$skip=1;$count=true;$compute=floor add 1 as up)":
    [
      "entitySet (collection); S.Cars at Cars; S.Cars",
      "SELECT from S.Cars { $filtered(spots, cast($member($item1.value, name'floor'), cds.Integer) > 1, name'$item1', ($by_code_points(cast($member($item1.value, name'city'), cds.String))), (2, 1)) as spots, ID, kind, $count(spots, cast($member($item2.value, name'floor'), cds.Integer) > 1, name'$item2') as ![spots@odata.count] } order by ID asc",
      "rows: S.Cars select spots,ID members spots{city, inner{zip}} with count",
    ],
  "Cars?$select=spots($select=city;$compute=floor add 1 as up)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { spots, ID, kind } order by ID asc",
    "rows: S.Cars select spots,ID members spots{city}",
  ],
  "Cars?$select=spots($compute=floor add 1 as up;$select=up)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { $filtered(spots, 1 = 1, name'$item1', (), (null, null), (name'up', cast($member($item1.value, name'floor'), cds.Integer) + 1)) as spots, ID, kind } order by ID asc",
    "rows: S.Cars select spots,ID members spots{up} and up: cds.Int64",
  ],
  "Cars?$select=tags($filter=$it eq 'x';$count=true)": [
    "400 A primitive value is expected (offset 26)",
  ],
  "Cars?$select=tags($top=2;$count=true)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { $filtered(tags, 1 = 1, name'$item1', (), (2, null)) as tags, ID, kind, $size(tags) as ![tags@odata.count] } order by ID asc",
    "rows: S.Cars select tags,ID members tags with count",
  ],
  "Cars?$select=tags($search=x)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { $filtered(tags, contains(tolower(coalesce($by_code_points(cast($member($item1.value), cds.String)), '')), tolower('x')), name'$item1', (), (null, null)) as tags, ID, kind } order by ID asc",
    "rows: S.Cars select tags,ID members tags",
  ],
  "Cars?$select=name($top=1)": [
    "400 $top needs a collection (offset 18)",
  ],
  "Cars?$select=address($compute=street as x)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { address_street, address_geo_lat, address_geo_lon, ID, kind, address_street as ![address@compute.x] } order by ID asc",
    "rows: S.Cars select address,ID members address and x: cds.String",
  ],
  "Cars?$select=picture,name": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { name, ID, kind } order by ID asc",
    "rows: S.Cars select picture,name,ID",
  ],
  "Cars?$select=kind,S.Van/load": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { kind, load, ID } order by ID asc",
    "rows: S.Cars select kind,load,ID",
  ],
  "Cars?$select=load": [
    '400 "S.Cars" has no property "load" (offset 13)',
  ],
  "Cars?$select=S.Van/name": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { name, ID, kind } order by ID asc",
    "rows: S.Cars select name,ID",
  ],
  "Cars?$select=S.*": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=S.reach": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=*,owner": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { all } order by ID asc",
    "rows: S.Cars select ID,kind,name,load,beds,colour,marks,size,price,weight,short,whole,tiny,took,day,clock,at,since,code,guid,ready,note,extra,tags,spots,spot,address,picture,owner_ID,driver_ID navigations owner",
  ],
  "Cars?$select=trips": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } order by ID asc",
    "rows: S.Cars select ID navigations trips",
  ],
  "Cars?$select=trips/length": [
    '400 "trips" is a navigation property: $expand=trips($select=…) selects behind it (offset 13)',
  ],
  "Cars?$select=owner/name": [
    '400 "owner" is a navigation property: $expand=owner($select=…) selects behind it (offset 13)',
  ],
  "Cars?$expand=owner($select=name),trips($select=no)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { name, ID }, trips { no, car_ID } } order by ID asc",
    "rows: S.Cars select ID expand owner(S.People select name,ID), trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=*&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { * }, driver { * }, trips { * } } order by ID asc",
    "rows: S.Cars select ID expand owner(S.People), driver(S.People), trips(S.Trips)",
  ],
  "Cars?$expand=*/$ref&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { ID }, driver { ID }, trips { car_ID, no } } order by ID asc",
    "rows: S.Cars select ID expand owner/$ref(S.People select ID), driver/$ref(S.People select ID), trips/$ref(S.Trips select car_ID,no)",
  ],
  "Cars?$expand=*($levels=2)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { * }, driver { * }, trips { * } } order by ID asc",
    "rows: S.Cars select ID expand owner(S.People), driver(S.People), trips(S.Trips)",
  ],
  "Cars?$expand=*,owner($select=name)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, driver { * }, trips { * }, owner { name, ID } } order by ID asc",
    "rows: S.Cars select ID expand driver(S.People), trips(S.Trips), owner(S.People select name,ID)",
  ],
  "Cars?$expand=owner,owner&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { * } } order by ID asc",
    "rows: S.Cars select ID expand owner(S.People)",
  ],
  "Cars?$expand=S.Van/driver($select=name)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, driver { name, ID } } order by ID asc",
    "rows: S.Cars select ID expand driver of Van,Camper(S.People select name,ID)",
  ],
  "Cars?$expand=driver($select=name)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, driver { name, ID } } order by ID asc",
    "rows: S.Cars select ID expand driver(S.People select name,ID)",
  ],
  "Cars?$expand=trips/$count,owner/$ref&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, count(trips) as trips, owner { ID } } order by ID asc",
    "rows: S.Cars select ID expand trips/$count(S.Trips), owner/$ref(S.People select ID)",
  ],
  "Cars?$expand=trips/$count($filter=length gt 1)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, count(trips[length > 1]) as trips } order by ID asc",
    "rows: S.Cars select ID expand trips/$count(S.Trips)",
  ],
  "Cars?$expand=trips/$count($search=x)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, count(trips[1 = 0]) as trips } order by ID asc",
    "rows: S.Cars select ID expand trips/$count(S.Trips)",
  ],
  "Cars?$expand=owner/$count&$select=ID": [
    '400 "owner" is not a collection (offset 13)',
  ],
  "Cars?$expand=trips/$ref($top=1;$orderby=length)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { car_ID, no } order by length asc nulls first, car_ID asc, no asc limit 1 } order by ID asc",
    "rows: S.Cars select ID expand trips/$ref(S.Trips select car_ID,no)",
  ],
  "Cars?$expand=trips($filter=length gt 1;$orderby=length desc;$top=2;$skip=1;$count=true;$search=x;$select=no)&$select=ID":
    [
      "entitySet (collection); S.Cars at Cars; S.Cars",
      "SELECT from S.Cars { ID, kind, trips { no, car_ID } where length > 1 order by length desc nulls last, car_ID asc, no asc limit 2 offset 1 } order by ID asc",
      "rows: S.Cars select ID expand trips with count(S.Trips select no,car_ID)",
    ],
  "Cars?$expand=trips($count=true)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { * } } order by ID asc",
    "rows: S.Cars select ID expand trips with count(S.Trips)",
  ],
  "Cars?$expand=owner($filter=name eq 'x';$select=name)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { name, ID } where name = 'x' } order by ID asc",
    "rows: S.Cars select ID expand owner(S.People select name,ID)",
  ],
  "Cars?$expand=owner($top=1)&$select=ID": [
    "400 The option $top is not allowed for a single expanded entity (offset 19)",
  ],
  "Cars?$expand=owner/cars($select=name)&$select=ID": [
    '400 "S" has no type "cars" (offset 13); did you mean "S.Cars"?',
  ],
  "Cars?$expand=owner($expand=cars($expand=owner($select=name);$select=name);$select=name)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, owner { name, ID, cars { name, ID, kind, owner { name, ID } } } } order by ID asc",
    "rows: S.Cars select ID expand owner(S.People select name,ID expand cars(S.Cars select name,ID expand owner(S.People select name,ID)))",
  ],
  "People?$expand=cars/S.Van($select=name)&$select=name": [
    "entitySet (collection); S.People at People; S.People",
    "SELECT from S.People { name, ID, cars { name, ID, kind } where kind in ('Van', 'Camper') } order by ID asc",
    "rows: S.People select name,ID expand cars(S.Cars select name,ID)",
  ],
  "People?$expand=cars/S.Van/driver&$select=name": [
    '400 "cars/S.Van/driver" is no navigation property (offset 15)',
  ],
  "People?$expand=cars($levels=2)&$select=name": [
    "entitySet (collection); S.People at People; S.People",
    "SELECT from S.People { name, ID, cars { all } } order by ID asc",
    "rows: S.People select name,ID expand cars(S.Cars)",
  ],
  "People?$expand=best($levels=max)&$select=name": [
    "entitySet (collection); S.People at People; S.People",
    "SELECT from S.People { name, ID, best { all } } order by ID asc",
    "rows: S.People select name,ID expand best(S.Cars)",
  ],
  "Cars?$expand=picture": [
    "501 A stream in $expand is not implemented (offset 13)",
  ],
  "Cars?$expand=name": [
    '400 "S.Cars" has no navigation property "name" (offset 13)',
  ],
  "Cars?$expand=tags": [
    '400 "S.Cars" has no navigation property "tags" (offset 13)',
  ],
  "Cars?$expand=address": [
    '400 "S.Cars" has no navigation property "address" (offset 13)',
  ],
  "Cars?$expand=trips($apply=aggregate($count as n))&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars as $row1 { ID, kind, trips { * } as trips } order by ID asc",
    "nested trips: SELECT from S.Cars[ID = $row1.ID].trips { count(*) as n } order by ",
    "rows: S.Cars select ID expand trips(S.Trips {n: Int64})",
  ],
  "Cars?$select=spots($compute=floor add 1 as up;$select=up),spots/city": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { $filtered(spots, 1 = 1, name'$item1', (), (null, null), (name'up', cast($member($item1.value, name'floor'), cds.Integer) + 1)) as spots, ID, kind } order by ID asc",
    "rows: S.Cars select spots,ID members spots{up, city} and up: cds.Int64",
  ],
  "Cars?$select=spots/city,spots($select=floor)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { spots, ID, kind } order by ID asc",
    "rows: S.Cars select spots,ID members spots{city, floor}",
  ],
  "Cars?$select=spots/city,spots": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { spots, ID, kind } order by ID asc",
    "rows: S.Cars select spots,ID",
  ],
  "Cars?$select=spots($count=true),spots/city": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { spots, ID, kind, $size(spots) as ![spots@odata.count] } order by ID asc",
    "rows: S.Cars select spots,ID members spots with count",
  ],
  "People?$expand=cars/S.Van($filter=load gt 1;$select=load)&$select=name": [
    "entitySet (collection); S.People at People; S.People",
    "SELECT from S.People { name, ID, cars { load, ID, kind } where kind in ('Van', 'Camper') and load > 1 } order by ID asc",
    "rows: S.People select name,ID expand cars(S.Cars select load,ID)",
  ],
  "People?$expand=cars($filter=load gt 1)&$select=name": [
    '400 "S.Cars" has no property "load" (offset 28)',
  ],
  "Cars?$expand=trips($at=2024-01-01;$select=no)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { no, car_ID } } order by ID asc",
    "trips during {'from':{'exact':'2024-01-01T00:00:00.000Z','seconds':'2024-01-01T00:00:00Z','days':'2024-01-01'},'to':{'exact':'2024-01-01T00:00:00.001Z','seconds':'2024-01-01T00:00:01Z','days':'2024-01-02'}}",
    "rows: S.Cars select ID expand trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=trips($at=2024-02-29T10:00:00Z;$select=no)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { no, car_ID } } order by ID asc",
    "trips during {'from':{'exact':'2024-02-29T10:00:00.000Z','seconds':'2024-02-29T10:00:00Z','days':'2024-02-29'},'to':{'exact':'2024-02-29T10:00:00.001Z','seconds':'2024-02-29T10:00:01Z','days':'2024-03-01'}}",
    "rows: S.Cars select ID expand trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=trips($from=2024-01-01;$to=2024-02-01;$select=no)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { no, car_ID } } order by ID asc",
    "trips during {'from':{'exact':'2024-01-01T00:00:00.000Z','seconds':'2024-01-01T00:00:00Z','days':'2024-01-01'},'to':{'exact':'2024-02-01T00:00:00.000Z','seconds':'2024-02-01T00:00:00Z','days':'2024-02-01'}}",
    "rows: S.Cars select ID expand trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=trips($from=min;$toInclusive=2024-02-01;$select=no)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { no, car_ID } } order by ID asc",
    "trips during {'from':{'exact':{'val':'0001-01-01T00:00:00.000Z'},'seconds':{'val':'0001-01-01T00:00:00Z'},'days':{'val':'0001-01-01'}},'to':{'exact':'2024-02-02T00:00:00.000Z','seconds':'2024-02-02T00:00:00Z','days':'2024-02-02'}}",
    "rows: S.Cars select ID expand trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=trips($to=max;$select=no)&$select=ID": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { no, car_ID } } order by ID asc",
    "trips during {'from':{'exact':{'val':'0001-01-01T00:00:00.000Z'},'seconds':{'val':'0001-01-01T00:00:00Z'},'days':{'val':'0001-01-01'}},'to':{'exact':{'val':'9999-12-31T23:59:59.999Z'},'seconds':{'val':'9999-12-31T23:59:59Z'},'days':{'val':'9999-12-31'}}}",
    "rows: S.Cars select ID expand trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=trips($at=@t;$select=no)&$select=ID&@t=2024-01-01": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind, trips { no, car_ID } } order by ID asc",
    "trips during {'from':{'exact':'2024-01-01T00:00:00.000Z','seconds':'2024-01-01T00:00:00Z','days':'2024-01-01'},'to':{'exact':'2024-01-01T00:00:00.001Z','seconds':'2024-01-01T00:00:01Z','days':'2024-01-02'}}",
    "rows: S.Cars select ID expand trips(S.Trips select no,car_ID)",
  ],
  "Cars?$expand=trips($at=no;$select=no)&$select=ID": [
    "400 A date or a time is expected (offset 23)",
  ],
  "Cars?$expand=trips($at='x';$select=no)&$select=ID": [
    "400 A date or a time is expected (offset 23)",
  ],
};

Deno.test("$select and $expand name properties, parts of structures and collections, and related entities (URL 5.1.3 and 5.1.4)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
