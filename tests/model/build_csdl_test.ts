import assert from "node:assert/strict";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { buildCsdl } from "../../src/model/csdl/build_csdl.ts";
import { writeCsdlJson } from "../../src/model/csdl/write_csdl_json.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { recordType } from "./record_type.ts";

type Json = Record<string, unknown>;

const ID = { key: true, type: "cds.Integer" } as const;
const text = { type: "cds.String" } as const;

/** The schema of service `S` as CSDL JSON. */
function schema(definitions: Record<string, CsnDefinition>): Record<string, Json> {
  const model = linkModel({ definitions: { S: { kind: "service" }, ...definitions } });
  return writeCsdlJson(buildCsdl(model.services[0], model)).S as Record<string, Json>;
}

function annotations(definitions: Record<string, CsnDefinition>, target: string): Json {
  return (schema(definitions).$Annotations as Record<string, Json>)?.[target] ?? {};
}

function entity(elements: CsnDefinition["elements"], more: Partial<CsnDefinition> = {}): CsnDefinition {
  return { kind: "entity", elements: { ID, ...elements }, ...more };
}

Deno.test("buildCsdl() names generated entities with _ and gives sets only to entities with keys", () => {
  const result = schema({
    "S.A": entity({
      parts: { type: "cds.Composition", cardinality: { max: "*" }, targetAspect: { elements: { pos: ID } } },
    }),
    "S.NoKey": { kind: "entity", elements: { x: text } },
  });
  assert.deepEqual(result.A_parts.$Key, ["up__ID", "pos"]);
  assert.deepEqual(Object.keys(result.EntityContainer), ["$Kind", "A", "A_parts"]);
  assert.deepEqual(result.EntityContainer.A, {
    $Collection: true,
    $Type: "S.A",
    $NavigationPropertyBinding: { parts: "A_parts" },
  });
  assert.ok(result.NoKey);
});

Deno.test("buildCsdl() flattens structures and puts foreign keys after their association", () => {
  const result = schema({
    "S.A": entity({
      addr: { elements: { city: text, land: { type: "cds.Association", target: "S.L" } } },
      b: { type: "cds.Association", target: "S.L", notNull: true },
    }),
    "S.L": entity({}),
  });
  assert.deepEqual(Object.keys(result.A).slice(2), [
    "ID",
    "addr_city",
    "addr_land",
    "addr_land_ID",
    "b",
    "b_ID",
  ]);
  assert.deepEqual(result.A.b, {
    $Kind: "NavigationProperty",
    $Type: "S.L",
    $ReferentialConstraint: { b_ID: "ID" },
  });
  assert.deepEqual(result.EntityContainer.A, {
    $Collection: true,
    $Type: "S.A",
    $NavigationPropertyBinding: { addr_land: "L", b: "L" },
  });
});

Deno.test("buildCsdl() gives partners to both sides of a plain backlink pair only", () => {
  const many = { type: "cds.Association", cardinality: { max: "*" }, target: "S.B" } as const;
  const result = schema({
    "S.A": entity({
      all: { ...many, on: [{ ref: ["all", "a"] }, "=", { ref: ["$self"] }] },
      some: {
        ...many,
        on: [{ ref: ["some", "a"] }, "=", { ref: ["$self"] }, "and", { ref: ["some", "ID"] }, ">", {
          val: 1,
        }],
      },
      first: { ...many, on: [{ ref: ["first", "ID"] }, "=", { val: 1 }] },
    }),
    "S.B": entity({ a: { type: "cds.Association", target: "S.A" } }),
  });
  assert.equal((result.A.all as Json).$Partner, "a");
  assert.equal((result.A.some as Json).$Partner, undefined);
  assert.equal((result.A.first as Json).$Partner, undefined);
  assert.equal((result.B.a as Json).$Partner, "all");
});

Deno.test("buildCsdl() gives referential constraints to unmanaged and backlink associations to one", () => {
  const result = schema({
    "S.A": entity({
      refID: { type: "cds.Integer" },
      ref: { type: "cds.Association", target: "S.B", on: [{ ref: ["ref", "ID"] }, "=", { ref: ["refID"] }] },
      head: {
        type: "cds.Composition",
        cardinality: { max: 1 },
        target: "S.B",
        on: [{ ref: ["head", "a"] }, "=", { ref: ["$self"] }],
      },
    }),
    "S.B": entity({ a: { type: "cds.Association", target: "S.A" } }),
  });
  assert.deepEqual((result.A.ref as Json).$ReferentialConstraint, { refID: "ID" });
  assert.deepEqual((result.A.head as Json).$ReferentialConstraint, { ID: "a_ID" });
  assert.equal((result.A.head as Json).$OnDelete, "Cascade");
});

Deno.test("buildCsdl() leaves out associations to entities outside the service, not their foreign keys", () => {
  const result = schema({
    "S.A": entity({
      x: { type: "cds.Association", target: "Other" },
      hidden: { ...text, "@cds.api.ignore": true },
    }),
    Other: entity({}),
  });
  assert.deepEqual(Object.keys(result.A), ["$Kind", "$Key", "ID", "x_ID"]);
});

Deno.test("buildCsdl() describes singletons, open types, defaults and collections", () => {
  const result = schema({
    "S.One": {
      kind: "entity",
      "@odata.singleton": true,
      "@open": true,
      elements: {
        tags: { items: { type: "cds.String", length: 5 } },
        phones: { items: { elements: { kind: text } } },
        n: { type: "cds.Integer", notNull: true, default: { val: 3 } },
      },
    },
  });
  assert.deepEqual(result.EntityContainer.One, { $Type: "S.One" });
  assert.equal(result.One.$OpenType, true);
  assert.deepEqual(result.One.tags, { $Collection: true, $Nullable: true, $MaxLength: 5 });
  assert.deepEqual(result.One.phones, { $Collection: true, $Type: "S.One_phones", $Nullable: true });
  assert.deepEqual(result.One.n, { $Type: "Edm.Int32", $DefaultValue: 3 });
  assert.deepEqual(result.One_phones, { $Kind: "ComplexType", kind: { $Nullable: true } });
});

Deno.test("buildCsdl() describes operations, their imports and anonymous types", () => {
  const result = schema({
    "S.A": entity({}, {
      actions: {
        one: { kind: "action", returns: { type: "S.A" } },
        all: {
          kind: "action",
          params: { in: { items: { type: "$self" } }, x: { type: "cds.Date" } },
          "@Core.Description": "All",
        },
        likes: { kind: "action", params: { it: { type: "$self" } }, returns: { items: { type: "S.A" } } },
        others: { kind: "action", returns: { items: { type: "S.B" } } },
      },
    }),
    "S.B": entity({}),
    "S.list": {
      kind: "function",
      params: { top: { type: "cds.Integer" } },
      returns: { items: { type: "S.A" } },
    },
    "S.info": { kind: "action", returns: { elements: { n: { type: "cds.Integer" } } } },
  });
  assert.deepEqual(result.one, [{
    $Kind: "Action",
    $IsBound: true,
    $EntitySetPath: "in",
    $Parameter: [{ $Name: "in", $Type: "S.A", $Nullable: true }],
    $ReturnType: { $Type: "S.A", $Nullable: true },
  }]);
  const pathOf = (name: string) => (result[name] as unknown as Json[])[0].$EntitySetPath;
  assert.equal(pathOf("likes"), "it", "the results are of the set of the entity");
  assert.equal(pathOf("others"), undefined);
  assert.equal(((result.likes as unknown as Json[])[0].$Parameter as Json[])[0].$Name, "it");
  assert.ok((result.$Annotations as Json)["S.all(Collection(S.A))"]);
  assert.deepEqual((result.all as unknown as Json[])[0].$Parameter, [
    { $Name: "in", $Collection: true, $Type: "S.A", $Nullable: true },
    { $Name: "x", $Type: "Edm.Date", $Nullable: true },
  ]);
  assert.deepEqual((result.list as unknown as Json[])[0].$ReturnType, { $Collection: true, $Type: "S.A" });
  assert.deepEqual(result.EntityContainer.list, { $Function: "S.list", $EntitySet: "A" });
  assert.deepEqual((result.info as unknown as Json[])[0].$ReturnType, {
    $Type: "S.return_S_info",
    $Nullable: true,
  });
  assert.deepEqual(result.return_S_info, {
    $Kind: "ComplexType",
    n: { $Type: "Edm.Int32", $Nullable: true },
  });
});

Deno.test("buildCsdl() marks nullable parameters of functions as optional, of actions those with default", () => {
  const params = { a: text, b: { ...text, default: { val: "x" }, notNull: true } } as const;
  const model: Record<string, CsnDefinition> = {
    "S.f": { kind: "function", params, returns: text },
    "S.a": { kind: "action", params },
  };
  assert.deepEqual(annotations(model, "S.f(Edm.String,Edm.String)/a"), {
    "@Core.OptionalParameter": { ...recordType("Core.OptionalParameterType") },
  });
  assert.deepEqual(annotations(model, "S.a()/a"), {});
  assert.deepEqual(annotations(model, "S.a()/b"), {
    "@Core.OptionalParameter": { ...recordType("Core.OptionalParameterType"), DefaultValue: "x" },
  });
});

Deno.test("buildCsdl() gives views with parameters a type for the parameters", () => {
  const result = schema({
    "S.V": entity({}, { params: { p: { type: "cds.Integer" } } }),
  });
  assert.deepEqual(result.VParameters.$Key, ["p"]);
  assert.deepEqual(result.VParameters.Set, {
    $Kind: "NavigationProperty",
    $Collection: true,
    $Type: "S.V",
    $ContainsTarget: true,
  });
  assert.deepEqual(result.EntityContainer.V, {
    $Collection: true,
    $Type: "S.VParameters",
    $IncludeInServiceDocument: false,
  });
});

Deno.test("buildCsdl() describes types of its service that nothing has, none of others", () => {
  const type = { kind: "type", elements: { x: text } } as const;
  const result = schema({ "S.T": type, "O.T": type, "S.A": entity({}), O: { kind: "service" }, "O.U": type });
  assert.deepEqual(Object.keys(result).filter((name) => result[name].$Kind === "ComplexType"), ["T"]);
});

Deno.test("buildCsdl() refuses an operation with the name of a type", () => {
  assert.throws(
    () => schema({ "S.A": entity({}, { actions: { A: { kind: "action" } } }) }),
    /Name "A" stands for two things in the metadata of service "S"/,
  );
});

Deno.test("buildCsdl() says what transitions of a flow change and when they may be called, unless the model does", () => {
  const model = linkModel(parseCdl(`service S { entity E { key ID : Integer;
      @flow.status status : String enum { Open = 'O'; Busy = 'B'; Done; } default 'O'; }
    actions { @from: #Open @to: #Busy action start(); @from: [#Open, #Busy] action look(); @to: #Done action end();
      @from: #Open @to: #Busy @Common.SideEffects.TargetProperties: ['own'] @Core.OperationAvailable: true action given();
      action other(); } }`));
  const csdl = writeCsdlJson(buildCsdl(model.services[0], model)).S as Record<string, Json>;
  const of = (name: string) => {
    const { "@Common.SideEffects": effects, "@Core.OperationAvailable": available } =
      (csdl.$Annotations as Record<string, Json>)[`S.${name}(S.E)`] ?? {};
    return [(effects as Json)?.TargetProperties, available];
  };
  const isOpen = { $Eq: [{ $Path: "in/status" }, "O"] };
  assert.deepEqual(of("start"), [["in/status"], isOpen]);
  assert.deepEqual(of("look"), [undefined, { $Or: [isOpen, { $Eq: [{ $Path: "in/status" }, "B"] }] }]);
  assert.deepEqual(of("end"), [["in/status"], undefined]);
  assert.deepEqual(of("given"), [["own"], true]);
  assert.deepEqual(of("other"), [undefined, undefined]);
});

Deno.test("buildCsdl() arranges a button for each transition of a flow, unless the model arranges some", () => {
  const buttons = (annotated: string) => {
    const model = linkModel(parseCdl(`service S { ${annotated} entity E { key ID : Integer;
        @flow.status status : String enum { Open = 'O'; Busy = 'B'; } default 'O'; }
      actions { @from: #Open @to: #Busy @title: 'Go' action start(); @from: #Open action look();
        @to: #Open @Common.Label: 'Back' @title: 'Other' action stop(); @to: #Busy action end(); } }`));
    const csdl = writeCsdlJson(buildCsdl(model.services[0], model)).S as Record<string, Json>;
    const of = (csdl.$Annotations as Record<string, Json>)["S.E"];
    return ["Identification", "LineItem"].map((term) =>
      (of[`@UI.${term}`] as Json[]).map(({ Action, Label }) => [Action, Label])
    );
  };
  const all = [["S.start", "Go"], ["S.stop", "Back"], ["S.end", "end"]];
  assert.deepEqual(buttons(""), [all, all]);
  assert.deepEqual(buttons("@UI.LineItem: []"), [all, []]);
});
