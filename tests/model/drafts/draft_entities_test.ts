import assert from "node:assert/strict";
import { compile } from "../../../src/fw/facade_compile.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { draftApi } from "../../../src/model/drafts/draft_api.ts";
import { draftNodes } from "../../../src/model/drafts/with_drafts.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { placeOf } from "../../../src/model/problems.ts";
import type { CsnDefinition } from "../../../src/model/csn.ts";
import type { LinkedEntity } from "../../../src/model/linked.ts";

const parsed = (text: string) =>
  compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? text : undefined });

const MODEL = parsed(`
  context my { entity Orders { key ID : UUID; title : String @mandatory; rest : Decimal = price - paid; price : Decimal; paid : Decimal;
    items : Composition of many Items on items.order = $self; buyer : Association to Buyers; }
  entity Items { key ID : UUID; order : Association to Orders; amount : Integer @assert.range: [1, 9]; }
  entity Buyers { key ID : UUID; name : String; } }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
    entity Buyers as projection on my.Buyers;
    @odata.draft.enabled: null @cds.redirection.target: false entity OrderList as projection on my.Orders;
  }`);

Deno.test("linkModel() gives entities with drafts, and their parts, draft entities: X.drafts", () => {
  const model = linkModel(MODEL);
  const names = model.all("entity").map(({ name }) => name).filter((name) => name.endsWith(".drafts"));
  assert.deepEqual(names, ["Shop.Orders.drafts", "Shop.Items.drafts"]);
  const drafts = model.entity("Shop.Orders")!.drafts as LinkedEntity;
  assert.deepEqual(drafts.name, "Shop.Orders.drafts");
  assert.equal(drafts.drafts, undefined);
  assert.deepEqual(model.entity("Shop.Buyers")!.drafts, { name: "Shop.Buyers.drafts" });
  assert.deepEqual([...drafts.elements].map(({ name }) => name).slice(-6), [
    "IsActiveEntity",
    "HasActiveEntity",
    "HasDraftEntity",
    "DraftAdministrativeData",
    "SiblingEntity",
    "DraftMessages",
  ]);
});

Deno.test("drafts consist of drafts, lead back to drafts, and refer to active instances of others", () => {
  const model = linkModel(MODEL);
  const { elements } = model.entity("Shop.Orders.drafts")!;
  assert.deepEqual(elements.items.$target?.name, "Shop.Items.drafts");
  assert.deepEqual(elements.buyer.$target?.name, "Shop.Buyers");
  assert.deepEqual(model.entity("Shop.Items.drafts")!.elements.order.$target?.name, "Shop.Orders.drafts");
});

Deno.test("drafts have no checks, and calculated elements are calculated from the draft", () => {
  const { elements } = linkModel(MODEL).entity("Shop.Orders.drafts")!;
  assert.deepEqual(elements.title["@mandatory"], undefined);
  assert.deepEqual(elements.rest.value !== undefined, true);
});

Deno.test("metadata of entities with drafts has their keys, actions and annotations", () => {
  const edm = compile.to.edm(linkModel(MODEL), { service: "Shop" }) as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  const { Shop } = edm;
  assert.deepEqual(Shop.Orders.$Key, ["ID", "IsActiveEntity"]);
  assert.deepEqual(Shop.Buyers.$Key, ["ID"]);
  assert.deepEqual(Shop.OrderList.$Key, ["ID"]);
  assert.deepEqual(Object.keys(Shop).filter((name) => name.startsWith("draft")), [
    "draftPrepare",
    "draftActivate",
    "draftEdit",
  ]);
  assert.deepEqual(Object.keys(Shop.EntityContainer).filter((name) => /draft/i.test(name)), []);
  const annotations = Shop.$Annotations as Record<string, Record<string, unknown>>;
  assert.deepEqual(annotations["Shop.EntityContainer/Orders"]["@Common.DraftRoot"], {
    "@odata.type": "https://sap.github.io/odata-vocabularies/vocabularies/Common.xml#Common.DraftRootType",
    ActivationAction: "Shop.draftActivate",
    EditAction: "Shop.draftEdit",
    PreparationAction: "Shop.draftPrepare",
  });
  assert.deepEqual(
    Object.keys(annotations["Shop.EntityContainer/Items"]).some((name) =>
      name.startsWith("@Common.DraftNode")
    ),
    true,
  );
});

Deno.test("texts of entities with @fiori.draft.enabled have a key of their own", () => {
  const model = linkModel(parsed(`
    @fiori.draft.enabled entity Books { key ID : Integer; title : localized String; }`));
  const texts = model.entity("Books.texts")!;
  assert.deepEqual([...texts.keys].map(({ name }) => name), ["ID_texts"]);
  assert.deepEqual(texts["@assert.unique.locale"], [{ "=": "locale" }, { "=": "ID" }]);
});

Deno.test("entities with drafts, their draft entities and what clients see of them keep their place in the source", () => {
  const model = linkModel(MODEL);
  const place = { file: "m.cds", line: 7 };
  const api = draftApi(model);
  for (
    const found of [
      model.entity("Shop.Orders"),
      model.entity("Shop.Orders.drafts"),
      api.entity("Shop.Orders"),
    ]
  ) {
    const { file, line } = placeOf(found);
    assert.deepEqual({ file, line }, place, found?.name);
  }
  assert.equal(
    placeOf(model.entity("Shop.Items.drafts")!.elements.amount).line,
    placeOf(model.entity("Shop.Items")!.elements.amount).line,
  );
  assert.equal(placeOf(api.service("Shop")).line, 6);
});

Deno.test("the action that begins a draft takes the keys that nobody generates", () => {
  const model = linkModel(parsed(`service S {
    @odata.draft.enabled entity Orders { key ID : UUID; key year : Integer; key no : String(8); title : String; } }`));
  const paramsOf = (newAction: boolean) => {
    const { actions } = draftApi(model, { messages: false, newAction }).entity("S.Orders")!;
    const create = [...actions ?? []].find(({ name }) => name.endsWith("draftNew"));
    return create && [...create.params].map(({ name }) => name);
  };
  assert.deepEqual(paramsOf(true), ["year", "no"]);
  assert.equal(paramsOf(false), undefined);
});

Deno.test("clients are told to read messages with each change only where drafts keep them", () => {
  const told = (messages: boolean) => {
    const order = draftApi(linkModel(MODEL), { messages, newAction: false }).entity("Shop.Orders")!;
    return Object.fromEntries(
      Object.entries(order).filter(([name]) => /SideEffects|Messages/.test(name) && name.startsWith("@")),
    );
  };
  assert.deepEqual(told(true), {
    "@Common.SideEffects#alwaysFetchMessages.SourceEntities": [{ "=": "" }],
    "@Common.SideEffects#alwaysFetchMessages.TargetProperties": ["DraftMessages"],
    "@Common.Messages": { "=": "DraftMessages" },
  });
  assert.deepEqual(told(false), {});
});

Deno.test("an association that compares what its composition does leads to drafts, with $self in front of columns or not", () => {
  const targetOf = (legs: string, trip: string) => {
    const model = linkModel(parsed(`service Shop {
      @odata.draft.enabled entity Trips { key ID : Integer; no : Integer; legs : Composition of many Legs on ${legs}; }
      entity Legs { key ID : Integer; tripId : Integer; trip : Association to one Trips on ${trip}; }
    }`));
    return model.entity("Shop.Legs.drafts")!.elements.trip!.$target!.name;
  };
  const drafts = "Shop.Trips.drafts";
  assert.equal(targetOf("legs.tripId = ID", "trip.ID = tripId"), drafts);
  assert.equal(targetOf("legs.tripId = $self.ID", "trip.ID = $self.tripId"), drafts);
  assert.equal(targetOf("legs.tripId = ID", "$self.tripId = trip.ID"), drafts);
  assert.equal(targetOf("$self.ID = legs.tripId", "trip.ID = tripId"), drafts);
  assert.equal(targetOf("legs.tripId = $self.no", "trip.ID = $self.tripId"), "Shop.Trips");
  assert.equal(targetOf("legs.tripId = ID", "trip.ID = $self.ID"), "Shop.Trips");
});

Deno.test("a part whose condition compares more leads to drafts where it compares the same, by equality", () => {
  const targetOf = (legs: string, trip: string) => {
    const model = linkModel(parsed(`service Shop {
      @odata.draft.enabled entity Trips { key a : Integer; key b : Integer; legs : Composition of many Legs on ${legs}; }
      entity Legs { key ID : Integer; a : Integer; b : Integer; trip : Association to one Trips on ${trip}; }
    }`));
    return model.entity("Shop.Legs.drafts")!.elements.trip!.$target!.name;
  };
  const drafts = "Shop.Trips.drafts";
  const cases: readonly (readonly [legs: string, trip: string, target: string])[] = [
    ["legs.a = a and legs.b = b", "trip.a = a and trip.b = b", drafts],
    ["legs.a = a and legs.b = b", "trip.b = b and trip.a = a", drafts],
    ["legs.a = a and legs.b = b", "trip.a = a", "Shop.Trips"],
    ["legs.a = a", "trip.a = a and trip.b = b", "Shop.Trips"],
    ["legs.a = a and legs.b = b", "trip.a = b and trip.b = a", "Shop.Trips"],
    ["legs.a > a", "trip.a > a", "Shop.Trips"],
    ["legs.a = a", "trip.a > a", "Shop.Trips"],
    ["legs.a = a and legs.b = 1", "trip.a = a and trip.b = 1", drafts],
  ];
  for (const [legs, trip, target] of cases) assert.equal(targetOf(legs, trip), target, `${legs} | ${trip}`);
});

Deno.test("an entity, its draft and its sibling are joined by all keys, those of associations by their columns", () => {
  const model = linkModel(parsed(`service S {
    entity Years { key no : Integer; }
    @odata.draft.enabled entity Orders { key year : Association to Years; key ID : UUID; virtual key v : Integer; title : String; }
  }`));
  const joined = (association: string) => [
    { ref: [association, "year", "no"] },
    "=",
    { ref: ["year", "no"] },
    "and",
    { ref: [association, "ID"] },
    "=",
    { ref: ["ID"] },
  ];
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
  assert.deepEqual(plain(model.entity("S.Orders")!.elements.DraftRow_.on), joined("DraftRow_"));
  assert.deepEqual(
    plain(model.entity("S.Orders.drafts")!.elements.SiblingEntity.on),
    joined("SiblingEntity"),
  );
});

Deno.test("parts know the associations to their wholes that compositions name, and nothing else", () => {
  const linksOf = (on: string) => {
    const model = linkModel(parsed(`service S {
      @odata.draft.enabled entity Orders { key ID : Integer; no : Integer; items : Composition of many Items on ${on};
        again : Composition of many Items on again.order = $self; notes : Composition of many Notes on notes.owner = $self;
        others : Association to many Notes on others.other = $self; }
      entity Items { key ID : Integer; nr : Integer; order : Association to Orders; before : Association to Orders;
        in { whole : Association to Orders; } }
      entity Notes { key ID : Integer; owner : Association to Orders; other : Association to Orders; }
    }`));
    return ["Orders", "Items", "Notes"].map((name) => model.entity(`S.${name}`)!["@fw.part.by"]);
  };
  assert.deepEqual(linksOf("items.order = $self"), [undefined, ["order"], ["owner"]]);
  assert.deepEqual(linksOf("$self = items.order"), [undefined, ["order"], ["owner"]]);
  assert.deepEqual(linksOf("items.nr = $self.no"), [undefined, ["order"], ["owner"]]);
  assert.deepEqual(linksOf("$self.no = items.nr"), [undefined, ["order"], ["owner"]]);
  assert.deepEqual(linksOf("items.in.whole = $self"), [undefined, ["order"], ["owner"]]);
  assert.deepEqual(linksOf("items.before = $self"), [undefined, ["before", "order"], ["owner"]]);
});

Deno.test("keys of drafts may not be null, other elements may, and none is localized", () => {
  const model = linkModel(parsed(`service S { @odata.draft.enabled entity Orders {
    key ID : UUID not null; key no : Integer; title : localized String not null; buyer : Association to Orders not null; } }`));
  const { elements } = model.entity("S.Orders.drafts")!;
  const told = ["ID", "no", "title", "buyer"].map((
    name,
  ) => [name, elements[name].notNull, elements[name].localized]);
  assert.deepEqual(told, [
    ["ID", true, undefined],
    ["no", undefined, undefined],
    ["title", undefined, undefined],
    ["buyer", undefined, undefined],
  ]);
});

Deno.test("drafts begin in the innermost service, stay in it, and are not kept for other systems", () => {
  const entity = (parts: readonly string[], enabled?: boolean): CsnDefinition => ({
    kind: "entity",
    ...(enabled === undefined ? {} : { "@odata.draft.enabled": enabled }),
    elements: {
      ID: { key: true, type: "cds.UUID" },
      ...Object.fromEntries(parts.map((target, at) => [`c${at}`, { type: "cds.Composition", target }])),
      other: { type: "cds.Association", target: "S.Other" },
    },
  });
  const nodes = draftNodes({
    "S.In": { kind: "service" },
    S: { kind: "service" },
    "S.In.Deep": { kind: "service" },
    Far: { kind: "service", "@cds.external": true },
    SX: { kind: "type", type: "cds.UUID" },
    Outside: entity([], true),
    "Far.E": entity([], true),
    "S.Aspect": { ...entity([], true), kind: "aspect" },
    "S.Off": entity([], false),
    "S.Other": entity([]),
    "S.A": entity(["S.B", "Outside", "S.Gone"], true),
    "S.B": entity(["S.In.Own", "S.A", "S.B"]),
    "S.In.C": entity(["S.In.D", "S.E"], true),
    "S.In.D": entity(["S.Other"], true),
    "S.In.Own": entity([]),
    "S.In.Deep.F": entity([], true),
    "S.E": entity([]),
  });
  assert.deepEqual([...nodes.values()], [
    { name: "S.A", service: "S", isRoot: true },
    { name: "S.B", service: "S", isRoot: false },
    { name: "S.In.Own", service: "S", isRoot: false },
    { name: "S.In.C", service: "S.In", isRoot: true },
    { name: "S.In.D", service: "S.In", isRoot: true },
    { name: "S.In.Deep.F", service: "S.In.Deep", isRoot: true },
  ]);
});

Deno.test("elements of drafts are calculated as in the source of a projection that keeps the names", () => {
  const valueOf = (projection: string, name: string) => {
    const model = linkModel(parsed(`
      entity my.Base { key ID : UUID; price : Integer; twice : Integer = price * 2; plain : Association to my.Plain; }
      entity my.Plain { key ID : UUID; price : Integer; twice : Integer; }
      entity my.View as projection on my.Base;
      service S { @odata.draft.enabled entity E as ${projection}; }`));
    return model.entity("S.E.drafts")!.elements[name]?.value !== undefined;
  };
  const cases: readonly (readonly [string, boolean])[] = [
    ["projection on my.Base", true],
    ["projection on my.View", true],
    ["projection on my.Base { ID, price, twice }", true],
    ["projection on my.Base { ID, price as cost, twice }", false],
    ["projection on my.Base { * }", true],
    ["projection on my.Base { *, price as cost }", false],
    ["projection on my.Base:plain", false],
    ["select from my.Base", false],
  ];
  for (const [projection, expected] of cases) {
    assert.equal(valueOf(projection, "twice"), expected, projection);
    assert.equal(valueOf(projection, "ID"), false, projection);
  }
});

Deno.test("only backlinks of compositions in the tree lead to drafts", () => {
  const model = linkModel(parsed(`
    service Other { @cds.autoexpose: false entity Logs { key ID : UUID; order : Association to S.Orders; } }
    service S {
      @odata.draft.enabled entity Orders { key ID : UUID; items : Composition of many Items on items.order = $self;
        seen : Association to many Items on seen.viewed = $self; logs : Composition of many Other.Logs on logs.order = $self; }
      actions { action confirm(); function state() returns String; };
      entity Items { key ID : UUID; order : Association to Orders; before : Association to Orders; viewed : Association to Orders; }
    }`));
  const orders = model.entity("S.Orders.drafts")!;
  const items = model.entity("S.Items.drafts")!;
  const targets = [
    orders.elements.items,
    orders.elements.seen,
    orders.elements.logs,
    items.elements.order,
    items.elements.before,
    items.elements.viewed,
  ];
  assert.deepEqual(targets.map(({ name, target }) => `${name}: ${target}`), [
    "items: S.Items.drafts",
    "seen: S.Items",
    "logs: Other.Logs",
    "order: S.Orders.drafts",
    "before: S.Orders",
    "viewed: S.Orders",
  ]);
  assert.deepEqual([...orders.actions ?? []].map(({ name }) => name), ["confirm", "state"]);
  assert.deepEqual([...items.actions ?? []], []);
});

Deno.test("administrative data of drafts tell who and when, names of at most 256 characters", () => {
  const { elements } = linkModel(MODEL).entity("DRAFT.DraftAdministrativeData")!;
  const told = [...elements].filter(({ type }) => type === "cds.String" || type === "cds.Timestamp").map((
    { name, type, length },
  ) => [name, type, length]);
  assert.deepEqual(told, [
    ["CreationDateTime", "cds.Timestamp", undefined],
    ["CreatedByUser", "cds.String", 256],
    ["LastChangeDateTime", "cds.Timestamp", undefined],
    ["LastChangedByUser", "cds.String", 256],
    ["InProcessByUser", "cds.String", 256],
  ]);
});
