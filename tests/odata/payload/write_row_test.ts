import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { ExpandShape, ResultShape } from "../../../src/odata/plan/result_shape.ts";
import { canonicalUrl, keyPredicate } from "../../../src/odata/payload/key_predicate.ts";
import { resultContextUrl } from "../../../src/odata/payload/context_url.ts";
import {
  type RowFormat,
  writeElementValue,
  writeEntity,
  writeRemoved,
} from "../../../src/odata/payload/write_row.ts";
import { SHOP } from "../fixture_model.ts";

const model = linkModel(SHOP);
const MINIMAL: RowFormat = { metadata: "minimal", ieee754: false };

function write(entity: string, row: Row, format = MINIMAL, shape?: ResultShape): unknown {
  return JSON.parse(writeEntity(row, model.entity(`ShopService.${entity}`)!, { format, shape }));
}

function expand(entity: string, name: string, more: Partial<ExpandShape> = {}): ResultShape {
  const element = model.entity(`ShopService.${entity}`)!.elements[name]!;
  const shape = { expand: [], computed: [] };
  return {
    computed: [],
    expand: [{ name, element, shape, count: false, ref: false, countOnly: false, ...more }],
  };
}

Deno.test("writeEntity() writes declared members only, null included, undefined left out", () => {
  const row = {
    ID: 1,
    title: null,
    stock: undefined,
    secret: "x",
    size: { width: 1, depth: 2 },
    price: "9.90",
  };
  assert.deepEqual(write("Books", row), { ID: 1, title: null, size_width: 1, price: 9.9 });
});

Deno.test("writeEntity() writes collections as [] also when they are null", () => {
  assert.deepEqual(write("Books", { tags: null }), { tags: [] });
  assert.deepEqual(write("Orders", { items: null, address: null }), { items: [], address: null });
});

Deno.test("writeEntity() leaves streams out, and names their media type when they are selected", () => {
  const row = { ID: 1, type: "text/plain", content: "aGk=" };
  assert.deepEqual(write("Media", row), { ID: 1, type: "text/plain" });
  assert.deepEqual(write("Media", row, MINIMAL, { select: ["content"], expand: [], computed: [] }), {
    ID: 1,
    type: "text/plain",
    "content@odata.mediaContentType": "text/plain",
  });
});

Deno.test("writeEntity() adds the tag of versioned entities", () => {
  assert.deepEqual(write("Versions", { ID: 1, version: 7 }), { "@odata.etag": 'W/"7"', ID: 1, version: 7 });
  assert.deepEqual(write("Versions", { ID: 1 }), { ID: 1 });
  assert.deepEqual(write("Versions", { version: 7 }, { ...MINIMAL, metadata: "none" }), { version: 7 });
});

Deno.test("writeEntity() writes expanded rows, counts and references", () => {
  const rows = Object.assign([{ ID: 2, title: "B" }], { $count: 5 });
  assert.deepEqual(write("Authors", { books: rows }, MINIMAL, expand("Authors", "books", { count: true })), {
    "books@odata.count": 5,
    books: [{ ID: 2, title: "B" }],
  });
  assert.deepEqual(write("Authors", { books: rows }, MINIMAL, expand("Authors", "books", { ref: true })), {
    books: [{ "@odata.id": "Books(2)" }],
  });
  assert.deepEqual(write("Authors", { books: 5 }, MINIMAL, expand("Authors", "books", { countOnly: true })), {
    "books@odata.count": 5,
  });
  assert.deepEqual(write("Books", { author: null }, MINIMAL, expand("Books", "author")), { author: null });
});

Deno.test("writeEntity() adds types and links with full metadata", () => {
  assert.deepEqual(write("Items", { ID: 1, pos: 2 }, { ...MINIMAL, metadata: "full" }), {
    "@odata.type": "#ShopService.Items",
    "@odata.id": "Items(1)",
    "@odata.editLink": "Items(1)",
    "order@odata.associationLink": "Items(1)/order/$ref",
    "order@odata.navigationLink": "Items(1)/order",
    "book@odata.associationLink": "Items(1)/book/$ref",
    "book@odata.navigationLink": "Items(1)/book",
    "ID@odata.type": "#Int32",
    ID: 1,
    "pos@odata.type": "#Int32",
    pos: 2,
  });
});

Deno.test("writeEntity() leaves out null with omit-values=nulls", () => {
  assert.deepEqual(write("Books", { ID: 1, title: null }, { ...MINIMAL, omitNulls: true }), { ID: 1 });
});

Deno.test("keyPredicate() writes keys by type, and nothing when one is missing", () => {
  const orders = model.entity("ShopService.Orders")!;
  assert.equal(
    keyPredicate(orders, { ID: "00000000-0000-4000-8000-000000000001" }),
    "(00000000-0000-4000-8000-000000000001)",
  );
  assert.equal(keyPredicate(orders, {}), undefined);
  const csn = {
    definitions: {
      S: { kind: "service" as const },
      "S.A.b": {
        kind: "entity" as const,
        elements: { k: { key: true, type: "cds.String" }, d: { key: true, type: "cds.Timestamp" } },
      },
    },
  };
  const entity = linkModel(csn).entity("S.A.b")!;
  assert.equal(
    canonicalUrl(entity, { k: "O'Neil/ü", d: "2024-01-01T00:00:00.000Z" }),
    "A_b(k='O''Neil%2F%C3%BC',d=2024-01-01T00:00:00.000Z)",
  );
});

Deno.test("resultContextUrl() names the types of results", () => {
  const scope = { definition: model.service("ShopService")!, model };
  const url = (name: string, rawPath = name) =>
    resultContextUrl(scope.definition.operations[name]!, scope, { rawPath });
  assert.equal(url("add"), "$metadata#Edm.Int32");
  assert.equal(url("names"), "$metadata#Collection(Edm.String)");
  assert.equal(url("echo"), "$metadata#ShopService.Point");
  assert.equal(url("inline"), "$metadata#ShopService.return_ShopService_inline");
  assert.equal(url("cheapest"), "$metadata#Books/$entity");
  assert.equal(url("top"), "$metadata#Books");
  assert.equal(url("add", "Books(1)/x/y"), "../../$metadata#Edm.Int32");
});

Deno.test("writeEntity() nests grouped paths and writes aggregates by their types", () => {
  const element = model.entity("ShopService.Authors")!.elements.name!;
  const aggregated = [
    { name: "author_name", path: ["author", "name"], element },
    { name: "total", path: ["total"], type: { builtin: "cds.Decimal" } },
    { name: "author_ID", path: ["author", "ID"] },
  ];
  const row = { author_name: "Emily", author_ID: 1, total: "12.50", hidden: 1 };
  assert.deepEqual(write("Books", row, MINIMAL, { expand: [], computed: [], aggregated }), {
    author: { name: "Emily", ID: 1 },
    total: 12.5,
  });
});

Deno.test("writeElementValue() takes one row or value for a collection of it, and the first of several for one", () => {
  const elements = (name: string) => model.entity(`ShopService.${name}`)!.elements;
  const written = (element: string, value: unknown, format = MINIMAL) => {
    const [entity, name] = element.split("/");
    return JSON.parse(writeElementValue(value, elements(entity!)[name!]!, format));
  };
  const bare: RowFormat = { ...MINIMAL, bare: true };
  for (const none of [null, undefined]) {
    assert.deepEqual(written("Authors/books", none), []);
    assert.deepEqual(written("Books/author", none), null);
    assert.deepEqual(written("Books/tags", none), []);
    assert.deepEqual(written("Books/tags", none, bare), null);
    assert.deepEqual(written("Books/title", none), null);
  }
  assert.deepEqual(written("Authors/books", { ID: 1 }), [{ ID: 1 }]);
  assert.deepEqual(written("Authors/books", [{ ID: 1 }, { ID: 2 }]), [{ ID: 1 }, { ID: 2 }]);
  assert.deepEqual(written("Authors/books", [5, null]), [5, null]);
  assert.deepEqual(written("Books/author", [{ ID: 1 }, { ID: 2 }]), { ID: 1 });
  assert.deepEqual(written("Books/author", []), null);
  assert.deepEqual(written("Books/author", { ID: 1, nothing: 2 }), { ID: 1 });
  assert.deepEqual(written("Books/tags", "a"), ["a"]);
  assert.deepEqual(written("Books/tags", ["a", null]), ["a", null]);
});

Deno.test("writeRemoved() has the form of the version of the protocol (JSON Format 15.3)", () => {
  const books = model.entity("ShopService.Books")!;
  const removed = (version: "4.0" | "4.01", reason: "deleted" | "changed") =>
    JSON.parse(writeRemoved(books, { ID: 1 }, { version, reason }));
  assert.deepEqual(removed("4.0", "deleted"), {
    ...{ "@odata.context": "#Books/$deletedEntity", id: "Books(1)", reason: "deleted" },
  });
  assert.deepEqual(removed("4.01", "changed"), {
    "@odata.removed": { reason: "changed" },
    "@odata.id": "Books(1)",
  });
});
