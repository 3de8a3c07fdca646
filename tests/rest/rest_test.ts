import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import { createRestAdapter } from "../../src/rest/rest_adapter.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import type { Shop } from "../odata/fixture_host.ts";
import { withShop as openAndRun } from "../odata/with_shop.ts";

const JSON_HEADERS = { "content-type": "application/json" };

function register(service: ApplicationService): void {
  service.on("add", (req) => {
    const { a, b } = (req as ServiceRequest).data as { a: number; b: number };
    return a + b;
  });
  service.on("names", (req) => ["a", "b"].slice(0, ((req as ServiceRequest).data as { n: number }).n));
  service.on("fail", () => {
    throw new ServiceError({
      status: 409,
      code: "SOLD_OUT",
      message: "Gone",
      target: "stock",
      extra: "kept",
    });
  });
}

const withShop = (run: (shop: Shop) => Promise<void>) =>
  openAndRun(run, { protocol: createRestAdapter, register });

Deno.test("REST answers bare arrays and rows, $select adds no keys [1.1b]", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("GET", "Authors"), {
      status: 200,
      headers: JSON_HEADERS,
      body: [{ ID: 101, name: "Emily" }, { ID: 150, name: "Edgar" }],
    });
    assert.deepEqual((await shop.send("GET", "Authors/101")).body, { ID: 101, name: "Emily" });
    const url = "Authors(150)?$select=name&$expand=books($select=title;$orderby=title)";
    assert.deepEqual((await shop.send("GET", url)).body, {
      name: "Edgar",
      books: [{ title: "Eleonora" }, { title: "The Raven" }],
    });
    assert.deepEqual((await shop.send("GET", "Authors?$count=true&$top=1&$select=ID")).body, {
      count: 2,
      value: [{ ID: 101 }],
    });
    assert.equal((await shop.send("GET", "Authors/$count")).body, 2);
    assert.deepEqual((await shop.send("GET", "Authors/101/name")).body, { name: "Emily", ID: 101 });
  }));

Deno.test("REST has a list of entities at its root and no metadata", () =>
  withShop(async (shop) => {
    const { body } = await shop.send("GET", "");
    assert.deepEqual((body as { entities: unknown[] }).entities.slice(0, 2), [
      { name: "Books", url: "Books" },
      { name: "Authors", url: "Authors" },
    ]);
    assert.equal((await shop.send("GET", "$metadata")).status, 404);
  }));

Deno.test("REST echoes what it created, arrays at once or not at all", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("POST", "Books", { body: { ID: 9, title: "New" } }), {
      status: 201,
      headers: { ...JSON_HEADERS, location: "Books/9" },
      body: { ID: 9, title: "New" },
    });
    const body = [{ ID: 10, title: "A" }, { ID: 11, title: "B" }];
    assert.deepEqual((await shop.send("POST", "Books", { body })).body, body);
    const duplicate = [{ ID: 12, title: "A" }, { ID: 10, title: "B" }];
    assert.equal((await shop.send("POST", "Books", { body: duplicate })).status, 409);
    assert.equal((await shop.send("GET", "Books/12")).status, 404);
    const child = await shop.send("POST", "Authors/150/books", { body: { ID: 13, title: "C" } });
    assert.deepEqual(child.body, { ID: 13, title: "C", author_ID: 150 });
  }));

Deno.test("REST echoes updates with keys, reads the row on demand", () =>
  withShop(async (shop) => {
    assert.deepEqual((await shop.send("PATCH", "Books/201", { body: { stock: 3 } })).body, {
      stock: 3,
      ID: 201,
    });
    const whole = await shop.send("PATCH", "Authors/101", {
      body: { name: "E" },
      headers: { prefer: "return=representation" },
    });
    assert.deepEqual(whole.body, { ID: 101, name: "E" });
    assert.equal((await shop.send("PUT", "Authors/7", { body: { name: "New" } })).status, 201);
    assert.equal((await shop.send("PATCH", "Authors/8", { body: { name: "New" } })).status, 404);
    assert.equal((await shop.send("DELETE", "Authors/7")).status, 204);
  }));

Deno.test("REST calls operations with plain parameters and answers plain results", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("POST", "add", { body: { a: 1, b: 2 } }), {
      status: 200,
      headers: JSON_HEADERS,
      body: 3,
    });
    assert.deepEqual((await shop.send("GET", "names?n=1")).body, ["a"]);
    assert.deepEqual((await shop.send("GET", "names(n=2)")).body, ["a", "b"]);
  }));

Deno.test("REST errors keep custom members and have no severity", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("POST", "fail", { body: {} }), {
      status: 409,
      headers: { "content-language": "en", ...JSON_HEADERS },
      body: { error: { code: "SOLD_OUT", message: "Gone", target: "stock", extra: "kept" } },
    });
    const wrong = await shop.send("POST", "add", { body: { a: "x" } });
    assert.deepEqual(wrong.body, {
      error: {
        code: "ASSERT_DATA_TYPE",
        message: "x is not a value of type Integer",
        target: "a",
        args: ["x", "Integer"],
      },
    });
  }));

Deno.test("REST refuses methods that do not fit", () =>
  withShop(async (shop) => {
    const code = async (method: string, url: string) => {
      const { status, body } = await shop.send(method, url, method === "GET" ? {} : { body: {} });
      return [status, (body as { error: { code: string } }).error.code];
    };
    assert.deepEqual(await code("PUT", "Books"), [405, "INVALID_PUT"]);
    assert.deepEqual(await code("PATCH", "Books"), [405, "INVALID_PATCH"]);
    assert.deepEqual(await code("DELETE", "Books"), [400, "400"]);
    assert.deepEqual(await code("POST", "Books/201"), [400, "400"]);
    assert.deepEqual(await code("POST", "names"), [400, "400"]);
    assert.deepEqual(await code("GET", "add"), [400, "400"]);
  }));

Deno.test("REST answers the rows of concat in $apply as one array", () =>
  withShop(async (shop) => {
    const url = "Books?$apply=concat(aggregate($count as n),groupby((author_ID)))";
    assert.deepEqual(await shop.send("GET", url), {
      status: 200,
      headers: JSON_HEADERS,
      body: [{ n: 3 }, { author_ID: 101 }, { author_ID: 150 }],
    });
  }));

Deno.test("REST answers ranges of streams, and 416 behind the end", () =>
  withShop(async (shop) => {
    const { status, headers, body } = await shop.send("GET", "Media/1/content", {
      headers: { range: "bytes=-5" },
    });
    assert.deepEqual({ status, range: headers["content-range"], body }, {
      status: 206,
      range: "bytes 6-10/11",
      body: "world",
    });
    assert.deepEqual(await shop.send("GET", "Media/1/content", { headers: { range: "bytes=20-" } }), {
      status: 416,
      headers: { "content-language": "en", ...JSON_HEADERS, "content-range": "bytes */11" },
      body: { error: { code: "416", message: "Range Not Satisfiable" } },
    });
  }));
