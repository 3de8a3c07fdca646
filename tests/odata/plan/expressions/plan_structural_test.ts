import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Cars?$select=ID&$filter=owner eq null": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where owner_ID == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=owner ne null and trips/any(t:t/car eq null)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where owner_ID != null and exists trips[car_ID == null] order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=owner eq owner/best/owner": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where owner.ID == owner.best.owner.ID order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=owner eq owner/best": [
    "400 Instances of the same type are compared with each other only (offset 30)",
  ],
  "Cars?$select=ID&$filter=owner gt null": [
    "400 A primitive value is expected (offset 30)",
  ],
  "Cars?$select=ID&$filter=null eq owner": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where owner_ID == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=trips eq null": [
    "400 A collection of entities cannot be compared (offset 30)",
  ],
  "Cars?$select=ID&$filter=$it eq null": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 0 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=$it eq $it": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where ID == ID order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=$root/Home/car eq null": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where not exists (SELECT from S.Home.car { 1 as found }) order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=$root/Cars(1) eq $it": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where (SELECT one from S.Cars[ID = 1] { ID }) == ID order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=address eq null": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_street == null and address_geo_lat == null and address_geo_lon == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=address eq {"street":"x","geo":{"lat":1.5,"lon":null}}': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_street == 'x' and address_geo_lat == 1.5 and address_geo_lon == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=address ne {"street":"x"}': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where not (address_street == 'x' and address_geo_lat == null and address_geo_lon == null) order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=address eq {"streat":"x"}': [
    '400 "address" has no property "streat" (offset 35); did you mean "street"?',
  ],
  'Cars?$select=ID&$filter=address ne {"street":"x","geo":{"lat":1,"height":2}}': [
    '400 "geo" has no property "height" (offset 55)',
  ],
  'Cars?$select=ID&$filter=address/geo eq {"street":"x"}': [
    '400 "geo" has no property "street" (offset 39)',
  ],
  'Cars?$select=ID&$filter=address/geo eq {"@odata.type":"%23x","lat":1,"lon":2}': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_geo_lat == 1 and address_geo_lon == 2 order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=address eq {"street":"x","geo":5}': [
    "400 A structure is expected (offset 55)",
  ],
  "Cars?$select=ID&$filter=address eq @a&@a={\"street\":@s}&@s='y'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_street == 'y' and address_geo_lat == null and address_geo_lon == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=address/geo eq {"lat":1,"lon":2}': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_geo_lat == 1 and address_geo_lon == 2 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=address/geo/lat gt 1": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_geo_lat > 1 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=address/geo/nope gt 1": [
    '400 "geo" has no property "nope" (offset 36)',
  ],
  "Cars?$select=ID&$filter=address/street/x eq 1": [
    '400 Nothing can follow the property "street" (offset 39)',
  ],
  "Cars?$select=ID&$filter=address/geo/$count eq 1": [
    "400 Nothing can follow a structure here (offset 36)",
  ],
  "Cars?$select=ID&$filter=address eq address": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where address_street == address_street and address_geo_lat == address_geo_lat and address_geo_lon == address_geo_lon order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=address eq spot": [
    "400 The types of both sides do not fit each other (offset 32)",
  ],
  "Cars?$select=ID&$filter=address eq name": [
    "400 The types of both sides do not fit each other (offset 32)",
  ],
  "Cars?$select=ID&$filter=address eq 'x'": [
    "400 A primitive value is expected (offset 24)",
  ],
  "Cars?$select=ID&$filter=spot/rooms eq [1,2]": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $size(spot_rooms) = 2 and cast($member(spot_rooms, 0), cds.Integer) == 1 and cast($member(spot_rooms, 1), cds.Integer) == 2 order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=tags eq ["a","b"] or tags eq [] or tags eq null': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where ($size(tags) = 2 and $by_code_points(cast($member(tags, 0), cds.String)) == 'a' and $by_code_points(cast($member(tags, 1), cds.String)) == 'b') or $size(tags) = 0 or $size(tags) = 0 order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=tags ne ["a"]': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where not ($size(tags) = 1 and $by_code_points(cast($member(tags, 0), cds.String)) == 'a') order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=tags eq tags or tags ne spot/rooms": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where coalesce($nested(tags), $nested(name'[]')) = coalesce($nested(tags), $nested(name'[]')) or not (coalesce($nested(tags), $nested(name'[]')) = coalesce($nested(spot_rooms), $nested(name'[]'))) order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=tags eq 'a'": [
    "400 A primitive value is expected (offset 24)",
  ],
  "Cars?$select=ID&$filter=tags eq {}": [
    "400 A collection is expected (offset 32)",
  ],
  'Cars?$select=ID&$filter=tags gt ["a"]': [
    "400 A primitive value is expected (offset 29)",
  ],
  'Cars?$select=ID&$filter=spots eq [{"city":"x","floor":1,"rooms":[1],"inner":{"zip":"z"}}]': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $size(spots) = 1 and $by_code_points(cast($member(spots, 0, name'city'), cds.String)) == 'x' and cast($member(spots, 0, name'floor'), cds.Integer) == 1 and $size($nested(spots, 0, name'rooms')) = 1 and cast($member($nested(spots, 0, name'rooms'), 0), cds.Integer) == 1 and $by_code_points(cast($member(spots, 0, name'inner', name'zip'), cds.String)) == 'z' order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=spots eq [{"nope":1}]': [
    '400 "items" has no property "nope" (offset 34)',
  ],
  "Cars?$select=ID&$filter=spots eq [1]": [
    "400 A structure is expected (offset 34)",
  ],
  "Cars?$select=ID&$filter=spots eq [null]": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $size(spots) = 1 and $by_code_points(cast($member(spots, 0, name'city'), cds.String)) == null and cast($member(spots, 0, name'floor'), cds.Integer) == null and $size($nested(spots, 0, name'rooms')) = 0 and $by_code_points(cast($member(spots, 0, name'inner', name'zip'), cds.String)) == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=spots/any(s:s eq {"city":"x"})': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $any(spots, $by_code_points(cast($member($item1.value, name'city'), cds.String)) == 'x' and cast($member($item1.value, name'floor'), cds.Integer) == null and $size($nested($item1.value, name'rooms')) = 0 and $by_code_points(cast($member($item1.value, name'inner', name'zip'), cds.String)) == null, name'$item1') order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=spots/any(s:s eq s)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $any(spots, $by_code_points(cast($member($item1.value, name'city'), cds.String)) == $by_code_points(cast($member($item1.value, name'city'), cds.String)) and cast($member($item1.value, name'floor'), cds.Integer) == cast($member($item1.value, name'floor'), cds.Integer) and $nested($item1.value, name'rooms') == $nested($item1.value, name'rooms') and $by_code_points(cast($member($item1.value, name'inner', name'zip'), cds.String)) == $by_code_points(cast($member($item1.value, name'inner', name'zip'), cds.String)), name'$item1') order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=spots/any(s:s/inner eq null)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $any(spots, $by_code_points(cast($member($item1.value, name'inner', name'zip'), cds.String)) == null, name'$item1') order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=spots/any(s:s/rooms eq [1])": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where $any(spots, $size($nested($item1.value, name'rooms')) = 1 and cast($member($nested($item1.value, name'rooms'), 0), cds.Integer) == 1, name'$item1') order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=spots/any(s:s/nope eq 1)": [
    '400 "items" has no property "nope" (offset 38)',
  ],
  "Cars?$select=ID&$filter=spots/any(s:x/city eq 's')": [
    '400 "S.Cars" has no property "x" (offset 36); did you mean "s"?',
  ],
  "Cars?$select=ID&$filter=[1,2] eq [1,2]": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 1 order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter={"a":1} ne {"a":1}': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 0 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=[1] eq null": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 0 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=[99999999999999999999] eq [99999999999999999999]": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 1 order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=hassubset(tags,["a","a","b"])': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where ($count(tags, $by_code_points(cast($member($item1.value), cds.String)) == 'a', name'$item1') >= 2 and $count(tags, $by_code_points(cast($member($item2.value), cds.String)) == 'b', name'$item2') >= 1) = true order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=hassubset(tags,[])": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where (1 = 1) = true order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=hassubsequence(tags,["a","b"])': [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where ($next(tags, $by_code_points(cast($member($item2.value), cds.String)) == 'b', name'$item2', $next(tags, $by_code_points(cast($member($item1.value), cds.String)) == 'a', name'$item1', -1)) is not null) = true order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=hassubsequence(tags,[])": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where (1 = 1) = true order by ID asc",
    "rows: S.Cars select ID",
  ],
  'Cars?$select=ID&$filter=hassubset(name,["a"])': [
    "400 A collection of values is expected (offset 34)",
  ],
  "Cars?$select=ID&$filter=hassubset(tags,'a')": [
    "400 A collection in brackets is expected (offset 39)",
  ],
};

Deno.test("structures, collections and instances are compared with each other and with literals (URL 5.1.1.1)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
