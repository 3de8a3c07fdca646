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
    { name: "me", url: "me", kind: "Singleton" },
    { name: "A_texts", url: "A_texts" },
  ]);
});
