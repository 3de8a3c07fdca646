import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Cars": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { all } order by ID asc",
    "rows: S.Cars",
  ],
  "Cars(1)": [
    "entity; S.Cars at Cars(1); S.Cars",
    "SELECT one from S.Cars[ID = 1] { all }",
    "rows: S.Cars",
  ],
  "Cars/1/name": [
    "property; S.Cars at Cars(1)/name; S.Cars; property name",
    "SELECT one from S.Cars[ID = 1] { name }",
    "rows: none",
  ],
  "Cars(1)/owner/cars/2/trips/3": [
    "entity; S.Cars/owner/cars/trips at Cars(1)/owner/cars(2)/trips(car_ID=2,no=3); S.Trips",
    "SELECT one from S.Cars[ID = 1].owner.cars[ID = 2].trips[car_ID = 2 and no = 3]",
    "rows: S.Trips",
  ],
  "Cars(1)/trips(3)": [
    "entity; S.Cars/trips at Cars(1)/trips(car_ID=1,no=3); S.Trips",
    "SELECT one from S.Cars[ID = 1].trips[car_ID = 1 and no = 3]",
    "rows: S.Trips",
  ],
  "Cars(1)/trips(car_ID=1,no=3)/car": [
    "entity; S.Cars/trips/car at Cars(1)/trips(car_ID=1,no=3)/car; S.Cars",
    "SELECT one from S.Cars[ID = 1].trips[car_ID = 1 and no = 3].car { all }",
    "rows: S.Cars",
  ],
  "Trips(car_ID=1,no=3)": [
    "entity; S.Trips at Trips(car_ID=1,no=3); S.Trips",
    "SELECT one from S.Trips[car_ID = 1 and no = 3]",
    "rows: S.Trips",
  ],
  "Trips/1/3": [
    "entity; S.Trips at Trips(car_ID=1,no=3); S.Trips",
    "SELECT one from S.Trips[car_ID = 1 and no = 3]",
    "rows: S.Trips",
  ],
  "Trips/1": [
    '400 "S.Trips" has 2 keys (offset 6)',
  ],
  "Cars(1)(2)": [
    '404 "Cars" has more than one key predicate',
  ],
  "Cars(1)/trips(3)(4)": [
    '404 "trips" has more than one key predicate',
  ],
  "Cars(1)/owner(2)": [
    '400 "owner" is not a collection (offset 8)',
  ],
  "Cars(1)/name(2)": [
    '400 The property "name" has no key (offset 8)',
  ],
  "Cars(1)/nope": [
    '404 "S.Cars" has no property "nope" (offset 8); did you mean "note"?',
  ],
  "Cars(1)/": [
    "400 A name is expected behind the slash (offset 8)",
  ],
  "Cars/nope(1)": [
    '404 "S.Cars" has no operation "nope" (offset 5)',
  ],
  "Nope": [
    '404 "S" has no resource "Nope" (offset 0); did you mean "Home"?',
  ],
  "Cars/S.Van": [
    "entitySet (collection); S.Cars at Cars/S.Van; S.Cars; as Van",
    "SELECT from S.Cars[kind in ('Van', 'Camper')] { all } order by ID asc",
    "rows: S.Cars",
  ],
  "Cars/S.Van(1)/load": [
    "property; S.Cars at Cars/S.Van(1)/load; S.Cars; as Van; property load",
    "SELECT one from S.Cars[kind in ('Van', 'Camper') and ID = 1] { load }",
    "rows: none",
  ],
  "Cars/S.Van/1/driver": [
    "entity; S.Cars/driver at Cars/S.Van(1)/driver; S.People",
    "SELECT one from S.Cars[kind in ('Van', 'Camper') and ID = 1].driver",
    "rows: S.People",
  ],
  "Cars(1)/S.Van/load": [
    "property; S.Cars at Cars(1)/S.Van/load; S.Cars; as Van; property load",
    "SELECT one from S.Cars[ID = 1 and kind in ('Van', 'Camper')] { load }",
    "rows: none",
  ],
  "Cars(1)/load": [
    '404 "S.Cars" has no property "load" (offset 8)',
  ],
  "Cars(1)/beds": [
    '404 "S.Cars" has no property "beds" (offset 8); did you mean "best"?',
  ],
  "Cars(1)/S.Van/beds": [
    '404 "S.Cars" has no property "beds" (offset 14); did you mean "best"?',
  ],
  "Cars(1)/S.Camper/beds": [
    "property; S.Cars at Cars(1)/S.Camper/beds; S.Cars; as Camper; property beds",
    "SELECT one from S.Cars[ID = 1 and kind in ('Camper')] { beds }",
    "rows: none",
  ],
  "Cars(1)/S.Van(2)": [
    '400 "S.Van" has no key here (offset 8)',
  ],
  "Cars/S.Van/S.Camper": [
    "400 A type cast cannot follow another one (offset 11)",
  ],
  "Cars/S.People": [
    '400 "S.Cars" is no type in a line with "S.People" (offset 5)',
  ],
  "Cars/Van": [
    "entitySet (collection); S.Cars at Cars/S.Van; S.Cars; as Van",
    "SELECT from S.Cars[kind in ('Van', 'Camper')] { all } order by ID asc",
    "rows: S.Cars",
  ],
  "Cars(1)/driver": [
    "entity; S.Cars/driver at Cars(1)/driver; S.People",
    "SELECT one from S.Cars[ID = 1].driver",
    "rows: S.People",
  ],
  "$all/S.Cars": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { all } order by ID asc",
    "rows: S.Cars",
  ],
  "$all/S.Van": [
    "entitySet (collection); S.Cars at Cars/S.Van; S.Cars; as Van",
    "SELECT from S.Cars[kind in ('Van', 'Camper')] { all } order by ID asc",
    "rows: S.Cars",
  ],
  "$all/S.Nope": [
    '404 "S" has no type "S.Nope" (offset 5); did you mean "S.Home"?',
  ],
  "$all/S.Cars(1)": [
    '404 Syntax error at offset 4: found "/S.Cars(1)", expected a type name',
  ],
  "Cars/$count": [
    "count; S.Cars at Cars/$count; S.Cars",
    "SELECT one from S.Cars { count(*) as $count }",
    "rows: none",
  ],
  "Cars(1)/$count": [
    "400 $count needs a collection (offset 8)",
  ],
  "Cars/$ref": [
    "ref (collection); S.Cars at Cars/$ref; S.Cars",
    "SELECT from S.Cars { ID } order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars(1)/owner/$ref": [
    "ref; S.Cars/owner at Cars(1)/owner/$ref; S.People",
    "SELECT one from S.Cars[ID = 1].owner { ID }",
    "rows: S.People select ID",
  ],
  "Cars/$each": [
    "each (collection); S.Cars at Cars/$each; S.Cars",
    "SELECT from S.Cars { all }",
    "rows: S.Cars",
  ],
  "Cars(1)/$each": [
    "400 $each needs a collection (offset 8)",
  ],
  "Cars/$each/S.sell": [
    "operation (collection); S.Cars at Cars/$each/S.sell; S.Cars; sell of each with {}",
    "SELECT from S.Cars",
    "rows: none",
  ],
  "Cars/$each/S.sellAll": [
    '400 "sellAll" is bound to the collection (offset 11)',
  ],
  "Cars/$each/nope": [
    '404 "S.Cars" has no operation "nope" (offset 11)',
  ],
  "Cars/$each/$count": [
    '404 Syntax error at offset 10: found "/$count", expected an operation',
  ],
  "Cars/$query": [
    '400 "/$query" is for POST requests (offset 5)',
  ],
  "Cars/$nope": [
    '404 Syntax error at offset 5: found "$nope", expected a known segment',
  ],
  "Cars/$filter(price gt 1)/$each/S.reach(of=1)": [
    'operation (collection); S.Cars at Cars/$each/S.reach; S.Cars; reach of each with {"of":1}',
    "SELECT from S.Cars[price > 1]",
    "rows: none",
  ],
  "Cars(1)/$filter(true)": [
    "400 $filter needs a collection (offset 8)",
  ],
  "Home": [
    "entity; S.Home at Home; S.Home",
    "SELECT one from S.Home",
    "rows: S.Home",
  ],
  "Home/limit": [
    "property; S.Home at Home/limit; S.Home; property limit",
    "SELECT one from S.Home { limit }",
    "rows: none",
  ],
  "Home/car/owner/name": [
    "property; S.Home/car/owner at Home/car/owner/name; S.People; property name",
    "SELECT one from S.Home.car.owner { name }",
    "rows: none",
  ],
  "Home(1)": [
    "entity; S.Home at Home; S.Home",
    "SELECT one from S.Home",
    "rows: S.Home",
  ],
  "Cheap(most=5)/Set": [
    "entitySet (collection); S.Cheap at Cheap(most=5)/Set; S.Cheap",
    "SELECT from S.Cheap(most: 5) order by ID asc limit 5",
    "rows: S.Cheap",
  ],
  "Cheap(5)/Set": [
    '400 "S.Cheap" has no parameter "" (offset 6)',
  ],
  "Cheap(most=5,least=2)/Set(1)": [
    "entity; S.Cheap at Cheap(most=5,least=2)/Set(1); S.Cheap",
    "SELECT one from S.Cheap(most: 5, least: 2)[ID = 1]",
    "rows: S.Cheap",
  ],
  "Cheap(least=2)/Set": [
    '400 The parameter "most" of "Cheap" is missing (offset 0)',
  ],
  "Cheap(most=5,most=6)/Set": [
    '400 The parameter "most" is given twice (offset 13)',
  ],
  "Cheap(most=5,nope=6)/Set": [
    '400 "S.Cheap" has no parameter "nope" (offset 13)',
  ],
  "Cheap(most=5)": [
    '400 The rows of "Cheap" are at "Cheap(most=…,least=…)/Set" (offset 0)',
  ],
  "Cheap(most=5)(6)/Set": [
    '400 "Cheap" has more than one list of parameters (offset 0)',
  ],
  "Cheap(most='x')/Set": [
    "400 'x' is not a value of type Integer (offset 11)",
  ],
  "Cars/$crossjoin(Cars)": [
    '404 Syntax error at offset 5: found "$crossjoin(Cars)", expected a known segment',
  ],
  "$crossjoin(Cars,People)?$select=*": [
    "400 The option $select is not allowed for $crossjoin (offset 24)",
  ],
  "$crossjoin(Cars,People)?$expand=Cars($select=name)&$filter=Cars/owner/ID eq People/ID&$orderby=Cars/name&$top=2":
    [
      "crossjoin (collection)",
      "SELECT from (S.Cars as $row1 cross join S.People as $row2) { $row1.name as $row1.name, $row1.ID as $row1.ID, $row1.kind as $row1.kind, $row2.ID as $row2.ID } where $row1.owner.ID == $row2.ID order by $row1.name asc nulls first, $row1.ID asc, $row2.ID asc limit 2 offset 0",
      "set Cars: $row1.; rows: S.Cars select name,ID",
      "set People: $row2.; rows: none",
    ],
  "$crossjoin(Cars,People)?$filter=name eq 'x'": [
    '400 "$crossjoin" has no property "name" (offset 32)',
  ],
  "$crossjoin(Cars,Nope)": [
    '404 "S" has no entity set "Nope" (offset 0); did you mean "Home"?',
  ],
  "$metadata": [
    "metadata",
  ],
  "$batch": [
    "batch",
  ],
  "Songs(1)/$value": [
    "stream; S.Songs at Songs(1)/$value; S.Songs; property content; media",
    "SELECT one from S.Songs[ID = 1] { content }",
    "rows: none",
  ],
  "Songs(1)/content": [
    '404 "S.Songs" has no property "content" (offset 9)',
  ],
  "Songs/$value": [
    "400 400",
  ],
  "Few": [
    "entitySet (collection); S.Few at Few; S.Few",
    "SELECT from S.Few order by ID asc limit 5",
    "rows: S.Few",
  ],
  "Few?$top=50": [
    "entitySet (collection); S.Few at Few; S.Few",
    "SELECT from S.Few order by ID asc limit 20",
    "rows: S.Few",
  ],
  "Fewer": [
    "entitySet (collection); S.Fewer at Fewer; S.Fewer",
    "SELECT from S.Fewer order by ID asc limit 7",
    "rows: S.Fewer",
  ],
  "Fewer?$top=50": [
    "entitySet (collection); S.Fewer at Fewer; S.Fewer",
    "SELECT from S.Fewer order by ID asc limit 7",
    "rows: S.Fewer",
  ],
  "Three": [
    "entitySet (collection); S.Three at Three; S.Three",
    "SELECT from S.Three order by ID asc limit 3",
    "rows: S.Three",
  ],
  "Three?$top=50": [
    "entitySet (collection); S.Three at Three; S.Three",
    "SELECT from S.Three order by ID asc limit 3",
    "rows: S.Three",
  ],
  "Cars(1)/spots/0/inner?$compute=zip as z": [
    "property; S.Cars at Cars(1)/spots/0/inner; S.Cars; property spots inside 0,inner",
    "SELECT one from S.Cars[ID = 1] { spots, $by_code_points(cast($member(spots, 0, name'inner', name'zip'), cds.String)) as ![spots@compute.z] }",
    "rows: members spots and z: cds.String",
  ],
  "Cars(1)/spots/0/inner?$select=zip": [
    "property; S.Cars at Cars(1)/spots/0/inner; S.Cars; property spots inside 0,inner",
    "SELECT one from S.Cars[ID = 1] { spots }",
    "rows: members spots{zip}",
  ],
  "Cars(1)/picture?$select=x": [
    "400 The option $select is not allowed for a stream (offset 16)",
  ],
  "Cars(1)/sell": [
    "operation; S.Cars at Cars(1)/sell; S.Cars; sell of entity with {}",
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/S.reachBy(of=1,by='x')": [
    '404 "S.Cars" has no property "S.reachBy" (offset 8); did you mean "S.reach"?',
  ],
  "$crossjoin(Cars,People)?$expand=*": [
    "crossjoin (collection)",
    "SELECT from (S.Cars as $row1 cross join S.People as $row2) { $row1.ID as $row1.ID, $row1.kind as $row1.kind, $row1.name as $row1.name, $row1.load as $row1.load, $row1.beds as $row1.beds, $row1.colour as $row1.colour, $row1.marks as $row1.marks, $row1.size as $row1.size, $row1.price as $row1.price, $row1.weight as $row1.weight, $row1.short as $row1.short, $row1.whole as $row1.whole, $row1.tiny as $row1.tiny, $row1.took as $row1.took, $row1.day as $row1.day, $row1.clock as $row1.clock, $row1.at as $row1.at, $row1.since as $row1.since, $row1.code as $row1.code, $row1.guid as $row1.guid, $row1.ready as $row1.ready, $row1.note as $row1.note, $row1.extra as $row1.extra, $row1.tags as $row1.tags, $row1.spots as $row1.spots, $row1.spot_city as $row1.spot_city, $row1.spot_floor as $row1.spot_floor, $row1.spot_rooms as $row1.spot_rooms, $row1.spot_inner_zip as $row1.spot_inner_zip, $row1.address_street as $row1.address_street, $row1.address_geo_lat as $row1.address_geo_lat, $row1.address_geo_lon as $row1.address_geo_lon, $row1.owner_ID as $row1.owner_ID, $row1.driver_ID as $row1.driver_ID, $row2.ID as $row2.ID, $row2.name as $row2.name, $row2.best_ID as $row2.best_ID } order by $row1.ID asc, $row2.ID asc limit 1000 offset 0",
    "set Cars: $row1.; rows: S.Cars",
    "set People: $row2.; rows: S.People",
  ],
  "$crossjoin(Cars,People)?$expand=Nope": [
    '400 "$crossjoin" has no entity set "Nope" (offset 32)',
  ],
  "$crossjoin(Cars,People)?$expand=Cars/owner": [
    '400 "$crossjoin" has no entity set "Cars/owner" (offset 32)',
  ],
  "$crossjoin(Cars,People)?$expand=Cars($expand=owner($select=name);$compute=price add 1 as more;$select=more),People":
    [
      "crossjoin (collection)",
      "SELECT from (S.Cars as $row1 cross join S.People as $row2) { $row1.ID as $row1.ID, $row1.kind as $row1.kind, $decimal_add($row1.price, cast(1, cds.Decimal)) as $row1.more, $row1.owner { name, ID } as $row1.owner, $row2.ID as $row2.ID, $row2.name as $row2.name, $row2.best_ID as $row2.best_ID } order by $row1.ID asc, $row2.ID asc limit 1000 offset 0",
      "set Cars: $row1.; rows: S.Cars select more,ID compute more expand owner(S.People select name,ID)",
      "set People: $row2.; rows: S.People",
    ],
};

Deno.test("paths lead to sets, entities, types and operations, and tell where they do not (URL 4)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
