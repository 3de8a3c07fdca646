import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { ServiceError } from "../../../src/errors/service_error.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { parseJson } from "../../../src/odata/payload/parse_json.ts";
import { readEntity, readParameters } from "../../../src/odata/payload/read_row.ts";
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
