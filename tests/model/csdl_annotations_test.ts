import assert from "node:assert/strict";
import type { CsnDefinition, CsnElement } from "../../src/model/csn.ts";
import { buildCsdl } from "../../src/model/csdl/build_csdl.ts";
import { writeCsdlJson } from "../../src/model/csdl/write_csdl_json.ts";
import { writeCsdlXml } from "../../src/model/csdl/write_csdl_xml.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { recordType } from "./record_type.ts";

type Json = Record<string, unknown>;

function csdl(definitions: Record<string, CsnDefinition>) {
  const model = linkModel({ definitions: { S: { kind: "service" }, ...definitions } });
  return buildCsdl(model.services[0], model);
}

/** The annotations of element `e` of `S.A` in CSDL JSON. */
function ofElement(element: CsnElement): Json {
  return of(
    { "S.A": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" }, e: element } } },
    "S.A/e",
  );
}

function of(definitions: Record<string, CsnDefinition>, target: string): Json {
  const { S } = writeCsdlJson(csdl(definitions)) as Record<string, { $Annotations?: Record<string, Json> }>;
  return S.$Annotations?.[target] ?? {};
}

function ofEntity(annotations: Partial<CsnDefinition>, target = "S.A"): Json {
  return of({
    "S.A": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } }, ...annotations },
  }, target);
}

function xml(annotations: Partial<CsnDefinition>): string {
  return writeCsdlXml(
    csdl({ "S.A": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } }, ...annotations } }),
    (key) => key === "known" ? "Known <text>" : undefined,
  );
}

Deno.test("buildCsdl() renders known vocabularies only", () => {
  assert.deepEqual(ofEntity({ "@UI.Hidden": true, "@My.Term": 1, "@plain": 2 }), { "@UI.Hidden": true });
});

Deno.test("buildCsdl() gathers keys of the same term and qualifier", () => {
  assert.deepEqual(
    ofEntity({
      "@UI.FieldGroup#Main.Label": "L",
      "@UI.FieldGroup#Main.Data": [{ Value: { "=": "a.b" } }],
      "@UI.FieldGroup#Other.Label": "O",
    }),
    {
      "@UI.FieldGroup#Main": {
        ...recordType("UI.FieldGroupType"),
        Label: "L",
        Data: [{ ...recordType("UI.DataField"), Value: { $Path: "a/b" } }],
      },
      "@UI.FieldGroup#Other": { ...recordType("UI.FieldGroupType"), Label: "O" },
    },
  );
});

Deno.test("buildCsdl() renders nested annotations, enums and nulls; a null term only stops inheritance", () => {
  assert.deepEqual(
    ofEntity({
      "@Common.Text": { "=": "ID" },
      "@Common.Text.@UI.TextArrangement": { "#": "TextOnly" },
      "@Common.Label": null,
      "@UI.SelectionFields": [{ "=": "ID" }, null],
    }),
    {
      "@Common.Text": { $Path: "ID" },
      "@Common.Text@UI.TextArrangement": "TextOnly",
      "@UI.SelectionFields": ["ID", null],
    },
  );
});

Deno.test("buildCsdl() renders expressions as dynamic expressions and leaves out what has none", () => {
  const ref = (name: string) => ({ ref: [name] });
  const rendered = (xpr: readonly unknown[]) => ofEntity({ "@UI.Hidden": { xpr } })["@UI.Hidden"];
  assert.deepEqual(
    rendered([ref("a"), "=", { val: 1 }, "or", "not", ref("b"), "and", ref("c"), "is", "not", "null"]),
    {
      $Or: [
        { $Eq: [{ $Path: "a" }, 1] },
        { $And: [{ $Not: { $Path: "b" } }, { $Ne: [{ $Path: "c" }, null] }] },
      ],
    },
  );
  assert.deepEqual(rendered([{ val: 9 }, "-", { val: 3 }, "-", { val: 2 }, "*", { val: 1 }]), {
    $Sub: [{ $Sub: [9, 3] }, { $Mul: [2, 1] }],
  });
  assert.deepEqual(rendered(["case", "when", ref("a"), "then", { val: 1 }, "else", { val: 2 }, "end"]), {
    $If: [{ $Path: "a" }, 1, 2],
  });
  assert.equal(rendered([{ ref: ["$user", "id"] }, "=", { val: 1 }]), undefined);
  assert.equal(rendered([ref("a"), "like", { val: "x" }]), undefined);
});

Deno.test("buildCsdl() renders calls as functions of OData with all of their arguments (CSDL JSON 4.01, 14.4.2.1)", () => {
  const rendered = (call: unknown) => ofEntity({ "@UI.Hidden": call })["@UI.Hidden"];
  assert.deepEqual(rendered({ func: "contains", args: [{ ref: ["a"] }, { val: "x" }] }), {
    $Apply: [{ $Path: "a" }, "x"],
    $Function: "odata.contains",
  });
  assert.deepEqual(rendered({ func: "now" }), { $Apply: [], $Function: "odata.now" });
});

Deno.test("buildCsdl() translates @title, @description, @mandatory and @readonly of elements", () => {
  assert.deepEqual(
    ofElement({
      type: "cds.String",
      "@title": "T",
      "@description": "D",
      "@mandatory": true,
      "@readonly": true,
    }),
    {
      "@Common.Label": "T",
      "@Core.Description": "D",
      "@Common.FieldControl": "Mandatory",
      "@Core.Computed": true,
    },
  );
});

Deno.test("buildCsdl() marks virtual, calculated and managed elements as computed", () => {
  for (
    const element of [
      { type: "cds.String", virtual: true },
      { type: "cds.Integer", value: { ref: ["ID"] } },
      { type: "cds.Timestamp", "@cds.on.insert": { "=": "$now" } },
      { type: "cds.Timestamp", "@cds.on.update": { "=": "$now" } },
    ] satisfies CsnElement[]
  ) assert.deepEqual(ofElement(element), { "@Core.Computed": true });
});

Deno.test("buildCsdl() translates ranges, exclusive and open bounds, formats and enums", () => {
  assert.deepEqual(ofElement({ type: "cds.Integer", "@assert.range": [1, 10] }), {
    "@Validation.Minimum": 1,
    "@Validation.Maximum": 10,
  });
  assert.deepEqual(
    ofElement({ type: "cds.Integer", "@assert.range": [{ "=": true, val: 0 }, { "=": "_" }] }),
    {
      "@Validation.Minimum": 0,
      "@Validation.Minimum@Validation.Exclusive": true,
    },
  );
  assert.deepEqual(ofElement({ type: "cds.String", "@assert.format": "^a$" }), {
    "@Validation.Pattern": "^a$",
  });
  assert.deepEqual(
    ofElement({ type: "cds.String", enum: { a: {}, b: { val: "B" } }, "@assert.range": true }),
    {
      "@Validation.AllowedValues": [
        { ...recordType("Validation.AllowedValue"), Value: "a", "@Core.SymbolicName": "a" },
        { ...recordType("Validation.AllowedValue"), Value: "B", "@Core.SymbolicName": "b" },
      ],
    },
  );
});

Deno.test("buildCsdl() marks keys of type UUID as computed by default", () => {
  const elements = { ID: { key: true, type: "cds.UUID" } };
  assert.deepEqual(of({ "S.A": { kind: "entity", elements } }, "S.A/ID"), {
    "@Core.ComputedDefaultValue": true,
  });
});

Deno.test("buildCsdl() restricts the sets of read-only and insert-only entities, explicit capabilities win", () => {
  const set = "S.EntityContainer/A";
  const restriction = (verb: string, property: string, value = false) => ({
    [`@Capabilities.${verb}Restrictions`]: {
      ...recordType(`Capabilities.${verb}RestrictionsType`),
      [property]: value,
    },
  });
  assert.deepEqual(ofEntity({ "@readonly": true }, set), {
    ...restriction("Delete", "Deletable"),
    ...restriction("Insert", "Insertable"),
    ...restriction("Update", "Updatable"),
  });
  assert.deepEqual(ofEntity({ "@insertonly": true }, set), {
    ...restriction("Delete", "Deletable"),
    ...restriction("Read", "Readable"),
    ...restriction("Update", "Updatable"),
  });
  assert.deepEqual(
    ofEntity({ "@readonly": true, "@Capabilities.InsertRestrictions.Insertable": true }, set),
    {
      ...restriction("Insert", "Insertable", true),
      ...restriction("Delete", "Deletable"),
      ...restriction("Update", "Updatable"),
    },
  );
});

Deno.test("buildCsdl() announces optimistic concurrency of sets with an ETag element", () => {
  const elements = {
    ID: { key: true, type: "cds.Integer" },
    v: { type: "cds.Integer", "@odata.etag": true },
  };
  assert.deepEqual(ofEntity({ elements }, "S.EntityContainer/A"), { "@Core.OptimisticConcurrency": [] });
});

Deno.test("buildCsdl() puts value lists and field control on the foreign key, labels on both", () => {
  const code = { key: true, type: "cds.String" };
  const definitions: Record<string, CsnDefinition> = {
    "S.A": {
      kind: "entity",
      elements: {
        code,
        c: { type: "cds.Association", target: "S.C", "@title": "See", "@mandatory": true },
      },
    },
    "S.C": {
      kind: "entity",
      "@cds.odata.valuelist": true,
      "@UI.Identification": [{ Value: { "=": "name" } }],
      elements: { code, name: { type: "cds.String" } },
    },
  };
  assert.deepEqual(of(definitions, "S.A/c"), { "@Common.Label": "See" });
  assert.deepEqual(of(definitions, "S.A/c_code"), {
    "@Common.Label": "See",
    "@Common.FieldControl": "Mandatory",
    "@Common.ValueList": {
      ...recordType("Common.ValueListType"),
      Label: "See",
      CollectionPath: "C",
      Parameters: [
        {
          ...recordType("Common.ValueListParameterInOut"),
          LocalDataProperty: "c_code",
          ValueListProperty: "code",
        },
        { ...recordType("Common.ValueListParameterDisplayOnly"), ValueListProperty: "name" },
      ],
    },
  });
  // one value does not choose an entry with two keys
  const other = { key: true, type: "cds.String" };
  const { "S.C": list } = definitions;
  const keyed = { ...definitions, "S.C": { ...list, elements: { ...list.elements, other } } };
  for (const key of ["c_code", "c_other"]) {
    assert.equal(of(keyed, `S.A/${key}`)["@Common.ValueList"], undefined, key);
  }
  const plain = { ...definitions, "S.C": { ...list, "@cds.odata.valuelist": false } };
  assert.equal(of(plain, "S.A/c_code")["@Common.ValueList"], undefined);
  // what shows a code in words is shown beside it, if anything does
  for (const shown of [undefined, [], [{}], [{ Value: "name" }], [{ Value: { "=": "code" } }]]) {
    const codes = { ...definitions, "S.C": { ...list, "@UI.Identification": shown } } as typeof definitions;
    const { Parameters } = of(codes, "S.A/c_code")["@Common.ValueList"] as { Parameters: unknown[] };
    assert.equal(Parameters.length, 1, JSON.stringify(shown));
  }
  const { "S.A": entity } = definitions;
  const { c } = entity.elements!;
  const withOf = (own: object) => ({
    ...definitions,
    "S.A": { ...entity, elements: { ...entity.elements, c: { ...c, ...own } } },
    O: { kind: "service" },
    "O.C": list,
  } as typeof definitions);
  const given = of(withOf({ "@Common.ValueList": { CollectionPath: "Own" } }), "S.A/c_code");
  assert.equal((given["@Common.ValueList"] as { CollectionPath: string }).CollectionPath, "Own");
  assert.equal(of(withOf({ target: "O.C" }), "S.A/c_code")["@Common.ValueList"], undefined);
});

Deno.test("writeCsdlXml() writes each kind of value and replaces the keys of texts it knows", () => {
  const document = xml({
    "@Common.Label": "{i18n>known}",
    "@Core.Description": "{i18n>unknown}",
    "@UI.LineItem": [{ Value: { "=": "a.b" }, Criticality: { "#": "Positive" } }],
    "@UI.Facets": [{ Target: "@UI.FieldGroup#Main" }],
    "@Common.SemanticKey": [{ "=": "ID" }],
    "@Measures.Scale": 1.5,
    "@Core.LongDescription": { $edmJson: { $If: [{ $Eq: [{ $Path: "ID" }, 1] }, "a", null] } },
  });
  for (
    const line of [
      '<Annotation Term="Common.Label" String="Known &lt;text>"/>',
      '<Annotation Term="Core.Description" String="{i18n>unknown}"/>',
      '<Record Type="UI.DataField">',
      '<PropertyValue Property="Value" Path="a/b"/>',
      '<PropertyValue Property="Criticality" EnumMember="UI.CriticalityType/Positive"/>',
      '<PropertyValue Property="Target" AnnotationPath="@UI.FieldGroup#Main"/>',
      "<PropertyPath>ID</PropertyPath>",
      '<Annotation Term="Measures.Scale" Decimal="1.5"/>',
      "<Eq>",
      "<Path>ID</Path>",
      "<Null/>",
      '<edmx:Include Alias="Measures" Namespace="Org.OData.Measures.V1"/>',
    ]
  ) assert.ok(document.includes(line), line);
});

Deno.test("writeCsdlXml() writes a whole document", () => {
  const model = linkModel({
    definitions: {
      S: { kind: "service" },
      "S.A": { kind: "entity", elements: { ID: { key: true, type: "cds.Decimal", precision: 9, scale: 2 } } },
    },
  });
  const document = writeCsdlXml(buildCsdl(model.services[0], model));
  assert.ok(document.startsWith('<?xml version="1.0" encoding="utf-8"?>\n<edmx:Edmx Version="4.0"'));
  assert.equal(
    document.slice(document.indexOf("    <Schema")),
    `    <Schema Namespace="S" xmlns="http://docs.oasis-open.org/odata/ns/edm">
      <EntityContainer Name="EntityContainer">
        <EntitySet Name="A" EntityType="S.A"/>
      </EntityContainer>
      <EntityType Name="A">
        <Key>
          <PropertyRef Name="ID"/>
        </Key>
        <Property Name="ID" Type="Edm.Decimal" Precision="9" Scale="2" Nullable="false"/>
      </EntityType>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>`,
  );
});
