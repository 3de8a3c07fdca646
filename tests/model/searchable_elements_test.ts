import assert from "node:assert/strict";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { searchableElements } from "../../src/model/searchable_elements.ts";

function searched(annotations: Partial<CsnDefinition>): string[] {
  const ID = { key: true, type: "cds.Integer" } as const;
  const text = { type: "cds.String" } as const;
  const model = linkModel({
    definitions: {
      A: {
        kind: "entity",
        ...annotations,
        elements: {
          ID,
          name: text,
          addr: { elements: { city: text, zip: { type: "cds.Integer" } } },
          seen: { ...text, virtual: true },
          b: { type: "cds.Association", target: "B" },
        },
      },
      B: { kind: "entity", elements: { code: { key: true, type: "cds.String" }, title: text } },
    },
  });
  return searchableElements(model.entity("A")!).map((path) => path.join("/"));
}

Deno.test("searchableElements() gives all stored texts by default", () => {
  assert.deepEqual(searched({}), ["name", "addr/city"]);
});

Deno.test("searchableElements() follows @cds.search, also along associations and into structures", () => {
  assert.deepEqual(searched({ "@cds.search.name": true }), ["name"]);
  assert.deepEqual(searched({ "@cds.search.name": false }), ["addr/city"]);
  assert.deepEqual(searched({ "@cds.search.addr": true, "@cds.search.b": true }), [
    "addr/city",
    "b/code",
    "b/title",
  ]);
  assert.deepEqual(searched({ "@cds.search.b.title": true }), ["b/title"]);
  assert.deepEqual(searched({ "@cds.search": false }), []);
});
