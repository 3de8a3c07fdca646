/** Rows as payloads show them: structures nested, members of other derived types left out (CSDL 6, 9). */

import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { nestedStructures } from "../../../src/model/nested_structures.ts";
import {
  flatValues,
  nestedValue,
  presentedRow,
  withComputedMembers,
} from "../../../src/odata/payload/presented_row.ts";
import type { MemberShape, ResultShape } from "../../../src/odata/plan/result_shape.ts";

const model = linkModel(parseCdl(`service S {
  @odata.nested type Geo { lat : Integer; long : Integer; }
  entity Houses { key ID : Integer; @odata.nested place { city : String; geo : Geo; country : Association to Countries; }; flat { a : Integer; }; }
  entity Countries { key code : String; }
  entity Plain { key ID : Integer; flat { a : Integer; }; }
}`));
const houses = model.entity("S.Houses")!;
const { element: place, leaves } = nestedStructures(houses).get("place")!;

const shown = (row: Row, shape?: Partial<ResultShape>) =>
  presentedRow(row, houses, shape && { expand: [], computed: [], ...shape }).row;

Deno.test("structures are nested where they are in the model, null where all of them is null", () => {
  assert.equal(place.name, "place");
  const row = { ID: 1, place_city: "a", place_geo_lat: 1, place_geo_long: null, flat_a: 2 };
  assert.deepEqual(shown(row), { ID: 1, place: { city: "a", geo: { lat: 1, long: null } }, flat_a: 2 });
  assert.deepEqual(shown({ ID: 1, place_city: null, place_geo_lat: undefined }), { ID: 1, place: null });
  assert.deepEqual(shown({ place_geo_lat: 0 }), { place: { geo: { lat: 0 } } });
  assert.deepEqual(shown({ ID: 1 }), { ID: 1 });
  assert.deepEqual(shown({ place_country_code: "DE" }), { place: { country_code: "DE" } });
  const plain = { ID: 1, flat_a: 1 };
  assert.equal(presentedRow(plain, model.entity("S.Plain")!).row, plain);
});

Deno.test("of structures those parts are shown that are selected (Protocol 11.2.5.1)", () => {
  const row = { place_city: "a", place_geo_lat: 1, place_geo_long: 2 };
  const selected = (...select: string[]) => shown(row, { select });
  assert.deepEqual(selected("ID"), { place: { city: "a", geo: { lat: 1, long: 2 } } });
  assert.deepEqual(selected("place"), { place: { city: "a", geo: { lat: 1, long: 2 } } });
  assert.deepEqual(selected("place/city"), { place: { city: "a" } });
  assert.deepEqual(selected("place/geo"), { place: { geo: { lat: 1, long: 2 } } });
  assert.deepEqual(selected("place/geo/long", "place/city"), { place: { city: "a", geo: { long: 2 } } });
});

Deno.test("what is computed of a structure stands in it, also in one that a handler nested", () => {
  const computed = new Map([["size", undefined]]) as unknown as MemberShape["computed"];
  const members = new Map([["place", { computed } as MemberShape]]);
  const row = { "place_city": "a", "place@compute.size": 5 };
  assert.deepEqual(shown(row, { members }).place, { city: "a", size: 5 });
  assert.deepEqual(shown({ "place": { city: "b" }, "place@compute.size": 6 }, { members }).place, {
    city: "b",
    size: 6,
  });
  assert.deepEqual(shown({ place: null }, { members }).place, null);
  const value = { city: "a" };
  assert.equal(withComputedMembers(value, row, { name: "place", shape: undefined }), value);
  assert.equal(withComputedMembers(value, row, { name: "place", shape: {} as MemberShape }), value);
});

/** Structures of bodies, and the flat values of what they mention, or of all. */
const FLAT: readonly (readonly [value: unknown, options: { depth?: number; replace?: boolean }, row: Row])[] =
  [
    [{ city: "a" }, {}, { place_city: "a" }],
    [{ city: null, geo: { lat: 1 } }, {}, { place_city: null, place_geo_lat: 1 }],
    [{ geo: null }, {}, { place_geo_lat: null, place_geo_long: null }],
    [{ country: { code: "DE" } }, {}, { place_country_code: "DE" }],
    [{ country_code: "DE" }, {}, { place_country_code: "DE" }],
    [{ country: null }, {}, { place_country_code: null }],
    [undefined, {}, {}],
    [5, {}, {}],
    [{ city: "a" }, { replace: true }, {
      place_city: "a",
      place_geo_lat: null,
      place_geo_long: null,
      place_country_code: null,
    }],
  ];

Deno.test("structures of bodies are flat values; what they do not mention stays, or becomes null where they replace", () => {
  for (const [value, options, row] of FLAT) {
    assert.deepEqual(flatValues(value, leaves, options), row, JSON.stringify(value));
  }
  const none = flatValues(null, leaves);
  assert.deepEqual(Object.values(none), [null, null, null, null]);
  const geo = leaves.filter(({ path }) => path[1] === "geo");
  assert.deepEqual(flatValues({ lat: 1 }, geo, { depth: 2 }), { place_geo_lat: 1 });
});

Deno.test("the value of a structure is nested from its flat elements, at any depth", () => {
  const row = { place_city: "a", place_geo_lat: 1 };
  assert.deepEqual(nestedValue(row, leaves), { city: "a", geo: { lat: 1 } });
  const geo = leaves.filter(({ path }) => path[1] === "geo");
  assert.deepEqual(nestedValue(row, geo, 2), { lat: 1 });
  assert.equal(nestedValue({ place_city: null }, leaves), null);
  assert.equal(nestedValue({}, geo, 2), null);
});
