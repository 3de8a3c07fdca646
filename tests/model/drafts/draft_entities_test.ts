import assert from "node:assert/strict";
import { compile } from "../../../src/fw/facade_compile.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { draftApi } from "../../../src/model/drafts/draft_api.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { placeOf } from "../../../src/model/problems.ts";
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
