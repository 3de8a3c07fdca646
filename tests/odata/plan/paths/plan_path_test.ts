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
  "Cars(1)/address": [
    "property; S.Cars at Cars(1)/address; S.Cars; property address; of address_street,address_geo_lat,address_geo_lon at 1",
    "SELECT one from S.Cars[ID = 1] { address_street, address_geo_lat, address_geo_lon }",
    "rows: none",
  ],
  "Cars(1)/address/street": [
    "property; S.Cars at Cars(1)/address/street; S.Cars; property address_street",
    "SELECT one from S.Cars[ID = 1] { address_street }",
    "rows: none",
  ],
  "Cars(1)/address/geo": [
    "property; S.Cars at Cars(1)/address/geo; S.Cars; property geo; of address_geo_lat,address_geo_lon at 2",
    "SELECT one from S.Cars[ID = 1] { address_geo_lat, address_geo_lon }",
    "rows: none",
  ],
  "Cars(1)/address/geo/lat/$value": [
    "value; S.Cars at Cars(1)/address/geo/lat; S.Cars; property address_geo_lat",
    "SELECT one from S.Cars[ID = 1] { address_geo_lat }",
    "rows: none",
  ],
  "Cars(1)/address/geo/nope": [
    '404 "geo" has no property "nope" (offset 20)',
  ],
  "Cars(1)/address(1)": [
    '400 The property "address" has no key (offset 8)',
  ],
  "Cars(1)/address/$value": [
    '400 The property "address" has no raw value (offset 16)',
  ],
  "Cars(1)/spot/rooms": [
    "property (collection); S.Cars at Cars(1)/spot/rooms; S.Cars; property spot_rooms",
    "SELECT one from S.Cars[ID = 1] { spot_rooms }",
    "rows: none",
  ],
  "Cars(1)/spot/rooms/$count": [
    "count; S.Cars at Cars(1)/spot/rooms; S.Cars; property spot_rooms",
    "SELECT one from S.Cars[ID = 1] { $size(spot_rooms) as $count }",
    "rows: none",
  ],
  "Cars(1)/spot/rooms/0": [
    "property; S.Cars at Cars(1)/spot/rooms/0; S.Cars; property spot_rooms inside 0",
    "SELECT one from S.Cars[ID = 1] { spot_rooms }",
    "rows: none",
  ],
  "Cars(1)/spot/inner/zip": [
    "property; S.Cars at Cars(1)/spot/inner/zip; S.Cars; property spot_inner_zip",
    "SELECT one from S.Cars[ID = 1] { spot_inner_zip }",
    "rows: none",
  ],
  "Cars(1)/tags": [
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags",
    "SELECT one from S.Cars[ID = 1] { tags }",
    "rows: none",
  ],
  "Cars(1)/tags/$count": [
    "count; S.Cars at Cars(1)/tags; S.Cars; property tags",
    "SELECT one from S.Cars[ID = 1] { $size(tags) as $count }",
    "rows: none",
  ],
  "Cars(1)/tags/-1": [
    "property; S.Cars at Cars(1)/tags/-1; S.Cars; property tags inside -1",
    "SELECT one from S.Cars[ID = 1] { tags }",
    "rows: none",
  ],
  "Cars(1)/tags/0/$value": [
    "value; S.Cars at Cars(1)/tags/0; S.Cars; property tags inside 0",
    "SELECT one from S.Cars[ID = 1] { tags }",
    "rows: none",
  ],
  "Cars(1)/tags/x": [
    '400 The property "tags" has no member "x" (offset 13)',
  ],
  "Cars(1)/tags/$filter($it eq 'x')": [
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags",
    "SELECT one from S.Cars[ID = 1] { $filtered(tags, $by_code_points(cast($member($item1.value), cds.String)) = 'x', name'$item1', (), (null, null)) as tags }",
    "rows: none",
  ],
  "Cars(1)/tags/$filter($it eq 'x')/$filter($it ne 'y')/$count": [
    "count; S.Cars at Cars(1)/tags; S.Cars; property tags",
    "SELECT one from S.Cars[ID = 1] { $count(tags, $by_code_points(cast($member($item1.value), cds.String)) = 'x' and $by_code_points(cast($member($item1.value), cds.String)) != 'y', name'$item1') as $count }",
    "rows: none",
  ],
  "Cars(1)/tags/$count/x": [
    '404 Syntax error at offset 19: found "/x", expected the end of the path',
  ],
  "Cars(1)/spots/0": [
    "property; S.Cars at Cars(1)/spots/0; S.Cars; property spots inside 0",
    "SELECT one from S.Cars[ID = 1] { spots }",
    "rows: none",
  ],
  "Cars(1)/spots/0/city": [
    "property; S.Cars at Cars(1)/spots/0/city; S.Cars; property spots inside 0,city",
    "SELECT one from S.Cars[ID = 1] { spots }",
    "rows: none",
  ],
  "Cars(1)/spots/0/inner/zip/$value": [
    "value; S.Cars at Cars(1)/spots/0/inner/zip; S.Cars; property spots inside 0,inner,zip",
    "SELECT one from S.Cars[ID = 1] { spots }",
    "rows: none",
  ],
  "Cars(1)/spots/0/rooms/1": [
    "property; S.Cars at Cars(1)/spots/0/rooms/1; S.Cars; property spots inside 0,rooms,1",
    "SELECT one from S.Cars[ID = 1] { spots }",
    "rows: none",
  ],
  "Cars(1)/spots/0/rooms/$filter($it gt 1)": [
    '400 The property "spots" has no member "$filter" (offset 22)',
  ],
  "Cars(1)/spots/0/nope": [
    '404 "items" has no property "nope" (offset 16)',
  ],
  "Cars(1)/spots/0/$value": [
    '400 The property "spots" has no raw value (offset 16)',
  ],
  "Cars(1)/name/$value": [
    "value; S.Cars at Cars(1)/name; S.Cars; property name",
    "SELECT one from S.Cars[ID = 1] { name }",
    "rows: none",
  ],
  "Cars(1)/name/$value/x": [
    '404 Syntax error at offset 19: found "/x", expected the end of the path',
  ],
  "Cars(1)/name/$count": [
    '400 The property "name" has no member "$count" (offset 13)',
  ],
  "Cars(1)/picture": [
    "stream; S.Cars at Cars(1)/picture; S.Cars; property picture",
    "SELECT one from S.Cars[ID = 1] { picture }",
    "rows: none",
  ],
  "Cars(1)/picture/$value": [
    "stream; S.Cars at Cars(1)/picture; S.Cars; property picture",
    "SELECT one from S.Cars[ID = 1] { picture }",
    "rows: none",
  ],
  "Cars(1)/$value": [
    "400 400",
  ],
  "Files(1)/$value": [
    "400 400",
  ],
  "Files(1)/content": [
    "stream; S.Files at Files(1)/content; S.Files; property content",
    "SELECT one from S.Files[ID = 1] { content }",
    "rows: none",
  ],
  "Films(1)/$value": [
    "media; S.Films at Films(1)/$value; S.Films",
    "SELECT one from S.Films[ID = 1]",
    "rows: none",
  ],
  "Films/$value": [
    "400 400",
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
};

Deno.test("paths lead to sets, entities, properties and members of them, and tell where they do not (URL 4)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
