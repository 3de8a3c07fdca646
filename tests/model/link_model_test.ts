import assert from "node:assert/strict";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";

const ID = { key: true, type: "cds.Integer" } as const;

function link(definitions: Record<string, CsnDefinition>) {
  return linkModel({ definitions });
}

const WAREHOUSE: Record<string, CsnDefinition> = {
  Warehouses: { kind: "entity", elements: { plant: { key: true, type: "cds.String", length: 4 }, code: ID } },
  Bins: {
    kind: "entity",
    elements: { warehouse: { key: true, type: "cds.Association", target: "Warehouses" }, no: ID },
  },
  Goods: {
    kind: "entity",
    elements: {
      ID,
      bin: { type: "cds.Association", target: "Bins", notNull: true },
      site: {
        type: "cds.Association",
        target: "Warehouses",
        keys: [{ ref: ["plant"] }, { ref: ["code"], as: "place" }],
      },
    },
  },
};

Deno.test("linkModel() gives definitions and elements that print as their names and iterate", () => {
  const model = link({ "a.B": { kind: "entity", elements: { ID, x: { type: "cds.Date" } } } });
  const entity = model.entity("a.B")!;
  assert.equal(`${entity}`, "a.B");
  assert.equal(`${entity.elements.x}`, "a.B/x");
  assert.deepEqual([...entity.elements].map(({ name }) => name), ["ID", "x"]);
  assert.equal(entity.elements.toString, undefined, "element names do not collide with object members");
});

Deno.test("linkModel() gives an immutable model", () => {
  const entity = link({ A: { kind: "entity", elements: { ID } } }).entity("A")!;
  assert.throws(() => Object.assign(entity, { kind: "type" }), TypeError);
  assert.throws(() => Object.assign(entity.elements, { y: 1 }), TypeError);
  assert.throws(() => Object.assign(entity.elements.ID, { key: false }), TypeError);
});

Deno.test("linkModel() resolves foreign keys recursively, with the alias of a key in the name", () => {
  const goods = link(WAREHOUSE).entity("Goods")!;
  assert.deepEqual([...goods.$flat.keys()], [
    "ID",
    "bin_warehouse_plant",
    "bin_warehouse_code",
    "bin_no",
    "site_plant",
    "site_place",
  ]);
  const [plant] = goods.elements.bin.$foreignKeys!;
  assert.equal(plant.target, "warehouse_plant");
  assert.deepEqual(plant.element.path, ["bin", "warehouse", "plant"]);
  assert.equal(plant.element.element.$type.length, 4);
  assert.equal(plant.element.foreignKey4, "bin");
  assert.equal(plant.element.notNull, true);
  assert.equal(plant.element.annotated, goods.elements.bin);
});

Deno.test("linkModel() makes the foreign keys of key associations keys", () => {
  const { $flatKeys } = link(WAREHOUSE).entity("Bins")!;
  assert.deepEqual($flatKeys.map(({ name }) => name), ["warehouse_plant", "warehouse_code", "no"]);
});

Deno.test("linkModel() flattens structures, associations inside them included", () => {
  const model = link({
    Address: {
      kind: "type",
      elements: { city: { type: "cds.String" }, land: { type: "cds.Association", target: "L" } },
    },
    L: { kind: "entity", elements: { ID } },
    A: { kind: "entity", elements: { ID, home: { type: "Address" }, work: { type: "Address" } } },
  });
  const { $flat } = model.entity("A")!;
  assert.deepEqual([...$flat.keys()], ["ID", "home_city", "home_land_ID", "work_city", "work_land_ID"]);
  assert.equal($flat.get("work_land_ID")?.foreignKey4, "work_land");
  assert.deepEqual($flat.get("home_city")?.path, ["home", "city"]);
});

Deno.test("linkModel() reports foreign keys that depend on themselves", () => {
  const key = (target: string, name: string) => ({
    [name]: { key: true, type: "cds.Association", target, keys: [{ ref: [name === "a" ? "b" : "a"] }] },
  });
  const model = linkModel({
    definitions: {
      A: { kind: "entity", elements: key("B", "b") },
      B: { kind: "entity", elements: key("A", "a") },
    },
    meta: { flavor: "inferred" },
  });
  assert.throws(() => model.entity("A")!.$flat, /Cyclic foreign key/);
});

Deno.test("linkModel() resolves types through names and references, defaults through enums", () => {
  const model = link({
    Level: { kind: "type", type: "cds.Integer", enum: { low: { val: 1 } } },
    Color: { kind: "type", type: "cds.String", enum: { red: {} } },
    A: {
      kind: "entity",
      elements: {
        ID,
        level: { type: "Level", default: { "#": "low" } },
        color: { type: "Color", default: { "#": "red" } },
        same: { type: { ref: ["A", "level"] } },
        tags: { items: { type: "Level" } },
      },
    },
  });
  const { level, color, same, tags } = model.entity("A")!.elements;
  assert.equal(level.$type.builtin, "cds.Integer");
  assert.equal(level.$type.typeName, "Level");
  assert.deepEqual(level.default, { val: 1 });
  assert.deepEqual(color.default, { val: "red" });
  assert.equal(same.$type.builtin, "cds.Integer");
  assert.equal(tags.$type.items?.$type.builtin, "cds.Integer");
});

Deno.test("linkModel() tells sources, texts, services and local names of entities", () => {
  const model = link({
    "db.A": { kind: "entity", elements: { ID, name: { type: "cds.String", localized: true } } },
    S: { kind: "service" },
    "S.A": { kind: "entity", projection: { from: { ref: ["db.A"] } } },
    "S.run": { kind: "action", params: { x: { type: "cds.Date" } }, returns: { type: "cds.Date" } },
    "S.done": { kind: "event", elements: { x: { type: "cds.Date" } } },
  });
  const entity = model.entity("S.A")!;
  const [service] = model.services;
  assert.equal(entity.$source, model.entity("db.A"));
  assert.equal(entity.$texts, model.entity("S.A.texts"));
  assert.equal(entity.$service, service);
  assert.equal(model.entity("db.A.texts")!.$localName, "A.texts");
  assert.deepEqual(Object.keys(service.entities), ["A", "A.texts"]);
  assert.deepEqual(Object.keys(service.operations), ["run"]);
  assert.deepEqual(Object.keys(service.operations.run.params), ["x"]);
  assert.equal(service.operations.run.$collectionBound, false);
  assert.deepEqual(Object.keys(service.events), ["done"]);
  assert.deepEqual(Object.keys(model.entities("db")), ["A", "A.texts"]);
});

Deno.test("linkModel() takes $self parameters for binding parameters", () => {
  const model = link({
    A: {
      kind: "entity",
      elements: { ID },
      actions: {
        one: { kind: "action", params: { me: { type: "$self" }, x: { type: "cds.Date" } } },
        all: { kind: "action", params: { in: { items: { type: "$self" } } } },
        none: { kind: "function", returns: { type: "cds.Date" } },
      },
    },
  });
  const { one, all, none } = model.entity("A")!.actions;
  assert.equal(one.$bindingParameter, "me");
  assert.deepEqual(Object.keys(one.params), ["x"]);
  assert.equal(all.$collectionBound, true);
  assert.equal(none.$bindingParameter, "in");
  assert.equal(none.returns?.$type.builtin, "cds.Date");
});

Deno.test("linkModel() computes derived values once per model", () => {
  const model = link({});
  let runs = 0;
  const compute = () => ++runs;
  assert.equal(model.derived(compute, compute), 1);
  assert.equal(model.derived(compute, compute), 1);
});

Deno.test("definitions and elements tell what they are: is_entity, is_struct", () => {
  const model = linkModel({
    definitions: {
      Point: { kind: "type", elements: { x: { type: "cds.Integer" } } },
      Places: { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" }, at: { type: "Point" } } },
      Name: { kind: "type", type: "cds.String" },
    },
  });
  const { Places, Point, Name } = model.definitions;
  assert.deepEqual([Places.is_entity, Point.is_entity], [true, false]);
  assert.deepEqual([Places.is_struct, Point.is_struct, Name.is_struct], [true, true, false]);
  assert.deepEqual([Places.elements.at.is_struct, Places.elements.ID.is_struct], [true, false]);
});

Deno.test("entities of a linked model are iterated, named and called; a view inherits from its source (api 9)", () => {
  const model = link({
    Api: { kind: "service" },
    "Api.Goods": WAREHOUSE.Warehouses,
    View: { kind: "entity", projection: { from: { ref: ["Api.Goods"] } } },
  });
  assert.deepEqual([...model.entities].map(({ name }) => name).sort(), ["Api.Goods", "View"]);
  assert.deepEqual([...model.entities("Api")].map(({ name }) => name), ["Api.Goods"]);
  const { View } = model.entities as unknown as Record<
    string,
    { __proto__: { _service?: { name: string } } }
  >;
  assert.equal(View.__proto__._service?.name, "Api");
  assert.equal((View.__proto__ as typeof View).__proto__._service, undefined);
});

Deno.test("linkModel() gives definitions, elements, operations and parameters that nobody can change", () => {
  const model = linkModel(parseCdl(`service S { entity E { key id : Integer; s { x : Integer; } }
    actions { action go(p : Integer) returns String; }; function f(q : Integer) returns many String; }`));
  const { E, f } = { E: model.entity("S.E")!, f: model.definitions["S.f"] };
  const go = E.actions!.go;
  const parts = [
    ...[model.definitions.S, E, E.elements.id, E.elements.s, E.elements.s.$type.elements!.x],
    ...[go, go.params.p, go.returns, f, f.params!.q, f.returns],
  ];
  assert.deepEqual(parts.map(Object.isFrozen), parts.map(() => true));
});
