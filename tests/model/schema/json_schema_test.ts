import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { SchemaCollection } from "../../../src/model/schema/json_schema.ts";

/** Types of elements, and what values of them look like. */
const SCHEMAS: Readonly<Record<string, object>> = {
  UUID: { type: "string", format: "uuid" },
  Boolean: { type: "boolean" },
  UInt8: { type: "integer", minimum: 0, maximum: 255 },
  Int16: { type: "integer", minimum: -32768, maximum: 32767 },
  Int32: { type: "integer", format: "int32" },
  Integer: { type: "integer", format: "int32" },
  Int64: { type: "integer", format: "int64" },
  Integer64: { type: "integer", format: "int64" },
  "Decimal(9,2)": { type: "number" },
  Double: { type: "number", format: "double" },
  Date: { type: "string", format: "date" },
  Time: { type: "string", format: "time" },
  DateTime: { type: "string", format: "date-time" },
  Timestamp: { type: "string", format: "date-time" },
  String: { type: "string" },
  "String(7)": { type: "string", maxLength: 7 },
  LargeString: { type: "string" },
  "Binary(4)": { type: "string", contentEncoding: "base64" },
  LargeBinary: { type: "string", contentEncoding: "base64" },
  Map: { type: "object" },
  "String enum { a; b = 'c' }": { type: "string", enum: ["a", "c"] },
  "many Integer": { type: "array", items: { type: ["integer", "null"], format: "int32" } },
  "Named": { $ref: "#/components/schemas/Named" },
  "Association to Other": {
    type: ["object", "null"],
    properties: { no: { type: "integer", format: "int32" } },
    required: ["no"],
  },
  "Composition of Other": { anyOf: [{ $ref: "#/components/schemas/Other" }, { type: "null" }] },
  "Composition of many Other on 1 = 1": {
    type: "array",
    items: { $ref: "#/components/schemas/Other" },
  },
};

Deno.test("values of each type have the schema of their type, and are null where nothing else is said", () => {
  const types = Object.keys(SCHEMAS);
  const isOwn = (type: string) => !/^(Assoc|Compos)/.test(type);
  const model = linkModel(parseCdl(`
    type Named : String(3); entity Other { key no : Integer; name : String; }
    entity Of { ${types.map((type, at) => `${isOwn(type) ? "@mandatory " : ""}e${at} : ${type};`).join(" ")} }
    entity Free { a : Boolean; b : String enum { x }; c : Named; @mandatory d : Date; e : Date not null; key f : Date; }`));
  const { properties } = new SchemaCollection(model).ofDefinition(model.definitions.Of!) as {
    properties: Record<string, object>;
  };
  for (const [at, type] of types.entries()) assert.deepEqual(properties[`e${at}`], SCHEMAS[type], type);
  const day = { type: "string", format: "date" };
  const schemas = new SchemaCollection(model);
  assert.deepEqual(schemas.ofDefinition(model.definitions.Free!), {
    type: "object",
    properties: {
      a: { type: ["boolean", "null"] },
      b: { type: ["string", "null"], enum: ["x", null] },
      c: { anyOf: [{ $ref: "#/components/schemas/Named" }, { type: "null" }] },
      ...{ d: day, e: day, f: day },
    },
    required: ["d", "e", "f"],
  });
  assert.deepEqual(schemas.schemas, { Named: { type: "string", maxLength: 3 } });
});
