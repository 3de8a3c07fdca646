import assert from "node:assert/strict";
import { linkModel } from "../../src/model/link_model.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linksOf } from "../../src/model/links.ts";

const MODEL = linkModel({
  definitions: {
    Books: {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", localized: true },
        author: { type: "cds.Association", target: "Authors" },
      },
    },
    Authors: {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        books: {
          type: "cds.Association",
          target: "Books",
          cardinality: { max: "*" },
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
  },
});

Deno.test("linksOf() gives the columns of managed, backlink and texts associations", () => {
  const { Books, Authors } = MODEL.definitions;
  assert.deepEqual(linksOf(Books.elements.author).pairs, [{ source: "author_ID", target: "ID" }]);
  assert.deepEqual(linksOf(Authors.elements.books).pairs, [{ source: "ID", target: "author_ID" }]);
  assert.deepEqual(linksOf(Books.elements.texts).pairs, [{ source: "ID", target: "ID" }]);
});

Deno.test("linksOf() names foreign keys as the association does, behind a backlink and in conditions (CDS)", () => {
  const { definitions: { Authors: { elements } } } = linkModel(parseCdl(`
    entity Books { key ID : Integer; author : Association to Authors { ID as code }; }
    entity Authors { key ID : Integer; books : Association to many Books on books.author = $self;
      same : Association to many Books on same.author.ID = ID; }`));
  for (const name of ["books", "same"]) {
    assert.deepEqual(linksOf(elements[name]).pairs, [{ source: "ID", target: "author_code" }], name);
  }
});

Deno.test("linksOf() takes no pseudo variable for a column", () => {
  const { pairs, constants } = linksOf(MODEL.definitions.Books.elements.localized);
  assert.deepEqual(pairs, [{ source: "ID", target: "ID" }]);
  assert.deepEqual(constants, {});
});
