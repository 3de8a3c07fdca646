import assert from "node:assert/strict";
import { linkModel } from "../../src/model/link_model.ts";
import { serviceDocument } from "../../src/model/service_document.ts";

Deno.test("serviceDocument() lists entity sets, auto-exposed ones included, and singletons", () => {
  const ID = { key: true, type: "cds.Integer" } as const;
  const { services } = linkModel({
    definitions: {
      S: { kind: "service" },
      "S.A": { kind: "entity", elements: { ID, name: { type: "cds.String", localized: true } } },
      "S.me": { kind: "entity", "@odata.singleton": true, elements: { id: { type: "cds.String" } } },
      "S.NoKey": { kind: "entity", elements: { x: { type: "cds.String" } } },
      "S.Hidden": { kind: "entity", "@cds.api.ignore": true, elements: { ID } },
    },
  });
  assert.deepEqual(serviceDocument(services[0]), [
    { name: "A", url: "A" },
    { name: "A_texts", url: "A_texts" },
    { name: "me", url: "me", kind: "Singleton" },
  ]);
});

Deno.test("serviceDocument() lists entities in the order in which navigation reaches them", () => {
  const ID = { key: true, type: "cds.Integer" } as const;
  const to = (target: string) => ({ type: "cds.Association", target, keys: [{ ref: ["ID"] }] });
  const { services } = linkModel({
    definitions: {
      S: { kind: "service" },
      "S.First": { kind: "entity", projection: { from: { ref: ["S.Second"] } } },
      "S.Other": { kind: "entity", elements: { ID } },
      "S.Second": { kind: "entity", elements: { ID, third: to("S.Third") } },
      "S.Third": { kind: "entity", elements: { ID, first: to("S.First") } },
    },
  });
  assert.deepEqual(serviceDocument(services[0]).map(({ name }) => name), [
    "First",
    "Second",
    "Third",
    "Other",
  ]);
});
