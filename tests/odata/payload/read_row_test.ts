import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { ServiceError } from "../../../src/errors/service_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { type JsonValue, parseJson } from "../../../src/odata/payload/parse_json.ts";
import { readEntity, readParameters, readSingle } from "../../../src/odata/payload/read_row.ts";
import { type InputOptions, Violations } from "../../../src/odata/payload/reading.ts";
import { SHOP } from "../fixture_model.ts";

const model = linkModel(SHOP);

function read<T>(run: (options: InputOptions) => T): T {
  const violations = new Violations(DEFAULT_LIMITS);
  const resolveLink = (link: string): Row => ({ ID: Number(/\d+/.exec(link)?.[0]) });
  const value = run({ model, defaultStringLength: 255, violations, resolveLink });
  violations.throwIfAny();
  return value;
}

function readBody(entity: string, body: unknown): Row {
  return read((options) => readEntity(parseJson(JSON.stringify(body), 9), model.entity(entity)!, options));
}

function expectError(run: () => unknown, expected: Record<string, unknown>): void {
  assert.throws(run, (error: unknown) => {
    assert(error instanceof ServiceError);
    const { name: _name, ...members } = { ...error, message: error.message };
    assert.deepEqual(members, expected);
    return true;
  });
}

Deno.test("readEntity() gives flat rows with foreign keys of references", () => {
  const body = {
    "@odata.context": "x",
    ID: 1,
    title: "A",
    size_width: 3,
    tags: ["x"],
    price: "9.90",
    author: { ID: 7 },
  };
  assert.deepEqual(readBody("ShopService.Books", body), {
    ID: 1,
    title: "A",
    size_width: 3,
    tags: ["x"],
    price: 9.9,
    author_ID: 7,
  });
  assert.deepEqual(readBody("ShopService.Books", { author: null }), { author_ID: null });
  assert.deepEqual(readBody("ShopService.Books", { author_ID: 5 }), { author_ID: 5 });
});

Deno.test("readEntity() resolves links of @odata.bind, @bind and @odata.id", () => {
  assert.deepEqual(readBody("ShopService.Books", { "author@odata.bind": "Authors(101)" }), {
    author_ID: 101,
  });
  assert.deepEqual(readBody("ShopService.Books", { "author@bind": "Authors(101)" }), { author_ID: 101 });
  assert.deepEqual(readBody("ShopService.Books", { author: { "@odata.id": "Authors(9)" } }), {
    author_ID: 9,
  });
});

Deno.test("readEntity() keeps compositions deep and drops to-many associations", () => {
  const body = { items: [{ pos: 1, book: { ID: 2 } }], address: { city: "X" } };
  assert.deepEqual(readBody("ShopService.Orders", body), {
    items: [{ pos: 1, book_ID: 2 }],
    address: { city: "X" },
  });
  assert.deepEqual(readBody("ShopService.Orders", { items: null, address: null }), {
    items: [],
    address: null,
    address_ID: null,
  });
  assert.deepEqual(readBody("ShopService.Authors", { books: [{ title: "x" }] }), {});
});

Deno.test("readEntity() rejects unknown properties with the nearest name", () => {
  expectError(() => readBody("ShopService.Books", { titel: 1 }), {
    status: 400,
    code: "400",
    message: 'Property "titel" does not exist in ShopService.Books, did you mean "title"',
    target: "ShopService.Books",
  });
  expectError(() => readBody("ShopService.Orders", { items: [{ unrelated: 1 }] }), {
    status: 400,
    code: "400",
    message: 'Property "unrelated" does not exist in items',
    target: "items",
  });
  expectError(() => readBody("ShopService.Books", { size: { width: 1 } }), {
    status: 400,
    code: "400",
    message: 'Property "size" does not exist in ShopService.Books',
    target: "ShopService.Books",
  });
});

Deno.test("readEntity() leaves wrong types to the service, which reports them with all else", () => {
  const items = [{ pos: 1 }, { pos: "x" }, { ID: 3, pos: 1.5 }];
  assert.deepEqual(readBody("ShopService.Books", { stock: "many" }), { stock: "many" });
  assert.deepEqual(readBody("ShopService.Books", { tags: "x" }), { tags: "x" });
  assert.deepEqual(readBody("ShopService.Orders", { no: 5, items }), { no: 5, items });
});

Deno.test("readEntity() reports what is no row", () => {
  expectError(() => readBody("ShopService.Orders", { items: { pos: 1 } }), {
    status: 400,
    code: "ASSERT_DATA_TYPE",
    message: "ASSERT_DATA_TYPE items",
    target: "items",
    args: ["An object", "array of ShopService.Items"],
  });
});

Deno.test("readParameters() keeps structures nested and rejects what is not declared", () => {
  const { params } = model.service("ShopService")!.operations.echo!;
  const run = (body: string) =>
    read((options) => readParameters(parseJson(body, 9), params, { options, owner: "ShopService.echo" }));
  assert.deepEqual(run('{"p":{"x":1},"ps":[{"y":2}]}'), { p: { x: 1 }, ps: [{ y: 2 }] });
  expectError(() => run('{"p":{"unrelated":1}}'), {
    status: 400,
    code: "400",
    message: 'Property "unrelated" does not exist in p',
    target: "p",
  });
  expectError(() => run('{"unrelated":1}'), {
    status: 400,
    code: "400",
    message: 'Property "unrelated" does not exist in ShopService.echo',
    target: "ShopService.echo",
  });
});

const WRITTEN = linkModel(parseCdl(`
  @odata.nested type Place { city : String(5); rank : Integer; }
  service S {
    entity Books { key ID : Integer; title : String(3); stock : Integer; words : many String; places : many Place; place : Place;
      size { width : Integer; } kind : Association to Kinds; author : Association to Authors;
      @odata.deepInsert publisher : Association to Authors;
      @odata.deepInsert copies : Association to many Copies on copies.book = $self;
      loans : Association to many Copies on loans.book = $self;
      parts : Composition of many Parts on parts.book = $self; note : Composition of one Notes;
      cover : Composition of Notes; }
    entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
    entity Kinds { key a : Integer; key b : Integer; }
    entity Copies { key ID : Integer; book : Association to Books; @odata.deepInsert owner : Association to Authors; }
    entity Parts { key ID : Integer; book : Association to Books; text : String;
      items : Association to many Copies on items.ID = ID; }
    entity Notes { key ID : Integer; text : String; }
    action act(place : Place, places : many Place, book : Books, books : many Books, author : Association to Authors, authors : Association to many Authors,
      words : many String, n : Integer);
  }`));

/** What a body says: its row, what it names beside it, and its errors as code and target. */
function readAll(body: unknown, read: (value: JsonValue, options: InputOptions) => Row = readBook): object {
  const violations = new Violations(DEFAULT_LIMITS);
  const beside: string[] = [];
  const note =
    (kind: string) =>
    (given: { element: { name: string }; keys?: Row; row?: Row; change?: string; owner?: object }) =>
      void beside.push(
        [
          kind,
          given.element.name,
          JSON.stringify(given.keys ?? given.row),
          given.change,
          given.owner && "inside",
        ]
          .filter(Boolean).join(" "),
      );
  const row = read(parseJson(isJson(body) ? body : JSON.stringify(body), 9), {
    model: WRITTEN,
    defaultStringLength: 255,
    violations,
    resolveLink: (link) => ({ ID: Number(/\d+/.exec(link)?.[0]) }),
    bindMember: note("bind"),
    insertRelated: note("insert"),
    replaceRelated: note("replace"),
    takeVersion: (_row, tag) => void beside.push(`version ${tag}`),
  });
  const errors = errorsOf(violations);
  const plain = JSON.parse(JSON.stringify(row));
  return { row: plain, ...(beside.length > 0 && { beside }), ...(errors.length > 0 && { errors }) };
}

function isJson(body: unknown): body is string {
  return typeof body === "string" && body.startsWith("{");
}

function errorsOf(violations: Violations): string[] {
  try {
    violations.throwIfAny();
    return [];
  } catch (error) {
    const { details = [error as ServiceError] } = error as ServiceError;
    for (const { code, status } of details as ServiceError[]) {
      assert.equal(status, code === undefined ? 501 : 400);
    }
    return (details as ServiceError[]).map(({ code, status, target }) => `${code ?? status} ${target}`);
  }
}

const readBook = (value: JsonValue, options: InputOptions) =>
  readEntity(value, WRITTEN.entity("S.Books")!, options);

/** Bodies, and what they say: texts are JSON as it is sent. */
const BODIES: readonly (readonly [body: unknown, expected: object])[] = [
  [{ "title": null, "words": null, "place": null }, {
    "row": { "title": null, "words": null, "place_city": null, "place_rank": null },
  }],
  [{ "words": "a" }, { "row": { "words": "a" } }],
  [{ "words": 0 }, { "row": { "words": 0 } }],
  [{ "words": ["a", 1, null] }, { "row": { "words": ["a", 1, null] } }],
  [{ "place": { "city": "a", "rank": 1 } }, { "row": { "place_city": "a", "place_rank": 1 } }],
  [{ "place": { "city": "a" } }, { "row": { "place_city": "a" } }],
  [{ "place": 5 }, {
    "row": { "place_city": null, "place_rank": null },
    "errors": ["ASSERT_DATA_TYPE place"],
  }],
  [{ "place": { "city": 5 } }, { "row": {}, "errors": ["ASSERT_DATA_TYPE place/city"] }],
  [{ "place": { "town": "a" } }, { "row": {}, "errors": ["400 place"] }],
  [{ "place": { "rank": null } }, { "row": { "place_rank": null } }],
  [{ "places": [{ "city": "a" }, 5, { "rank": "x" }] }, {
    "row": { "places": [{ "city": "a" }, null, { "rank": "x" }] },
    "errors": ["ASSERT_DATA_TYPE places[1]"],
  }],
  [{ "places": { "city": "a" } }, { "row": { "places": { "city": "a" } } }],
  [{ "kind": { "a": 1 } }, { "row": { "kind_a": 1 } }],
  [{ "kind": { "a": 1, "b": 2 } }, { "row": { "kind_a": 1, "kind_b": 2 } }],
  [{ "kind": { "a": 1, "c": 2 } }, { "row": { "kind_a": 1 }, "errors": ["400 kind"] }],
  [{ "kind": null }, { "row": { "kind_a": null, "kind_b": null } }],
  [{ "kind": 5 }, { "row": {}, "errors": ["ASSERT_DATA_TYPE kind"] }],
  [{ "kind_a": 1, "kind": { "a": 1 } }, { "row": { "kind_a": 1 } }],
  [{ "kind_a": 1, "kind": { "a": 2 } }, { "row": { "kind_a": 2 }, "errors": ["400 kind_a"] }],
  [{ "author": { "ID": 1, "name": "x" } }, {
    "row": { "author_ID": 1 },
    "errors": ["ASSERT_KEY_ONLY author/name"],
  }],
  [{ "author": { "name": "x" } }, { "row": {}, "errors": ["ASSERT_KEY_ONLY author/name"] }],
  [{ "author": { "ID": 1, "nome": "x" } }, { "row": { "author_ID": 1 }, "errors": ["400 author"] }],
  [{ "author": { "@odata.id": "Authors(3)" } }, { "row": { "author_ID": 3 } }],
  [{ "author": { "@odata.id": "Authors(3)", "name": "x" } }, {
    "row": { "author_ID": 3 },
    "errors": ["ASSERT_KEY_ONLY author/name"],
  }],
  [{ "author": { "@odata.id": 3 } }, { "row": {}, "errors": ["ASSERT_DATA_TYPE author"] }],
  [{ "author": { "ID": 1, "@id": null } }, { "row": { "author_ID": 1 } }],
  [{ "parts": [{ "ID": 1, "@id": {} }] }, {
    "row": { "parts": [{ "ID": 1 }] },
    "errors": ["ASSERT_DATA_TYPE parts(ID=1)"],
  }],
  [{ "@id": "Books(1)", "@odata.id": false }, { "row": {}, "errors": ["ASSERT_DATA_TYPE S.Books"] }],
  [{ "author_ID": 3, "author": { "@id": "Authors(4)" } }, {
    "row": { "author_ID": 4 },
    "errors": ["400 author_ID"],
  }],
  [{ "author@odata.bind": "Authors(3)" }, { "row": { "author_ID": 3 } }],
  [{ "author@bind": "Authors(3)" }, { "row": { "author_ID": 3 } }],
  [{ "author@odata.bind": null }, { "row": { "author_ID": null } }],
  [{ "author@odata.bind": 3 }, { "row": {}, "errors": ["ASSERT_DATA_TYPE author"] }],
  [{ "author@odata.bind": ["Authors(3)"] }, { "row": {}, "errors": ["ASSERT_DATA_TYPE author"] }],
  [{ "nobody@odata.bind": "A(1)" }, { "row": {}, "errors": ["400 S.Books"] }],
  [{ "title@odata.bind": "A(1)" }, { "row": {}, "errors": ["400 S.Books"] }],
  [{ "toString@odata.bind": "A(1)" }, { "row": {}, "errors": ["400 S.Books"] }],
  [{ "author@odata.type": "#x" }, { "row": {} }],
  [{ "author@x.bind": "A(1)" }, { "row": {} }],
  [{ "publisher": { "name": "x" } }, { "row": {}, "beside": ['insert publisher {"name":"x"}'] }],
  [{ "publisher": { "@odata.id": "Authors(3)" } }, { "row": { "publisher_ID": 3 } }],
  [{ "publisher": null }, { "row": { "publisher_ID": null } }],
  [{
    "copies": [{ "ID": 1 }, { "@odata.id": "Copies(2)" }, { "@odata.id": "Copies(3)", "owner": { "ID": 5 } }],
  }, {
    "row": {},
    "beside": [
      "replace copies",
      'insert copies {"ID":1}',
      'bind copies {"ID":2}',
      'insert owner {"ID":5} inside',
      'bind copies {"ID":3}',
    ],
  }],
  [{ "copies": [] }, { "row": {}, "beside": ["replace copies"] }],
  [{ "copies": null }, { "row": {}, "beside": ["replace copies"] }],
  [{ "copies": 5 }, { "row": {}, "errors": ["ASSERT_DATA_TYPE copies"] }],
  [{ "copies": {} }, { "row": {}, "errors": ["ASSERT_DATA_TYPE copies"] }],
  [{ "copies@odata.bind": ["Copies(1)", 5] }, {
    "row": {},
    "beside": ['bind copies {"ID":1}'],
    "errors": ["ASSERT_DATA_TYPE copies"],
  }],
  [{ "copies@odata.bind": "Copies(1)" }, { "row": {}, "errors": ["ASSERT_ARRAY copies"] }],
  [{
    "copies@delta": [{ "@id": "Copies(1)" }, { "@removed": {}, "@id": "Copies(2)" }, {
      "@removed": { "reason": "deleted" },
      "ID": 3,
    }, { "ID": 4, "owner": { "name": "z" } }],
  }, {
    "row": {},
    "beside": [
      'bind copies {"ID":1}',
      'bind copies {"ID":2} unlink',
      'bind copies {"ID":3} delete',
      'insert owner {"name":"z"} inside',
      'bind copies {"ID":4}',
    ],
  }],
  [{ "copies@delta": 5 }, { "row": {}, "errors": ["ASSERT_ARRAY copies"] }],
  [{ "copies@delta": [{}] }, { "row": {}, "errors": ["400 copies[0]"] }],
  [{ "author@delta": [] }, { "row": {}, "errors": ["501 author"] }],
  [{
    "parts@odata.delta": [{ "ID": 1 }, { "@removed": {}, "ID": 2 }, {
      "@odata.removed": {},
      "@odata.id": "Parts(3)",
    }, { "@removed": {} }],
  }, { "row": { "parts": [{ "ID": 1 }] }, "errors": ["400 parts[3]"] }],
  [{ "parts@delta": 5 }, { "row": {}, "errors": ["ASSERT_ARRAY parts"] }],
  [{ "note@delta": [] }, { "row": {}, "errors": ["501 note"] }],
  [{ "loans": [{ "ID": 1 }] }, { "row": {} }],
  [{ "loans": [{ "ID": "x", "nothing": 1 }] }, { "row": {}, "errors": ["400 loans"] }],
  [{
    "parts": [{ "ID": 1, "text": 5 }, { "@odata.id": "Parts(2)" }, { "@odata.id": "Parts(3)", "text": "x" }],
  }, { "row": { "parts": [{ "ID": 1, "text": 5 }, { "ID": 2 }, { "text": "x", "ID": 3 }] } }],
  [{ "parts": null }, { "row": { "parts": [] } }],
  [{ "parts": [5] }, { "row": { "parts": [{}] }, "errors": ["ASSERT_DATA_TYPE parts[0]"] }],
  [{ "parts": [{ "nothing": 1 }] }, { "row": { "parts": [{}] }, "errors": ["400 parts"] }],
  [{ "parts": [{ "ID": 1, "nothing": 1 }] }, { "row": { "parts": [{ "ID": 1 }] }, "errors": ["400 parts"] }],
  [{ "parts": 5 }, { "row": {}, "errors": ["ASSERT_DATA_TYPE parts"] }],
  [{ "parts": [{ "ID": 1, "items": [{ "ID": 1 }], "items@odata.bind": ["Copies(1)"] }] }, {
    "row": { "parts": [{ "ID": 1 }] },
    "beside": ['bind items {"ID":1} inside'],
  }],
  [{ "note": { "ID": 1, "text": "x" } }, { "row": { "note": { "ID": 1, "text": "x" } } }],
  [{ "note": null }, { "row": { "note_ID": null, "note": null } }],
  [{ "note": { "@odata.id": "Notes(4)" } }, { "row": { "note_ID": 4 } }],
  [{ "note": { "@odata.id": "Notes(4)", "text": "x" } }, { "row": { "note": { "text": "x", "ID": 4 } } }],
  [{ "note": 5 }, { "row": { "note": {} }, "errors": ["ASSERT_DATA_TYPE note"] }],
  [{ "note_ID": 1 }, { "row": { "note_ID": 1 } }],
  [{ "cover": { "ID": 1, "text": "x" } }, { "row": { "cover": { "ID": 1, "text": "x" } } }],
  [{ "cover": { "@odata.id": "Notes(4)" } }, { "row": { "cover_ID": 4 } }],
  [{ "cover": { "@odata.id": "Notes(4)", "text": "x" } }, { "row": { "cover": { "text": "x", "ID": 4 } } }],
  [{ "cover": { "text": "x" } }, { "row": { "cover": { "text": "x" } } }],
  [{ "@odata.etag": 'W/"1"', "@etag": null }, { "row": {}, "beside": ['version W/"1"'] }],
  [{ "@odata.etag": 'W/"1"', "@etag": 5 }, {
    "row": {},
    "beside": ['version W/"1"'],
    "errors": ["ASSERT_DATA_TYPE S.Books"],
  }],
  [{ "@etag": 'W/"2"', "parts": [{ "ID": 1, "@odata.etag": "x" }] }, {
    "row": { "parts": [{ "ID": 1 }] },
    "beside": ['version W/"2"'],
  }],
  [{ "nothing": 1, "titel": 2 }, { "row": {}, "errors": ["400 S.Books", "400 S.Books"] }],
  [{ "toString": 1 }, { "row": {}, "errors": ["400 S.Books"] }],
  [{ "@odata.type": "#S.Books" }, { "row": {} }],
  [5, { row: {}, errors: ["ASSERT_DATA_TYPE S.Books"] }],
  [[], { row: {}, errors: ["ASSERT_DATA_TYPE S.Books"] }],
  ['{"words":0.10000000000000000001}', { row: { words: null }, errors: ["ASSERT_ARRAY words"] }],
  ['{"stock":0.10000000000000000001}', { row: {}, errors: ["ASSERT_DATA_TYPE stock"] }],
];

Deno.test("bodies are rows with what they name beside them, and all their errors with their places (JSON Format 7, 8, 14, 15)", () => {
  for (const [body, expected] of BODIES) assert.deepEqual(readAll(body), expected, JSON.stringify(body));
});

/** Parameters of an action, and what is read of them. */
const PARAMETERS: typeof BODIES = [
  [{ authors: [{ ID: 1, name: "x" }, { ID: 2 }] }, { row: { authors: [{ ID: 1, name: "x" }, { ID: 2 }] } }],
  [{ authors: { ID: 1 } }, { row: { authors: null }, errors: ["ASSERT_ARRAY authors"] }],
  [{ authors: null, author: null }, { row: { authors: null, author: null } }],
  [{ "authors@odata.bind": ["Authors(1)"] }, { row: {} }],
  [{ "n": 1, "words": ["a"], "place": { "city": "a", "rank": 1 } }, {
    "row": { "n": 1, "words": ["a"], "place": { "city": "a", "rank": 1 } },
  }],
  [{ "n": "x" }, { "row": { "n": "x" } }],
  [{ "n": null }, { "row": { "n": null } }],
  [{ "place": 5 }, { "row": { "place": null }, "errors": ["ASSERT_DATA_TYPE place"] }],
  [{ "place": { "city": 5, "town": 1 } }, { "row": { "place": { "city": 5 } }, "errors": ["400 place"] }],
  [{ "places": [{ "city": "a" }, 5] }, {
    "row": { "places": [{ "city": "a" }, null] },
    "errors": ["ASSERT_DATA_TYPE places[1]"],
  }],
  [{ "places": {} }, { "row": { "places": {} } }],
  [{ "book": { "ID": 1, "title": "abcd", "author": { "ID": 1 } } }, {
    "row": { "book": { "ID": 1, "author_ID": 1 } },
    "errors": ["ASSERT_DATA_TYPE book/title"],
  }],
  [{ "books": [{ "ID": 1 }, { "nothing": 1 }] }, {
    "row": { "books": [{ "ID": 1 }, {}] },
    "errors": ["400 books"],
  }],
  [{ "books": 5 }, { "row": { "books": 5 } }],
  [{ "book": 5 }, { "row": { "book": {} }, "errors": ["ASSERT_DATA_TYPE book"] }],
  [{ "author": { "ID": 1, "name": "x" } }, { "row": { "author": { "ID": 1, "name": "x" } } }],
  [{ "author@odata.bind": "Authors(5)" }, { "row": { "author": { "ID": 5 } } }],
  [{ "author@bind": null }, { "row": { "author": null } }],
  [{ "author@bind": 5 }, { "row": { "author": null }, "errors": ["ASSERT_DATA_TYPE author"] }],
  [{ "books@bind": ["Books(1)"] }, { "row": {} }],
  [{ "author_ID": 5 }, { "row": {}, "errors": ["400 S.act"] }],
  [{ "author_ID": "x" }, { "row": {}, "errors": ["400 S.act"] }],
  [{ "author_x": 1 }, { "row": {}, "errors": ["400 S.act"] }],
  [5, { "row": {}, "errors": ["ASSERT_DATA_TYPE "] }],
  [{ "nothing": 1 }, { "row": {}, "errors": ["400 S.act"] }],
  [{ "toString": 1 }, { "row": {}, "errors": ["400 S.act"] }],
  [{ "words": "a" }, { "row": { "words": "a" } }],
];

Deno.test("parameters keep structures and rows nested; what no service checks is checked where it is read", () => {
  const { params } = WRITTEN.service("S")!.operations.act!;
  for (const [body, expected] of PARAMETERS) {
    const found = readAll(
      body,
      (value, options) => readParameters(value, params, { owner: "S.act", options }),
    );
    assert.deepEqual(found, expected, JSON.stringify(body));
  }
});

Deno.test("without a place for them members are not bound (501), and related rows are references", () => {
  const found = (body: unknown) =>
    readAll(body, (value, options) => {
      const { bindMember: _bind, insertRelated: _insert, replaceRelated: _replace, ...others } = options;
      return readBook(value, others);
    });
  const refused = { row: {}, errors: ["501 copies"] };
  assert.deepEqual(found({ "copies@odata.bind": [] }), refused);
  assert.deepEqual(found({ "copies@delta": [] }), refused);
  assert.deepEqual(found({ copies: [{ ID: 1 }] }), { row: {} });
  assert.deepEqual(found({ publisher: { ID: 1 } }), { row: { publisher_ID: 1 } });
  assert.deepEqual(found({ parts: [{ "@id": "Parts(1)" }] }), { row: { parts: [{ ID: 1 }] } });
  const created = readAll({ parts: [{ "@id": "Parts(1)" }, { ID: 2 }], copies: [] }, (value, options) => {
    const { replaceRelated: _replace, ...others } = options;
    return readBook(value, others);
  });
  assert.deepEqual(created, { row: { parts: [{ ID: 2 }] }, beside: ['bind parts {"ID":1}'] });
});

Deno.test("one value is read as the element has it", () => {
  const { elements } = WRITTEN.entity("S.Books")!;
  const values: unknown[] = [];
  const found = (name: string, value: unknown) =>
    readAll(value, (json, options) => {
      values.push(readSingle(json, elements[name]!, options));
      return {};
    });
  assert.deepEqual(found("title", "abc"), { row: {} });
  assert.deepEqual(found("title", "abcd"), { row: {}, errors: ["ASSERT_DATA_TYPE title"] });
  assert.deepEqual(found("words", "a"), { row: {}, errors: ["ASSERT_ARRAY words"] });
  assert.deepEqual(found("places", [{ city: "abcdef" }]), {
    row: {},
    errors: ["ASSERT_DATA_TYPE places[0]/city"],
  });
  assert.deepEqual(found("title", null), { row: {} });
  assert.deepEqual(values, ["abc", undefined, null, [{ city: undefined }], null]);
});
