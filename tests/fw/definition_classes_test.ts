import assert from "node:assert/strict";
import { builtinTypes } from "../../src/fw/builtin_types.ts";
import { type DefinitionClasses, definitionClasses } from "../../src/fw/definition_classes.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

const MODEL = linkModel(csnOf(`
  context ctx { type T : String; type U { x : Integer; } aspect Asp { y : String; } }
  entity E { key id : Integer; name : String; ok : Boolean; at : Timestamp; day : Date; clock : Time; bin : Binary;
    big : LargeString; uid : UUID; dec : Decimal; dbl : Double; small : UInt8; s { x : Integer; } list : many String;
    to : Association to E; parts : Composition of many E on parts.to = $self; }
  service S { event ev { x : Integer; } action act(); function fun() returns String; }
`));
const { definitions } = MODEL;
const elements = MODEL.entity("E")!.elements;

/** Names of the classes that a definition or element is an instance of. */
function classesOf(one: unknown): string {
  const names = Object.keys(definitionClasses) as (keyof DefinitionClasses)[];
  return names.filter((name) => one instanceof definitionClasses[name]).sort().join(" ");
}

Deno.test("linked definitions and elements are instances of the classes of their kinds (api 9)", () => {
  const expected: Readonly<Record<string, readonly unknown[]>> = {
    "any context": [definitions.ctx],
    "any scalar string type": [definitions["ctx.T"]],
    "any struct type": [definitions["ctx.U"]],
    "any aspect struct": [definitions["ctx.Asp"]],
    "any entity struct": [definitions.E],
    "any context service": [definitions.S],
    "any event struct": [definitions["S.ev"]],
    "action any": [definitions["S.act"]],
    "any function": [definitions["S.fun"]],
    "any number scalar": ["id", "dec", "dbl", "small"].map((name) => elements[name]),
    "any scalar string": ["name", "bin", "big", "uid"].map((name) => elements[name]),
    "any boolean scalar": [elements.ok],
    "any date scalar": ["at", "day", "clock"].map((name) => elements[name]),
    "any struct": [elements.s],
    "any array": [elements.list],
    "Association any": [elements.to],
    "Association Composition any": [elements.parts],
    "": [undefined, null, "entity", {}, 5],
  };
  for (const [classes, members] of Object.entries(expected)) {
    for (const one of members) assert.equal(classesOf(one), classes, String(one));
  }
});

Deno.test("definitions are made by hand, with members that belong to no model (api 9)", () => {
  const { entity, Association, Composition, service, array } = definitionClasses;
  const made = new entity({ name: "Made", elements: {} }) as Record<string, unknown>;
  assert.deepEqual([made.kind, made.name, made instanceof entity], ["entity", "Made", true]);
  assert.equal(Object.getPrototypeOf(made), entity.prototype);
  assert.equal((new service() as { kind: string }).kind, "service");
  const to = new Association({ target: "E" });
  const parts = new Composition();
  assert.deepEqual([JSON.stringify(to), JSON.stringify(parts)], [
    '{"type":"cds.Association","target":"E"}',
    '{"type":"cds.Composition"}',
  ]);
  const classes = {
    ...{ "any entity struct": made, "Association any": to, "Association Composition any": parts },
    "any array": new array({ items: { type: "cds.String" } }),
    "any scalar string": new definitionClasses.string({ type: "cds.String" }),
    "any struct": new definitionClasses.struct({ elements: {} }),
  };
  for (const [names, one] of Object.entries(classes)) assert.equal(classesOf(one), names);
});

Deno.test("built-in types are found by local and full names, and are of one class with their kind (api 1)", () => {
  assert.equal(builtinTypes.String, builtinTypes["cds.String"]);
  assert.deepEqual([builtinTypes.String!.name, builtinTypes.String!.type], ["cds.String", "cds.String"]);
  assert.deepEqual([builtinTypes.number!.name, builtinTypes.number!.type], ["number", "number"]);
  const kinds: Readonly<Record<string, readonly string[]>> = {
    boolean: ["Boolean"],
    number: ["Integer", "Int16", "Int32", "Int64", "UInt8", "Integer64", "Decimal", "Double"],
    date: ["Date", "DateTime", "Time", "Timestamp"],
    string: ["String", "LargeString", "Binary", "LargeBinary", "UUID", "Map", "Vector"],
  };
  for (const [kind, names] of Object.entries(kinds)) {
    for (const name of names) {
      const type = builtinTypes[name]!;
      for (const other of Object.keys(kinds)) {
        assert.equal(type instanceof builtinTypes[other]!.constructor, other === kind, `${name} ${other}`);
      }
      assert.ok(type instanceof builtinTypes.scalar!.constructor, name);
      assert.ok(Object.isFrozen(type), name);
    }
  }
});

Deno.test("built-in types of days and instants know today and now, outside of requests by the clock", () => {
  const before = new Date().toISOString();
  assert.match(builtinTypes.Date!.today!(), /^\d{4}-\d\d-\d\d$/);
  assert.match(builtinTypes.DateTime!.now!(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const now = builtinTypes.Timestamp!.now!();
  assert.ok(before <= now && now <= new Date().toISOString(), now);
  assert.equal(builtinTypes.String!.now, undefined);
});
