import assert from "node:assert/strict";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { searchableElements } from "../../src/model/search.ts";

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
  assert.deepEqual(searched({ "@cds.search.b": true }), ["b/code", "b/title", "name", "addr/city"]);
  assert.deepEqual(searched({ "@cds.search": false }), []);
});

Deno.test("searchableElements() of a projection follows @cds.search of its source under its own names", () => {
  const model = linkModel(parseCdl(`
    @cds.search: { name, writer.name, place.town, hidden }
    entity Books { key ID : Integer; name : String; note : String; hidden : String;
      place { town : String; }; writer : Association to Writers; }
    entity Writers { key ID : Integer; name : String; }
    entity Renamed as projection on Books { ID, name as title, writer as author, place.town as city, note };
    entity Twice as projection on Books { ID, name as title, name, place as at };
    entity Further as projection on Renamed { ID, title as heading, author as by };
    @cds.search: { note } entity Own as projection on Books { ID, name as title, note };
    entity Joined as select from Books as b join Writers as w on b.writer.ID = w.ID { b.ID, w.name, b.name as title };`));
  const searched = (name: string) =>
    searchableElements(model.entity(name)!).map((path) => path.join("/")).sort();
  assert.deepEqual(searched("Renamed"), ["author/name", "city", "title"]);
  assert.deepEqual(searched("Twice"), ["at/town", "name"]);
  assert.deepEqual(searched("Further"), ["by/name", "heading"]);
  assert.deepEqual(searched("Own"), ["note", "title"]);
  assert.deepEqual(searched("Joined"), ["title"]);
});

Deno.test("searchableElements() ends behind three associations where @cds.search leads round", () => {
  const searched = (annotation: string) => {
    const model = linkModel(parseCdl(`@cds.search: ${annotation}
      entity Persons { key ID : Integer; name : String; note : String; boss : Association to Persons; }`));
    return searchableElements(model.entity("Persons")!).map((path) => path.join("/")).sort();
  };
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["{ boss, name }", ["boss/boss/boss/name", "boss/boss/name", "boss/name", "name"]],
    ["{ boss.boss, name }", ["boss/boss/name", "name"]],
    ["{ boss.boss.boss.name }", ["boss/boss/boss/name"]],
    ["{ boss.boss.boss.boss.name, name }", ["name"]],
  ];
  for (const [annotation, paths] of table) assert.deepEqual(searched(annotation), paths, annotation);
});
