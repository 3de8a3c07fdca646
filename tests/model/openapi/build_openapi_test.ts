import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { buildCsdl } from "../../../src/model/csdl/build_csdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { buildOpenApi } from "../../../src/model/openapi/build_openapi.ts";

/** Any part of a document. */
// deno-lint-ignore no-explicit-any
type Part = any;

/** The document of service `S`. */
function described(content: string, protocol: "odata" | "rest" = "odata"): Part {
  const model = linkModel(parseCdl(`service S { ${content} }`));
  const service = model.services[0];
  return JSON.parse(JSON.stringify(buildOpenApi(buildCsdl(service, model), service, { protocol })));
}

/** The members of a schema. */
function membersOf(document: Part, name: string): Record<string, Part> {
  return document.components.schemas[name].properties;
}

Deno.test("clients create with what they may set, change what is neither key nor immutable, and only parts with it", () => {
  const { components: { schemas } } = described(`
    entity E { key id : Integer; name : String not null; given : String not null default 'x'; free : String;
      @Core.Computed made : String; @Core.Immutable fixed : String not null; @mandatory must : String;
      to : Association to E not null; parts : Composition of many P on parts.e = $self; others : Association to many P on others.e = $self;
      many : many String not null; }
    entity P { key id : Integer; e : Association to E; }`);
  const names = (name: string) => Object.keys(schemas[name].properties).join(" ");
  assert.deepEqual(
    ["S.E", "S.E-create", "S.E-update"].map((name) => [name, names(name), schemas[name].required]),
    [
      ["S.E", "id name given free made fixed must to to_id parts others many", undefined],
      ["S.E-create", "id name given free fixed must to_id parts many", ["id", "name", "fixed", "must"]],
      ["S.E-update", "name given free must to_id parts many", undefined],
    ],
  );
});

Deno.test("members have the bounds, patterns, defaults and labels of the model", () => {
  const members = membersOf(
    described(`entity E { key id : Integer;
      @assert.range: [1, 5] low : Integer; @assert.range: [(1), (5)] open : Integer; @assert.format: '^a' form : String(3);
      @assert.format: '^a' day : Date; given : Integer default 3; flag : Boolean default false; @title: 'T' @description: 'D' told : Boolean; }`),
    "S.E",
  );
  const integer = { type: ["integer", "null"], format: "int32" };
  assert.deepEqual(members, {
    id: { type: "integer", format: "int32" },
    low: { ...integer, minimum: 1, maximum: 5 },
    open: { ...integer, exclusiveMinimum: 1, exclusiveMaximum: 5 },
    form: { type: ["string", "null"], maxLength: 3, pattern: "^a" },
    day: { type: ["string", "null"], format: "date" },
    given: { ...integer, default: 3 },
    flag: { type: ["boolean", "null"], default: false },
    told: { title: "T", description: "D", type: ["boolean", "null"] },
  });
});

Deno.test("keys and arguments stand in paths as the protocol has them", () => {
  const content = `
    entity One { key id : Integer; } actions { action act(); function fun(a : Integer not null) returns Integer; };
    entity Two { key a : Integer; key b : String; }
    function call(a : Integer not null, b : String not null) returns String;
    function list() returns many Integer;`;
  const paths = (protocol: "odata" | "rest") =>
    Object.keys(described(content, protocol).paths).filter((path) => /[({]|call|list/.test(path));
  assert.deepEqual(paths("odata"), [
    "/One({id})",
    "/One({id})/S.act",
    "/One({id})/S.fun(a={a})",
    "/Two(a={a},b='{b}')",
    "/call(a={a},b='{b}')",
    "/list()",
  ]);
  assert.deepEqual(paths("rest"), [
    "/One/{id}",
    "/One/{id}/act",
    "/One/{id}/fun",
    "/Two/{a}/{b}",
    "/call",
    "/list",
  ]);
});

Deno.test("bodies of actions say what is required, and overloads share a path", () => {
  const { paths } = described(`
    action none(); action all(a : Integer not null, b : Integer); action some(b : Integer);
    entity A { key id : Integer; } actions { action act(x : Integer not null); };`);
  const body = (path: string) => {
    const { requestBody } = paths[path].post;
    return requestBody &&
      [requestBody.required, requestBody.content["application/json"].schema.required ?? "nothing"];
  };
  assert.deepEqual(["/none", "/all", "/some", "/A({id})/S.act"].map(body), [
    undefined,
    [true, ["a"]],
    [false, "nothing"],
    [true, ["x"]],
  ]);
});

Deno.test("answers are values, structures, entities, or collections of them", () => {
  const { paths, components } = described(`
    type T { x : Integer; } entity E { key id : Integer; }
    function value() returns Integer; function text() returns String not null; function structure() returns T;
    function one() returns E; function values() returns many Integer; function rows() returns many E; action nothing();`);
  const answer = (path: string, method = "get") => {
    const { responses } = paths[path][method];
    return [Object.keys(responses)[0], responses["200"]?.content["application/json"].schema];
  };
  const value = (
    schema: object,
  ) => ["200", { type: "object", properties: { value: schema }, required: ["value"] }];
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const items = (path: string) => {
    const [, schema] = answer(path);
    return [schema.required, schema.properties.value];
  };
  assert.deepEqual(answer("/value()"), value({ type: ["integer", "null"], format: "int32" }));
  assert.deepEqual(answer("/text()"), value({ type: "string" }));
  assert.deepEqual(answer("/structure()"), ["200", to("S.T")]);
  assert.deepEqual(answer("/one()"), ["200", to("S.E")]);
  assert.deepEqual(items("/values()"), [["value"], {
    type: "array",
    items: { type: "integer", format: "int32" },
  }]);
  assert.deepEqual(items("/rows()"), [["value"], { type: "array", items: to("S.E") }]);
  assert.deepEqual(answer("/nothing", "post"), ["204", undefined]);
  assert.deepEqual(membersOf({ components }, "S.T"), { x: { type: ["integer", "null"], format: "int32" } });
});

Deno.test("types of OData have the schema of their JSON, and structures that contain themselves one of their own", () => {
  const document = described(`
    type Level : Integer enum { low = 1; high = 2 };
    type Tree { name : String; inner : many Tree; }
    entity E { key id : UUID; byte : UInt8; small : Int16; big : Int64; money : Decimal(9, 2); double : Double;
      day : Date; time : Time; at : DateTime; stamp : Timestamp; bin : Binary(4); image : LargeBinary; map : Map;
      @odata.enum: true level : Level; @odata.enum: #flags bits : Integer enum { a = 1; b = 2 }; tree : Tree; texts : many String;
      @odata.Type: 'Edm.SByte' sbyte : Integer; @odata.Type: 'Edm.Single' single : Double; @odata.Type: 'Edm.Duration' span : Decimal;
      @odata.Type: 'Edm.GeographyPoint' point : Map; }`);
  const text = ({ $ref, anyOf, items, type, ...others }: Part): string =>
    $ref?.replace(/^.*\//, "") ?? anyOf?.map(text).join("|") ?? (items ? `[${text(items)}]` : undefined) ??
      [type, ...Object.values(others)].flat().join(" ");
  const shown = (name: string) =>
    Object.entries(membersOf(document, name)).map(([member, schema]) => `${member}: ${text(schema)}`);
  assert.deepEqual(shown("S.E"), [
    "id: string uuid",
    "byte: integer null 0 255",
    "small: integer null -32768 32767",
    "big: integer string null int64",
    "money: number string null decimal",
    "double: number string null double",
    "day: string null date",
    "time: string null ^\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,12})?)?$",
    "at: string null date-time",
    "stamp: string null date-time",
    "bin: string null base64url",
    "image: string null base64url",
    "map: S.E_map|null",
    "level: S.Level|null",
    "bits: S.E_bits|null",
    "tree_name: string null",
    "tree_inner: [S.Tree|null]",
    "texts: [string null]",
    "sbyte: integer null -128 127",
    "single: number string null float",
    "span: string null ^-?P(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+(\\.\\d{1,12})?S)?)?$",
    "point: object null GeoJSON",
  ]);
  assert.deepEqual(shown("S.Tree"), ["name: string null", "inner: [S.Tree|null]"]);
  const { schemas } = document.components;
  assert.deepEqual(schemas["S.Level"], { type: "string", enum: ["low", "high"] });
  assert.deepEqual(schemas["S.E_bits"], {
    type: "string",
    description: "One or more of a, b, separated by commas",
  });
  assert.deepEqual(schemas["S.E_map"], { type: "object", properties: {}, additionalProperties: true });
});

Deno.test("overloads of a function have ids of their own: behind the first, with the names of their parameters", () => {
  const { paths } = described(`
    function f(a : Integer not null) returns Integer;
    @odata.overload: 'f' function f_2(b : Integer not null) returns Integer;
    @odata.overload: 'f' function f_3(b : Integer not null, c : Integer not null) returns Integer;`);
  const ids = Object.entries<Part>(paths).flatMap(([path, { get }]) =>
    path.startsWith("/f(") ? [[path, get.operationId]] : []
  );
  assert.deepEqual(ids, [["/f(a={a})", "f"], ["/f(b={b})", "f.b"], ["/f(b={b},c={c})", "f.b_c"]]);
});
