import assert from "node:assert/strict";
import type { CsnElement } from "../../src/model/csn.ts";
import { edmType } from "../../src/model/edm_types.ts";
import { linkModel } from "../../src/model/link_model.ts";

function edm(element: CsnElement) {
  const model = linkModel({
    definitions: {
      A: { kind: "entity", elements: { ID: { key: true, type: "cds.UUID" }, e: element } },
      Amount: { kind: "type", type: "cds.Decimal", precision: 9, scale: 2 },
    },
  });
  return edmType(model.entity("A")!.elements.e);
}

Deno.test("edmType() gives the OData type of each built-in type", () => {
  const cases: Record<string, string> = {
    UUID: "Guid",
    Boolean: "Boolean",
    UInt8: "Byte",
    Int16: "Int16",
    Int32: "Int32",
    Integer: "Int32",
    Int64: "Int64",
    Integer64: "Int64",
    Double: "Double",
    Date: "Date",
    Time: "TimeOfDay",
    DateTime: "DateTimeOffset",
    String: "String",
    LargeString: "String",
    Binary: "Binary",
    LargeBinary: "Binary",
  };
  for (const [cds, type] of Object.entries(cases)) {
    assert.deepEqual(edm({ type: `cds.${cds}` }), { type: `Edm.${type}` }, cds);
  }
});

Deno.test("edmType() gives facets of the type or of the nearest level that sets them", () => {
  assert.deepEqual(edm({ type: "cds.Timestamp" }), { type: "Edm.DateTimeOffset", precision: 7 });
  assert.deepEqual(edm({ type: "cds.Decimal" }), { type: "Edm.Decimal", scale: "variable" });
  assert.deepEqual(edm({ type: "Amount" }), { type: "Edm.Decimal", precision: 9, scale: 2 });
  assert.deepEqual(edm({ type: "cds.String", length: 5 }), { type: "Edm.String", maxLength: 5 });
});

Deno.test("edmType() makes a LargeBinary with media type a stream", () => {
  assert.deepEqual(edm({ type: "cds.LargeBinary", "@Core.MediaType": "image/png" }), { type: "Edm.Stream" });
});

Deno.test("edmType() follows @odata.Type with its facets and ignores unknown values", () => {
  const given = { type: "cds.String", length: 5, "@odata.MaxLength": 7 } as const;
  assert.deepEqual(edm({ ...given, "@odata.Type": "Edm.Binary" }), { type: "Edm.Binary", maxLength: 7 });
  assert.deepEqual(edm({ ...given, "@odata.Type": "Edm.Nope" }), { type: "Edm.String", maxLength: 5 });
});

Deno.test("edmType() gives nothing for structures, arrays, maps and associations", () => {
  assert.equal(edm({ elements: { a: { type: "cds.Date" } } }), undefined);
  assert.equal(edm({ items: { type: "cds.Date" } }), undefined);
  assert.equal(edm({ type: "cds.Map" }), undefined);
  assert.equal(edm({ type: "cds.Association", target: "A" }), undefined);
});
