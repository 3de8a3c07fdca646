import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { normalizeRow } from "../../src/db/write/normalize_row.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const ENTITY = linkModel(parseCdl(`
  entity Orders { key ID : Integer; name : String;
    at { city : String; geo { x : Integer; y : Integer; }; land : Association to Lands; }
    to : Association to Orders; lands : Association to many Lands on lands.order = $self;
    items : Composition of many Items on items.order = $self; one : Composition of one Items; }
  entity Items { key ID : Integer; order : Association to Orders; }
  entity Lands { key code : String; key part { no : Integer; }; order : Association to Orders; }
`)).entity("Orders")!;

Deno.test("rows are split into flat values, keys of associations, and rows of compositions (csn-cqn 5)", () => {
  const cases:
    readonly (readonly [row: Row, values: Row, nested?: Readonly<Record<string, readonly Row[]>>])[] = [
      [{ ID: 1, name: null, none: 1 }, { ID: 1, name: null }],
      [{ ID: undefined, at: undefined, to: undefined }, {}],
      [{ at: { city: "a", geo: { x: 1 } } }, { at_city: "a", at_geo_x: 1 }],
      [{ at_city: "a", at_geo: { y: 2 } }, { at_city: "a" }],
      [{ at: { geo: null } }, { at_geo_x: null, at_geo_y: null }],
      [{ at: null }, {
        ...{ at_city: null, at_geo_x: null, at_geo_y: null, at_land_code: null, at_land_part_no: null },
      }],
      [{ at: { land: { code: "a", part: { no: 1 } } } }, { at_land_code: "a", at_land_part_no: 1 }],
      [{ at: { land: { code: "a" } } }, { at_land_code: "a" }],
      [{ to: { ID: 2, name: "b" } }, { to_ID: 2 }],
      [{ to: null }, { to_ID: null }],
      [{ to_ID: 3 }, { to_ID: 3 }],
      [{ lands: [{ code: "a" }] }, {}],
      [{ items: [{ ID: 1 }, { ID: 2 }] }, {}, { items: [{ ID: 1 }, { ID: 2 }] }],
      [{ items: null, one: { ID: 3 } }, {}, { items: [], one: [{ ID: 3 }] }],
    ];
  for (const [row, values, nested = {}] of cases) {
    const found = normalizeRow(ENTITY, row);
    const parts = Object.fromEntries(found.nested.map(({ composition, rows }) => [composition.name, rows]));
    assert.deepEqual([found.values, parts], [values, nested], JSON.stringify(row));
  }
});
