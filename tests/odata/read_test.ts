import assert from "node:assert/strict";
import type { TestAnswer } from "./fixture_host.ts";
import { ERROR_HEADERS, JSON_HEADERS, withShop } from "./with_shop.ts";

function expectAnswer(answer: TestAnswer, expected: TestAnswer): void {
  assert.deepEqual(answer, expected);
}

const RAVEN = {
  ID: 251,
  title: "The Raven",
  stock: 333,
  price: 13.13,
  sold: null,
  tags: [],
  size_width: null,
  size_height: null,
  author_ID: 150,
};

Deno.test("GET of a set answers its rows [4.1.get]", () =>
  withShop(async (shop) => {
    expectAnswer(await shop.send("GET", "Authors"), {
      status: 200,
      headers: JSON_HEADERS,
      body: {
        "@odata.context": "$metadata#Authors",
        value: [{ ID: 101, name: "Emily" }, { ID: 150, name: "Edgar" }],
      },
    });
  }));

Deno.test("GET by key answers the row, also with the key as segment [4.1.key]", () =>
  withShop(async (shop) => {
    const body = { "@odata.context": "$metadata#Books/$entity", ...RAVEN };
    expectAnswer(await shop.send("GET", "Books(251)"), { status: 200, headers: JSON_HEADERS, body });
    const segment = { ...body, "@odata.context": "../$metadata#Books/$entity" };
    expectAnswer(await shop.send("GET", "Books/251"), { status: 200, headers: JSON_HEADERS, body: segment });
  }));

Deno.test("GET along an association answers its target [4.1.nav]", () =>
  withShop(async (shop) => {
    expectAnswer(await shop.send("GET", "Books(251)/author"), {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "../$metadata#Authors/$entity", ID: 150, name: "Edgar" },
    });
    const { status, body } = await shop.send("GET", "Authors(150)/books?$select=ID");
    assert.equal(status, 200);
    assert.deepEqual(body, { "@odata.context": "../$metadata#Books(ID)", value: [{ ID: 251 }, { ID: 252 }] });
  }));

Deno.test("GET of what does not exist is 404, of an empty to-one navigation 204", () =>
  withShop(async (shop) => {
    const notFound = { error: { code: "404", message: "Not Found", "@Common.numericSeverity": 4 } };
    expectAnswer(await shop.send("GET", "Books(9)"), { status: 404, headers: ERROR_HEADERS, body: notFound });
    expectAnswer(await shop.send("GET", "Authors(9)/books"), {
      status: 404,
      headers: ERROR_HEADERS,
      body: notFound,
    });
    expectAnswer(await shop.send("GET", "Items(2)/book"), {
      status: 204,
      headers: { "odata-version": "4.0" },
      body: undefined,
    });
  }));

Deno.test("GET with options applies them [4.1.opts]", () =>
  withShop(async (shop) => {
    const url =
      "Books?$select=title&$filter=stock%20gt%20100&$orderby=title&$top=1&$count=true&$expand=author";
    const { body } = await shop.send("GET", url);
    assert.deepEqual(body, {
      "@odata.context": "$metadata#Books(title,ID,author())",
      "@odata.count": 2,
      value: [{ title: "Eleonora", ID: 252, author: { ID: 150, name: "Edgar" } }],
    });
  }));

Deno.test("GET of $count, of a property and of its raw value", () =>
  withShop(async (shop) => {
    const text = { "content-type": "text/plain;charset=utf-8", "odata-version": "4.0" };
    expectAnswer(await shop.send("GET", "Books/$count"), { status: 200, headers: text, body: "3" });
    expectAnswer(await shop.send("GET", "Books(251)/title/$value"), {
      status: 200,
      headers: text,
      body: "The Raven",
    });
    expectAnswer(await shop.send("GET", "Books(251)/title"), {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "../$metadata#Books(251)/title", value: "The Raven" },
    });
    assert.equal((await shop.send("GET", "Books(251)/sold")).status, 204);
    // that of each row, however alike the URLs are
    for (const ID of [251, 252]) {
      const { body } = await shop.send("GET", `Books(${ID})/title`);
      assert.equal((body as Record<string, unknown>)["@odata.context"], `../$metadata#Books(${ID})/title`);
    }
  }));

Deno.test("GET pages by maxpagesize and links to the rest, and only to a rest", () =>
  withShop(async (shop) => {
    const first = await shop.send("GET", "Books?$select=ID&$top=3", { headers: { prefer: "maxpagesize=2" } });
    assert.equal(first.headers["preference-applied"], "maxpagesize=2");
    const body = first.body as Record<string, unknown>;
    assert.deepEqual(body.value, [{ ID: 201 }, { ID: 251 }]);
    const rest = await shop.send("GET", String(body["@odata.nextLink"]), {
      headers: { prefer: "maxpagesize=2" },
    });
    assert.deepEqual((rest.body as Record<string, unknown>).value, [{ ID: 252 }]);
    assert(!("@odata.nextLink" in (rest.body as object)));
    const whole = await shop.send("GET", "Books?$select=ID", { headers: { prefer: "maxpagesize=3" } });
    assert(!("@odata.nextLink" in (whole.body as object)));
  }));

Deno.test("GET follows Accept: numbers as text, levels of metadata, 406", () =>
  withShop(async (shop) => {
    const accept = (type: string) => ({ headers: { accept: type } });
    const text = await shop.send(
      "GET",
      "Books(252)?$select=price",
      accept("application/json;IEEE754Compatible=true"),
    );
    assert.equal(text.headers["content-type"], "application/json;IEEE754Compatible=true");
    assert.equal((text.body as Record<string, unknown>).price, "14.00");
    const none = await shop.send("GET", "Authors(101)", accept("application/json;odata.metadata=none"));
    assert.deepEqual(none.body, { ID: 101, name: "Emily" });
    assert.equal((await shop.send("GET", "Books", accept("text/html"))).status, 406);
    assert.equal((await shop.send("GET", "Books?$format=xml")).status, 406);
  }));

Deno.test("GET of a singleton and of the service document [4.1.meta]", () =>
  withShop(async (shop) => {
    expectAnswer(await shop.send("GET", "Settings"), {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "$metadata#Settings", ID: 1, theme: "dark" },
    });
    const root = await shop.send("GET", "");
    const { value, ...control } = root.body as Record<string, unknown>;
    assert.deepEqual(control, { "@odata.context": "$metadata", "@odata.metadataEtag": root.headers.etag });
    assert.deepEqual((value as unknown[]).slice(-2), [
      { name: "Media", url: "Media" },
      { name: "Settings", kind: "Singleton", url: "Settings" },
    ]);
    const same = await shop.send("GET", "", { headers: { "if-none-match": root.headers.etag! } });
    assert.equal(same.status, 304);
    const metadata = await shop.send("GET", "$metadata");
    assert.equal(metadata.headers["content-type"], "application/xml");
    assert.match(String(metadata.body), /<EntitySet Name="Books"/);
    assert.equal(
      (await shop.send("GET", "$metadata?$format=json")).headers["content-type"],
      "application/json",
    );
  }));

Deno.test("HEAD answers like GET without body and tells its length (RFC 9110 8.6), OPTIONS with the methods", () =>
  withShop(async (shop) => {
    const { body } = await shop.send("GET", "Books");
    const length = String(JSON.stringify(body).length);
    expectAnswer(await shop.send("HEAD", "Books"), {
      status: 200,
      headers: { ...JSON_HEADERS, "content-length": length },
      body: undefined,
    });
    expectAnswer(await shop.send("OPTIONS", "Books(1)"), {
      status: 204,
      headers: { "odata-version": "4.0", allow: "GET, PATCH, PUT, DELETE, HEAD, OPTIONS" },
      body: undefined,
    });
  }));

Deno.test("a method that a resource does not have is 405 with Allow", () =>
  withShop(async (shop) => {
    expectAnswer(await shop.send("DELETE", "Books"), {
      status: 405,
      headers: { ...ERROR_HEADERS, allow: "GET, POST, PATCH, HEAD, OPTIONS" },
      body: {
        error: { code: "405", message: "Method Not Allowed", "@Common.numericSeverity": 4 },
      },
    });
  }));

Deno.test("GET of a stream sends type, name and bytes; 204 when it is empty, 406 when refused", () =>
  withShop(async (shop) => {
    expectAnswer(await shop.send("GET", "Media(1)/content"), {
      status: 200,
      headers: {
        "content-type": "text/plain",
        "accept-ranges": "bytes",
        "content-disposition": 'attachment; filename="hello.txt"',
        "odata-version": "4.0",
      },
      body: "hello world",
    });
    assert.equal((await shop.send("GET", "Media(2)/content")).status, 204);
    assert.equal(
      (await shop.send("GET", "Media(1)/content", { headers: { accept: "image/png" } })).status,
      406,
    );
  }));

Deno.test("OData-MaxVersion decides on the version of the answer", () =>
  withShop(async (shop) => {
    const version = (value: string) =>
      shop.send("GET", "Authors", { headers: { "odata-maxversion": value } });
    assert.equal((await version("4.01")).headers["odata-version"], "4.01");
    assert.equal((await version("3.0")).status, 406);
  }));

Deno.test("$orderby sorts by the number of related rows", () =>
  withShop(async (shop) => {
    const idsBy = async (orderby: string) => {
      const { body } = await shop.send("GET", `Authors?$select=ID&$orderby=${orderby}`);
      return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
    };
    assert.deepEqual(await idsBy("books/$count desc"), [150, 101]);
    assert.deepEqual(await idsBy("books/$count"), [101, 150]);
  }));
