import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
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
    "property (collection); S.Cars at Cars(1)/spot/rooms; S.Cars; property spot_rooms; values",
    "SELECT one from S.Cars[ID = 1] { spot_rooms }",
    "rows: none",
  ],
  "Cars(1)/spot/rooms/$count": [
    "count; S.Cars at Cars(1)/spot/rooms; S.Cars; property spot_rooms; values",
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
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags; values",
    "SELECT one from S.Cars[ID = 1] { tags }",
    "rows: none",
  ],
  "Cars(1)/tags/$count": [
    "count; S.Cars at Cars(1)/tags; S.Cars; property tags; values",
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
    "property (collection); S.Cars at Cars(1)/tags; S.Cars; property tags; values",
    "SELECT one from S.Cars[ID = 1] { $filtered(tags, $by_code_points(cast($member($item1.value), cds.String)) = 'x', name'$item1', (), (null, null)) as tags }",
    "rows: none",
  ],
  "Cars(1)/tags/$filter($it eq 'x')/$filter($it ne 'y')/$count": [
    "count; S.Cars at Cars(1)/tags; S.Cars; property tags; values",
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
};

Deno.test("paths lead on to members of structures and collections, raw values and streams (URL 4.6 to 4.10)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
