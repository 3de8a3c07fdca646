import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { TestAnswer } from "./fixture_host.ts";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

const EMPTY = { "odata-version": "4.0" };

function expectError(answer: TestAnswer, status: number, error: Record<string, unknown>): void {
  assert.deepEqual(answer.body, { error: { ...error, "@Common.numericSeverity": 4 } });
  assert.equal(answer.status, status);
  assert.equal(answer.headers["content-type"], "application/json");
}

const ORDER = "00000000-0000-4000-8000-00000000000a";
const NOT_FOUND = { code: "404", message: "Not Found" };
const BOOK = {
  "@odata.context": "$metadata#Books/$entity",
  ID: 9,
  title: "New",
  stock: null,
  price: 9.99,
  sold: null,
  tags: ["a"],
  size_width: null,
  size_height: null,
  author_ID: 101,
};

Deno.test("POST creates a row and answers it with its location [4.1.post]", () =>
  withShop(async (shop) => {
    const body = { ID: 9, title: "New", price: "9.99", tags: ["a"], author: { ID: 101 } };
    assert.deepEqual(await shop.send("POST", "Books", { body }), {
      status: 201,
      headers: { ...JSON_HEADERS, location: "Books(9)" },
      body: BOOK,
    });
    assert.deepEqual((await shop.send("GET", "Books(9)")).body, BOOK);
  }));

Deno.test("POST honours return=minimal", () =>
  withShop(async (shop) => {
    const request = { headers: { prefer: "return=minimal" }, body: { ID: 9, title: "New" } };
    assert.deepEqual(await shop.send("POST", "Books", request), {
      status: 204,
      headers: {
        ...EMPTY,
        location: "Books(9)",
        "odata-entityid": "Books(9)",
        "preference-applied": "return=minimal",
      },
      body: undefined,
    });
  }));

Deno.test("POST to a navigation sets the back link, and is 404 without parent", () =>
  withShop(async (shop) => {
    const answer = await shop.send("POST", "Authors(150)/books", { body: { ID: 9, title: "New" } });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.location, "../Books(9)");
    assert.equal((answer.body as Record<string, unknown>).author_ID, 150);
    expectError(
      await shop.send("POST", "Authors(9)/books", { body: { ID: 10, title: "x" } }),
      404,
      NOT_FOUND,
    );
  }));

Deno.test("POST reads back what was sent deep", () =>
  withShop(async (shop) => {
    const ID = "00000000-0000-4000-8000-000000000009";
    const body = {
      ID,
      no: "O-9",
      items: [{ ID: 7, pos: 1, book: { ID: 201 } }],
      address: { ID: 3, city: "X" },
    };
    const { status, body: created } = await shop.send("POST", "Orders", { body });
    assert.equal(status, 201);
    assert.deepEqual(created, {
      "@odata.context": "$metadata#Orders(items(),address())/$entity",
      ID,
      no: "O-9",
      address_ID: 3,
      items: [{ ID: 7, order_ID: ID, pos: 1, book_ID: 201 }],
      address: { ID: 3, city: "X" },
    });
    const empty = await shop.send("POST", "Orders", { body: { ID: ORDER, items: [], address: null } });
    const { items, address } = empty.body as Record<string, unknown>;
    assert.deepEqual([items, address], [[], null]);
  }));

Deno.test("a body may begin with a byte order mark (RFC 8259, 8.1)", () =>
  withShop(async (shop) => {
    const headers = { "content-type": "application/json" };
    const body = '\ufeff{"ID":77,"title":"Marked"}';
    assert.equal((await shop.send("POST", "Books", { body, headers })).status, 201);
    assert.equal((await shop.send("GET", "Books(77)/title/$value")).body, "Marked");
  }));

Deno.test("links are texts, or null for none (JSON Format 8.5)", () =>
  withShop(async (shop) => {
    const change = (link: unknown) =>
      shop.send("PATCH", "Books(201)", { body: { "author@odata.bind": link } });
    for (const link of [5, true]) {
      const message = `${link} is not a value of type link`;
      expectError(await change(link), 400, { code: "ASSERT_DATA_TYPE", message, target: "author" });
    }
    for (const link of [{}, ["Authors(101)"]]) assert.equal((await change(link)).status, 400);
    assert.equal(((await change(null)).body as Record<string, unknown>).author_ID, null);
  }));

Deno.test("PATCH of a stream is 415 for what could be its content, 405 for JSON (RFC 9110, 15.5.16)", () =>
  withShop(async (shop) => {
    const patch = async (url: string, type: string) =>
      (await shop.send("PATCH", url, { body: "{}", headers: { "content-type": type } })).status;
    assert.deepEqual(
      [await patch("Media(1)/content", "image/png"), await patch("Media(1)/content", "application/json")],
      [415, 405],
    );
    assert.equal(await patch("Books(201)/title/$value", "image/png"), 405);
  }));

Deno.test("POST rejects bodies that are not what is declared", () =>
  withShop(async (shop) => {
    expectError(await shop.send("POST", "Books", { body: { foobar: 1 } }), 400, {
      code: "400",
      message: 'Property "foobar" does not exist in ShopService.Books',
      target: "ShopService.Books",
    });
    expectError(await shop.send("POST", "Books", { body: { ID: 1, title: "x", stock: "many" } }), 400, {
      code: "ASSERT_DATA_TYPE",
      message: "many is not a value of type Integer",
      target: "stock",
    });
    const json = { headers: { "content-type": "application/json" } };
    expectError(await shop.send("POST", "Books", { ...json, body: "{" }), 400, {
      code: "400",
      message: 'Malformed JSON at position 1: found the end of the text, expected a property name or "}"',
    });
    expectError(await shop.send("POST", "Books", { ...json, body: "[]" }), 400, {
      code: "400",
      message: "The request body must be a JSON object",
    });
    expectError(
      await shop.send("POST", "Books", { headers: { "content-type": "text/plain" }, body: "x" }),
      415,
      {
        code: "415",
        message: "The content type must be application/json, but is text/plain",
      },
    );
    expectError(await shop.send("POST", "Books", { body: { ID: 201, title: "Again" } }), 409, {
      code: "ENTITY_ALREADY_EXISTS",
      message: "An entry with this key exists already",
    });
  }));

Deno.test("POST is bounded in bytes and depth", () =>
  withShop(async (shop) => {
    const long = await shop.send("POST", "Books", { body: { title: "x".repeat(100) } });
    assert.equal(long.status, 413);
    assert.equal((await shop.send("POST", "Books", { body: { tags: [[[1]]] } })).status, 400);
  }, { limits: { bodyBytes: 80, jsonDepth: 3 } }));

Deno.test("PATCH changes what is sent, whatever key the body holds [4.1.patch]", () =>
  withShop(async (shop) => {
    const answer = await shop.send("PATCH", "Books(201)", { body: { ID: 999, stock: 5 } });
    assert.equal(answer.status, 200);
    const { "@odata.context": context, ID, title, stock } = answer.body as Record<string, unknown>;
    assert.deepEqual([context, ID, title, stock], ["$metadata#Books/$entity", 201, "Wuthering Heights", 5]);
    assert.equal((await shop.send("GET", "Books(999)")).status, 404);
  }));

Deno.test("PATCH of a missing row is 404, creates it only on demand", () =>
  withShop(async (shop) => {
    const body = { title: "Upsert" };
    expectError(await shop.send("PATCH", "Books(9)", { body }), 404, NOT_FOUND);
    const created = await shop.send("PATCH", "Books(9)", { body, headers: { "if-none-match": "*" } });
    assert.equal(created.status, 201);
    const again = await shop.send("PATCH", "Books(9)", { body, headers: { "if-none-match": "*" } });
    expectError(again, 412, { code: "412", message: "Precondition Failed" });
  }));

Deno.test("PUT creates a missing row, and updates an existing one without resetting the rest", () =>
  withShop(async (shop) => {
    const created = await shop.send("PUT", "Books(9)", { body: { title: "Put" } });
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, "Books(9)");
    const updated = await shop.send("PUT", "Books(201)", { body: { stock: 1 } });
    assert.equal(updated.status, 200);
    assert.equal((updated.body as Record<string, unknown>).title, "Wuthering Heights");
  }));

Deno.test("PUT replaces with put_as_replace", () =>
  withShop(async (shop) => {
    const updated = await shop.send("PUT", "Books(201)", { body: { title: "Only" } });
    assert.equal(updated.status, 200);
    const { title, stock, author_ID } = updated.body as Record<string, unknown>;
    assert.deepEqual([title, stock, author_ID], ["Only", null, null]);
  }, { env: { odata: { put_as_replace: true } } }));

Deno.test("DELETE removes the row [4.1.delete]", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("DELETE", "Books(201)"), {
      status: 204,
      headers: EMPTY,
      body: undefined,
    });
    expectError(await shop.send("GET", "Books(201)"), 404, NOT_FOUND);
    expectError(await shop.send("DELETE", "Books(201)"), 404, NOT_FOUND);
  }));

Deno.test("versioned rows need If-Match, and the right one", () =>
  withShop(async (shop) => {
    const patch = (ifMatch: string | undefined, body: unknown = { name: "x" }) =>
      shop.send("PATCH", "Versions(1)", { body, ...(ifMatch ? { headers: { "if-match": ifMatch } } : {}) });
    expectError(await patch(undefined), 428, { code: "428", message: "Precondition Required" });
    expectError(await patch('W/"9"'), 412, { code: "412", message: "Precondition Failed" });
    assert.deepEqual(await patch('W/"1"', { version: 2 }), {
      status: 200,
      headers: { ...JSON_HEADERS, etag: 'W/"2"' },
      body: {
        "@odata.context": "$metadata#Versions/$entity",
        "@odata.etag": 'W/"2"',
        ID: 1,
        name: "first",
        version: 2,
      },
    });
    assert.equal((await patch('"7", W/"2"')).status, 200);
    assert.equal((await patch("*")).status, 200);
    assert.equal((await shop.send("DELETE", "Versions(1)")).status, 428);
    assert.equal(
      (await shop.send("DELETE", "Versions(1)", { headers: { "if-match": 'W/"2"' } })).status,
      204,
    );
    assert.equal((await patch('W/"2"')).status, 412);
  }));

Deno.test("GET with the version the client has is 304", () =>
  withShop(async (shop) => {
    const get = (name: string, value: string) =>
      shop.send("GET", "Versions(1)", { headers: { [name]: value } });
    assert.deepEqual(await get("if-none-match", 'W/"1"'), {
      status: 304,
      headers: { ...EMPTY, etag: 'W/"1"' },
      body: undefined,
    });
    assert.equal((await get("if-none-match", "*")).status, 304);
    assert.equal((await get("if-none-match", '"9"')).status, 200);
    assert.equal((await get("if-match", '"9"')).status, 412);
  }));

Deno.test("GET of a property with the version the client has is 304 (Protocol 8.2.5)", () =>
  withShop(async (shop) => {
    const get = (version: string) =>
      shop.send("GET", "Versions(1)/name", { headers: { "if-none-match": version } });
    assert.deepEqual(await get('W/"1"'), {
      status: 304,
      headers: { ...EMPTY, etag: 'W/"1"' },
      body: undefined,
    });
    assert.equal((await get('W/"2"')).status, 200);
  }));

Deno.test("single properties are set by PUT and cleared by DELETE", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("PUT", "Books(201)/stock", { body: { value: 78 } }), {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "../$metadata#Books(201)/stock", value: 78 },
    });
    assert.equal((await shop.send("DELETE", "Books(201)/stock")).status, 204);
    assert.equal((await shop.send("GET", "Books(201)/stock")).status, 204);
    assert.equal((await shop.send("PATCH", "Books(201)/stock", { body: { value: 1 } })).status, 405);
  }));

Deno.test("streams are written with their type, and deleted", () =>
  withShop(async (shop) => {
    const put = { headers: { "content-type": "text/csv" }, body: "a;b" };
    assert.equal((await shop.send("PUT", "Media(2)/content", put)).status, 204);
    const read = await shop.send("GET", "Media(2)/content");
    assert.deepEqual([read.headers["content-type"], read.body], ["text/csv", "a;b"]);
    assert.equal((await shop.send("DELETE", "Media(2)/content")).status, 204);
    assert.equal((await shop.send("GET", "Media(2)/content")).status, 204);
    assert.equal((await shop.send("PUT", "Media(9)/content", put)).status, 404);
  }));

Deno.test("references are set and removed by $ref", () =>
  withShop(async (shop) => {
    const body = { "@odata.id": "Authors(150)" };
    assert.equal((await shop.send("PUT", "Books(201)/author/$ref", { body })).status, 204);
    assert.deepEqual((await shop.send("GET", "Books(201)/author/$ref")).body, {
      "@odata.context": "../../$metadata#$ref",
      "@odata.id": "Authors(150)",
    });
    assert.equal((await shop.send("DELETE", "Books(201)/author/$ref")).status, 204);
    assert.equal((await shop.send("GET", "Books(201)/author")).status, 204);
    const book = { "@odata.id": "Books(201)" };
    assert.equal((await shop.send("POST", "Authors(150)/books/$ref", { body: book })).status, 204);
    assert.equal((await shop.send("GET", "Books(201)/author_ID")).status, 200);
  }));

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`PUT and PATCH of a part that is missing create and link it (Protocol 11.4.4, ${engine})`, () =>
    withShop(async (shop) => {
      const order = "Orders(00000000-0000-4000-8000-000000000001)";
      const created = await shop.send("PUT", `${order}/address`, { body: { ID: 5, city: "Oslo" } });
      assert.deepEqual([created.status, created.headers.location], [201, "../Addresses(5)"]);
      assert.equal((created.body as { city: string }).city, "Oslo");
      const never = await shop.send("PATCH", `${order}/address`, {
        body: {},
        headers: { "if-none-match": "*" },
      });
      assert.equal(never.status, 412);
      assert.equal((await shop.send("PATCH", `${order}/address`, { body: { city: "Rome" } })).status, 200);
      assert.equal((await shop.send("GET", `${order}/address/city/$value`)).body, "Rome");
      await shop.send("DELETE", "Books(252)/author/$ref");
      const author = await shop.send("PUT", "Books(252)/author", { body: { ID: 7, name: "x" } });
      assert.equal(author.status, 404);
      const missing = await shop.send("PUT", `${order.replace("1)", "2)")}/address`, { body: { ID: 6 } });
      assert.equal(missing.status, 404);
      assert.equal((await shop.send("GET", "Addresses/$count")).body, "1");
    }, { database }));
}

Deno.test("PATCH of a stream is 405, whatever the letters of the media type of JSON (RFC 9110, 8.3.1)", () =>
  withShop(async (shop) => {
    for (const type of ["application/json", "Application/JSON; charset=utf-8", undefined]) {
      const headers = type === undefined ? undefined : { "content-type": type };
      const { status, headers: { allow } } = await shop.send("PATCH", "Media(1)/content", {
        headers,
        body: "",
      });
      assert.deepEqual([status, allow], [405, "GET, PUT, DELETE, HEAD, OPTIONS"], type);
    }
  }));
