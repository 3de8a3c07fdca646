import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { withApp } from "../service/rules/on_engines.ts";
import { withLibrary } from "./library.ts";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

async function bodyOf(library: Shop, url: string): Promise<unknown> {
  const { status, body } = await library.send("GET", encodeURI(url));
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return typeof body === "object" ? { ...body, "@odata.context": undefined } : body;
}

async function expectBodies(library: Shop, bodies: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [url, expected] of Object.entries(bodies)) {
    const body = typeof expected === "string"
      ? expected
      : { "@odata.context": undefined, ...expected as object };
    assert.deepEqual(await bodyOf(library, url), body, url);
  }
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`members of collections are addressed by position, from the end too, on ${engine} (URL 4.12)`, () =>
    withLibrary(database, (library) =>
      expectBodies(library, {
        "Books(1)/tags/0": { value: "new" },
        "Books(1)/tags/-1": { value: "sale" },
        "Books(1)/tags/1/$value": "sale",
        "Books(1)/places/0": { city: "Oslo", floor: 2, rooms: [1, 2] },
        "Books(1)/places/1/city": { value: "Rome" },
        "Books(1)/places/0/rooms": { value: [1, 2] },
        "Books(1)/places/0/rooms/-1": { value: 2 },
        "Books(1)/places/0/rooms/$count": "2",
      })));

  Deno.test(`a position outside of the collection is 404 on ${engine} (URL 4.12)`, () =>
    withLibrary(database, async (library) => {
      for (const url of ["Books(1)/tags/2", "Books(1)/tags/-3", "Books(3)/tags/0", "Books(9)/tags/0"]) {
        assert.equal((await library.send("GET", url)).status, 404, url);
      }
      assert.equal((await library.send("GET", "Books(9)/tags/$count")).status, 404);
      assert.equal((await library.send("PUT", "Books(1)/tags/0", { body: { value: "x" } })).status, 405);
    }));

  Deno.test(`collections of values take $filter, $orderby, $top, $skip, $count and $search on ${engine} (Protocol 11.2.5)`, () =>
    withLibrary(database, (library) =>
      expectBodies(library, {
        "Books(1)/marks?$filter=$this gt 4": { value: [5] },
        "Books(1)/marks?$orderby=$this desc": { value: [5, 3] },
        "Books(1)/marks?$orderby=$this desc&$top=1&$count=true": { "@odata.count": 2, value: [5] },
        "Books(1)/marks?$skip=1": { value: [5] },
        "Books(1)/tags?$search=SAL": { value: ["sale"] },
        "Books(1)/places?$filter=floor eq null": { value: [{ city: "Rome", floor: null, rooms: [] }] },
        "Books(1)/tags/$filter($this ne 'new')": { value: ["sale"] },
        "Books(1)/tags/$filter($this ne 'new')/$count": "1",
        "Books(1)/tags/$filter($this ne 'new')/0": { value: "sale" },
        "Books(1)/marks/$count?$filter=$this gt 3": "1",
        "Books(4)/tags?$filter=$this eq 'x'": { value: [] },
      })));

  Deno.test(`$select takes options and paths of collections on ${engine} (Protocol 11.2.5.1, conformance 4.01 Intermediate 5, Advanced 5)`, () =>
    withLibrary(database, (library) =>
      expectBodies(library, {
        "Books(1)?$select=tags($filter=$this ne 'new';$count=true)": {
          "tags@odata.count": 1,
          ID: 1,
          tags: ["sale"],
        },
        "Books(1)?$select=marks($orderby=$this desc;$top=1)": { ID: 1, marks: [5] },
        "Books(1)?$select=marks($orderby=null desc)": { ID: 1, marks: [3, 5] },
        "Books(1)?$select=places($select=city;$filter=floor ge 2)": { ID: 1, places: [{ city: "Oslo" }] },
        "Books(1)?$select=places/city,places/floor": {
          ID: 1,
          places: [{ city: "Oslo", floor: 2 }, { city: "Rome", floor: null }],
        },
        "Authors(1)?$select=name&$expand=books($select=marks($filter=$this lt 5))": {
          ID: 1,
          name: "Emily",
          books: [{ ID: 1, marks: [3] }],
        },
        "Books(1)?$select=ShopService.Books/title": { ID: 1, title: "Wuthering Heights" },
      })));

  Deno.test(`$compute adds properties to structures in collections on ${engine} (URL 5.1.5, Protocol 11.2.5.3)`, () =>
    withLibrary(database, (library) =>
      expectBodies(library, {
        "Books(1)/places?$compute=floor mul 2 as twice&$select=twice,city": {
          value: [{ city: "Oslo", twice: 4 }, { city: "Rome", twice: null }],
        },
        "Books(1)/places?$compute=floor add 1 as above&$filter=above gt 2&$orderby=above&$count=true": {
          "@odata.count": 1,
          value: [{ city: "Oslo", floor: 2, rooms: [1, 2], above: 3 }],
        },
        "Books(1)/places/$count?$compute=length(city) as letters&$filter=letters eq 4": "2",
        "Books(1)/places?$select=city": { value: [{ city: "Oslo" }, { city: "Rome" }] },
        "Books(1)/places/0?$select=rooms": { rooms: [1, 2] },
        "Books(1)/title?$select=title": { value: "Wuthering Heights" },
        "Books(1)?$select=places($compute=floor gt 1 as high;$select=city,high)": {
          ID: 1,
          places: [{ city: "Oslo", high: true }, { city: "Rome", high: false }],
        },
        "Books(1)?$select=places($compute=floor add 1 as above,floor gt 1 as high,floor lt 1 as low;$select=high,above,low)":
          {
            ID: 1,
            places: [{ high: true, above: 3, low: false }, { high: false, above: null, low: false }],
          },
        "Books(1)?$select=tags($compute=length($this) as letters;$filter=letters gt 3)": {
          ID: 1,
          tags: ["sale"],
        },
        "Authors(1)?$select=name&$expand=books($select=places($compute=floor mul 2 as twice;$select=twice))":
          {
            ID: 1,
            name: "Emily",
            books: [{ ID: 1, places: [{ twice: 4 }, { twice: null }] }],
          },
        "Books(4)?$select=places($compute=1 as one)": { ID: 4, places: [] },
      })));

  Deno.test(`type casts to the declared type change nothing on ${engine} (URL 4.11)`, () =>
    withLibrary(database, (library) =>
      expectBodies(library, {
        "Loans(1)/ShopService.Loans": { ID: 1, days: 14, book_ID: 1 },
        "Loans/ShopService.Loans(1)/book/ShopService.Books/stock": { value: 12 },
        "Loans/ShopService.Loans/$count": "4",
        "Loans(1)?$select=ID&$expand=ShopService.Loans/book($select=stock)": {
          ID: 1,
          book: { ID: 1, stock: 12 },
        },
      })));
}

Deno.test("positions, members and casts that do not exist are refused with the nearest name (URL 4.11, 4.12)", () =>
  withLibrary(ENGINES.memory, async (library) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "Books(1)/places/0/cty": [404, /no property "cty" \(offset 18\); did you mean "city"\?/],
      "Books(1)/tags/first": [400, /"tags" has no member "first" \(offset 14\)/],
      "Books?$select=places/cty": [400, /did you mean "city"\?/],
      "Books?$select=title($filter=true)": [400, /\$filter needs a collection \(offset 20\)/],
      "Books?$select=ShopService.Authors/name": [
        400,
        /no type in a line with "ShopService.Authors" \(offset 14\)/,
      ],
      "Books/ShopService.Bookz": [400, /./],
      "Books(1)/ShopService.Authors": [400, /no type in a line/],
      "Books?$filter=places/any(p:p/cty eq 'x')": [400, /did you mean "city"\?/],
      "Books?$filter=loans/any(l:ll/days eq 1)": [400, /no property "ll" \(offset 26\); did you mean "l"\?/],
      "Books?$filter=$root/Bokks(1)/ID eq 1": [
        400,
        /no entity set "Bokks" \(offset 20\); did you mean "Books"\?/,
      ],
      "Books(1)/places?$compute=1 as city": [400, /The name "city" is taken \(offset \d+\)/],
      "Books?$select=tags($compute=1 as one;$select=one)": [400, /"items" has no properties/],
      "Books(1)/places?$apply=identity": [501, /\$apply in collections of values is not implemented/],
      "Books(1)?$index=0": [400, /\$index needs a request that adds to an ordered collection \(offset 9\)/],
    };
    for (const [url, [status, message]] of Object.entries(messages)) {
      const answer = await library.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  }));

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`POST adds a value to a collection, also behind a projection, on ${engine} (Protocol 11.4.9.4)`, () =>
    withShop(async (shop) => {
      const post = (value: unknown, options = "") =>
        shop.send("POST", `Books(201)/tags${options}`, { body: { value } });
      assert.deepEqual(await post("b"), {
        status: 200,
        headers: JSON_HEADERS,
        body: { "@odata.context": "../$metadata#Books(201)/tags", value: ["b"] },
      });
      assert.equal((await post("a", "?$index=0")).status, 200);
      // neither is lost, whoever comes first
      const statuses = (await Promise.all([post("c"), post("d")])).map(({ status }) => status);
      assert.deepEqual(statuses, [200, 200]);
      const { body } = await shop.send("GET", "Books(201)?$select=tags");
      const { tags } = body as { tags: string[] };
      assert.deepEqual([tags.slice(0, 2), tags.slice(2).sort()], [["a", "b"], ["c", "d"]]);
    }, { database }));
}

Deno.test("what is added to a collection is one value of its type, where there is room (collectionValues)", () =>
  withShop(async (shop) => {
    const message = async (url: string, body: unknown) => {
      const answer = await shop.send("POST", url, { body });
      return [answer.status, (answer.body as { error: { message: string } }).error.message];
    };
    assert.deepEqual(await message("Books(201)/tags", {}), [
      400,
      'The request body must have a member "value"',
    ]);
    assert.equal((await message("Books(201)/tags", { value: { x: 1 } }))[0], 400);
    assert.deepEqual(await message("Books(201)/tags?$index=1", { value: "x" }), [
      400,
      "$index is outside of a collection of 0 values",
    ]);
    assert.equal((await message("Books(201)/title", { value: "x" }))[0], 405);
    assert.equal((await message("Books(201)/tags/0", { value: "x" }))[0], 405);
    for (const value of ["a", "b"]) await shop.send("POST", "Books(201)/tags", { body: { value } });
    assert.deepEqual(await message("Books(201)/tags", { value: "c" }), [
      400,
      "A collection holds at most 2 values",
    ]);
    const options = await shop.send("OPTIONS", "Books(201)/tags");
    assert.equal(options.headers.allow, "GET, POST, PUT, DELETE, HEAD, OPTIONS");
  }, { limits: { collectionValues: 2 } }));

Deno.test("a change of a property with options that would narrow it is refused, not done to all of it (Protocol 11.4.9)", () =>
  withLibrary(ENGINES.sqlite, async (library) => {
    for (const url of ["tags?$filter=$this eq 'new'", "tags/$filter($this eq 'new')", "tags?$top=1"]) {
      for (const method of ["PUT", "POST", "DELETE"]) {
        const body = method === "DELETE" ? undefined : { value: method === "PUT" ? [] : "x" };
        const answer = await library.send(method, `Books(1)/${url}`, { body });
        assert.ok(answer.status === 400 || answer.status === 405, `${method} ${url}: ${answer.status}`);
      }
    }
    const { body } = await library.send("GET", "Books(1)/tags");
    assert.deepEqual((body as { value: unknown }).value, ["new", "sale"]);
  }));

for (const engine of ["sqlite", "memory"]) {
  Deno.test(`collections are [] also in rows without a key that have nothing else on ${engine}`, () =>
    withApp(
      {
        cdl: `entity db.A { key ID : Integer; tags : many String; }
          service S { entity Tags as select from db.A { tags }; }`,
        data: { "db.A": [{ ID: 1 }] },
      },
      engine,
      async ({ send }) => {
        assert.deepEqual((await send("GET", "/odata/v4/s/Tags")).body.value as unknown, [{ tags: [] }]);
      },
    ));
}
