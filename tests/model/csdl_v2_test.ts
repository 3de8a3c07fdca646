/*
 * Metadata of OData 2 (https://www.odata.org/documentation/odata-version-2-0, "Conceptual Schema Definition File Format"),
 * read by the parser of another project and by `fw import`.
 */

import assert from "node:assert/strict";
import csdl from "odata-csdl";
import { compile } from "../../src/fw/facade_compile.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { importCsdl } from "../../src/model/import/import_csdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = parseCdl(`namespace my;
entity Orders {
  key ID : UUID; amount : Decimal(15,2); free : Decimal; day : Date; at : Timestamp; second : DateTime; opens : Time;
  state : Integer enum { open = 1 } @odata.enum; names : many String; note : LargeString; file : LargeBinary;
  items : Composition of many Items on items.order = $self;
  country : Association to Countries not null;
}
entity Items { key order : Association to Orders; key pos : Integer; }
entity Countries { key code : String(3); @title: '{i18n>name}' name : String(40); }
service Shop {
  entity Orders as projection on my.Orders actions {
    action close(reason : String) returns Orders; function due(day : Date) returns many Items; };
  entity Items as projection on my.Items;
  entity Countries as projection on my.Countries;
  entity Busy(least : Integer) as select from my.Orders { ID };
  function best(least : Decimal(15,2)) returns Orders;
  action drop(names : many String, day : Date);
}`);

const xml = () => compile.to.edmx(MODEL, { odataVersion: "2.0" });

Deno.test("metadata of OData 2: types, keys, associations with their sets, function imports", () => {
  const read = csdl.xml2json(xml(), { annotations: true }) as Record<string, Record<string, unknown>>;
  const { Orders, Items, EntityContainer: container } = read["my.Shop"] as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  assert.deepEqual(Items!.$Key, ["order_ID", "pos"]);
  assert.equal(Orders!.names, undefined, "OData 2 has no collections of values");
  const types = Object.entries(Orders!).filter(([, member]) => member.$Type !== undefined && !member.$Kind)
    .map(([name, { $Type }]) => [name, $Type]);
  assert.deepEqual(Object.fromEntries(types), {
    ...{ ID: "Edm.Guid", amount: "Edm.Decimal", free: "Edm.Decimal", day: "Edm.DateTime", opens: "Edm.Time" },
    ...{ at: "Edm.DateTimeOffset", second: "Edm.DateTimeOffset", state: "Edm.Int32", file: "Edm.Binary" },
  });
  assert.match(xml(), /<Property Name="ID" Type="Edm.Guid" Nullable="false"/);
  assert.match(xml(), /<Property Name="amount" Type="Edm.Decimal" Precision="15" Scale="2"\/>/);
  assert.deepEqual(
    Object.keys(container!).filter((name) => !name.startsWith("$")).sort(),
    [
      ...["Busy", "Countries", "Items", "Orders"],
      ...["Orders_close", "Orders_due", "best", "drop"],
    ].sort(),
  );
});

Deno.test("what is written as metadata of OData 2 is imported as the same model", () => {
  const { definitions } = linkModel(
    importCsdl(csdl.xml2json(xml(), { annotations: true }), { name: "Remote" }),
  );
  const { elements } = definitions["Remote.Orders"]!;
  assert.deepEqual(
    ["ID", "amount", "day", "at", "second", "opens", "state"].map((name) => elements[name]!.type),
    ["UUID", "Decimal", "Date", "Timestamp", "DateTime", "Time", "Integer"].map((name) => `cds.${name}`),
  );
  const { items, country } = elements;
  assert.deepEqual([items!.target, items!.is2many], ["Remote.Items", true]);
  assert.deepEqual([country!.target, country!.is2many, country!.notNull], ["Remote.Countries", false, true]);
  assert.deepEqual(country!.on, [{ ref: ["country", "code"] }, "=", { ref: ["country_code"] }]);
  assert.deepEqual(items!.on, [{ ref: ["items", "order"] }, "=", { ref: ["$self"] }]);
  const operations = ["Orders_close", "Orders_due", "best", "drop"].map((name) => {
    const { kind, params } = definitions[`Remote.${name}`]!;
    return [kind, [...params!].map(({ name, type }) => `${name} ${type}`)];
  });
  assert.deepEqual(operations, [
    ["action", ["ID cds.UUID", "reason cds.LargeString"]],
    ["function", ["ID cds.UUID", "day cds.Date"]],
    ["function", ["least cds.Decimal"]],
    ["action", ["day cds.Date"]],
  ]);
});

Deno.test("version: v2 is what existing code asks for; other versions are refused by name", () => {
  assert.equal(compile.to.edmx(MODEL, { version: "v2" }), xml());
  assert.throws(() => compile.to.edm(MODEL, { odataVersion: "2.0" }), /Expected 4\.0 or 4\.01/);
});
