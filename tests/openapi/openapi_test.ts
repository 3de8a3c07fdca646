import assert from "node:assert/strict";
import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import { createRuntime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { REPOSITORY } from "../deno/project.ts";
import { sendTo } from "../send_to.ts";
import {
  type Document,
  operationsOf,
  readDocument,
  schemasOf,
  sendAllReads,
  shop,
  SILENT,
  using,
} from "./described_service.ts";

Deno.test("openapi.json of the example is valid OpenAPI 3.1, and its reads answer as it says", () =>
  using(
    loadProject(`${REPOSITORY}examples/bookshop`, { env: SILENT }).then((project) => project.runtime),
    async (runtime) => {
      const document = await readDocument(runtime, "/odata/v4/catalog");
      assert.ok(operationsOf(document).includes("GET /OrderedBook"), "events can be followed");
      const values = { Books: { ID: 201 }, Authors: { ID: 101 }, Currencies: { code: "EUR" } };
      assert.ok(await sendAllReads(runtime, document, { values }) > 10);
      await readDocument(runtime, "/odata/v4/admin", "alice");
    },
  ));

Deno.test("openapi.json of the reference service is valid, and its reads answer as it says", () =>
  using(startReference({ requires: { db: { kind: "sqlite" } }, ...SILENT }), async (runtime) => {
    const document = await readDocument(runtime, "/");
    const ID = "00000002-0000-4000-8000-000000000001";
    const product = { ID, taxRate: 0.1, discount: 10, tax: 5, format: "x" };
    const values = {
      Products: product,
      FindProducts: { name: "Laptop", maxPrice: 5000 },
      Calculate: { value: 3, a: 1, b: 2 },
    };
    assert.ok(await sendAllReads(runtime, document, { values }) > 20);
  }));

const LIBRARY = `
  @title: 'Library' @description: 'Books to lend' @Core.SchemaVersion: '2.1'
  service Library @(path: '/library') {
    @title: 'Books' entity Books {
      key ID : UUID;
      @title: 'Title' @mandatory title : String(20);
      @assert.range: [0, 10] stars : Integer;
      isbn : String(13) not null @assert.format: '^[0-9]+$';
      state : String default 'new';
      @readonly lent : Integer;
      @insertonly shelf : String(5);
      copies : Composition of many Copies on copies.book = $self;
    } actions { action lend(reader : String not null, days : Integer) returns Integer; function free() returns Boolean; };
    entity Copies { key book : Association to Books; key number : Integer; }
    @readonly entity Shown as select from Books { ID, title };
    @insertonly entity Wishes { key ID : UUID; text : String; }
    @odata.singleton entity Info { key ID : Integer; name : String; }
    function find(title : String not null, max : Integer not null) returns many Books;
    function pick(among : many String) returns String;
    action clear();
  }`;

Deno.test("paths follow the capabilities of sets; keys and parameters of texts are quoted (Part 2, 4.3.1)", () =>
  using(shop(LIBRARY), async (runtime) => {
    const document = await readDocument(runtime, "/library");
    assert.deepEqual(document.info, { title: "Library", description: "Books to lend", version: "2.1" });
    assert.deepEqual(operationsOf(document).filter((one) => !one.includes("Copies")), [
      "GET /Books",
      "POST /Books",
      "GET /Books/$count",
      "GET /Books({ID})",
      "PATCH /Books({ID})",
      "PUT /Books({ID})",
      "DELETE /Books({ID})",
      "GET /Books({ID})/copies",
      "POST /Books({ID})/copies",
      "POST /Books({ID})/Library.lend",
      "GET /Books({ID})/Library.free()",
      "GET /Shown",
      "GET /Shown/$count",
      "GET /Shown({ID})",
      "POST /Shown({ID})/Library.lend",
      "GET /Shown({ID})/Library.free()",
      "POST /Wishes",
      "GET /Info",
      "PATCH /Info",
      "PUT /Info",
      "GET /find(title='{title}',max={max})",
      "GET /pick()",
      "POST /clear",
      "POST /$batch",
    ]);
  }));

Deno.test("bodies that a create takes are valid against its schema, and the reverse (spec 2.8)", () =>
  using(shop(LIBRARY), async (runtime) => {
    const document = await readDocument(runtime, "/library");
    const { schema } = document.paths["/Books"]!.post!.requestBody!.content!["application/json"]!;
    const errorsOf = schemasOf(document)(schema);
    const good = { title: "Emma", isbn: "123", stars: 3, copies: [{ number: 1 }] };
    const bodies: readonly [object, boolean][] = [
      [good, true],
      [{ ...good, stars: null }, true],
      [{ ...good, title: undefined }, false],
      [{ ...good, isbn: "x" }, false],
      [{ ...good, isbn: undefined }, false],
      [{ ...good, stars: 11 }, false],
      [{ ...good, title: "x".repeat(21) }, false],
      [{ ...good, copies: {} }, false],
    ];
    for (const [body, isGood] of bodies) {
      const shown = JSON.stringify(body);
      assert.equal(errorsOf(JSON.parse(shown)).length === 0, isGood, shown);
      const { status } = await sendTo(runtime, { method: "POST", path: "/library/Books", body });
      assert.equal(status < 300, isGood, shown);
    }
    const names = (use: string) =>
      Object.keys(document.components.schemas[`Library.Books${use}`]!.properties);
    assert.deepEqual(names("-create"), ["ID", "title", "stars", "isbn", "state", "shelf", "copies"]);
    assert.deepEqual(names("-update"), ["title", "stars", "isbn", "state", "copies"]);
  }));

Deno.test("views with parameters have paths behind their parameters only", () => {
  const views = `service Library @(path: '/library') {
    @readonly entity Books { key ID : UUID; stock : Integer; }
    @readonly entity Stocked(least : Integer, most : Integer) as
      select from Books { * } where stock between :least and :most;
  }`;
  return using(shop(views), async (runtime) => {
    const document = await readDocument(runtime, "/library");
    const operations = operationsOf(document).filter((one) => one.includes("Stocked"));
    assert.deepEqual(operations, ["GET /Stocked(least={least},most={most})/Set"]);
    const response = await runtime.fetch(
      new Request("http://localhost/library/Stocked(least=1,most=2)/Set", {
        headers: { authorization: `Basic ${btoa("alice:")}` },
      }),
    );
    assert.equal(response.status, 200);
  });
});

Deno.test("functions take their parameters where the document says (Part 1, 11.5.4.1.1)", async () => {
  const model = parseCdl(LIBRARY);
  const handlers = {
    Library: (service: { on(name: string, run: (req: { data: unknown }) => unknown): void }) => {
      service.on("pick", ({ data }: { data: unknown }) => JSON.stringify(data));
    },
  };
  const env = { requires: { db: { kind: "sqlite" } }, ...SILENT };
  await using(createRuntime({ model, handlers, kinds: denoKinds, env } as never), async (runtime) => {
    const path = `/library/pick()?among=${encodeURIComponent('["a","b"]')}`;
    const { status, body } = await sendTo(runtime, { method: "GET", path });
    assert.deepEqual([status, body.value], [200, '{"among":["a","b"]}']);
  });
});

Deno.test("a service by REST is described with paths and bodies of REST", () =>
  using(shop(LIBRARY.replace("path: '/library'", "path: '/library', protocol: 'rest'")), async (runtime) => {
    const created = await sendTo(runtime, {
      method: "POST",
      path: "/library/Books",
      body: { title: "a", isbn: "1" },
    });
    const document = await readDocument(runtime, "/library");
    const paths = Object.keys(document.paths);
    for (const path of ["/Books/{ID}", "/Copies/{book_ID}/{number}", "/Books/{ID}/lend", "/find"]) {
      assert.ok(paths.includes(path), path);
    }
    assert.ok(!paths.includes("/$batch"));
    const values = { Books: { ID: created.body.ID } };
    assert.ok(await sendAllReads(runtime, { ...document, paths: readable(document) }, { values }) > 3);
  }));

/** Without functions, which have no handlers. */
function readable({ paths }: Document): Document["paths"] {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => !/free|find|pick|Info/.test(path)));
}

Deno.test("openapi.json is open to whom $metadata is open (spec 5.2.7)", () =>
  using(shop(LIBRARY.replace("path: '/library'", "path: '/library', requires: 'admin'")), async (runtime) => {
    for (const user of [undefined, "bob", "alice"]) {
      const statuses = await Promise.all(
        ["$metadata", "openapi.json"].map(async (name) =>
          (await sendTo(runtime, { method: "GET", path: `/library/${name}`, user })).status
        ),
      );
      assert.equal(statuses[0], statuses[1], user);
    }
  }));

Deno.test("openapi.json names its server relative to itself, whatever path a proxy has for it (OpenAPI 3.1.1, 4.8.5)", async () => {
  await using(shop(LIBRARY), async (runtime) => {
    const { url } = (await readDocument(runtime, "/library")).servers[0]!;
    assert.equal(new URL(url, "https://shop.example/apps/library/openapi.json").pathname, "/apps/library");
    assert.equal(new URL(url, "http://localhost/library/openapi.json").pathname, "/library");
  });
  await using(shop(LIBRARY.replace("path: '/library'", "path: '/'")), async (runtime) => {
    const { url } = (await readDocument(runtime, "/")).servers[0]!;
    assert.equal(new URL(url, "https://shop.example/apps/openapi.json").pathname, "/apps/");
  });
});

Deno.test("openapi.json has an entity tag, and no other methods than GET (RFC 9110, 15.5.6)", () =>
  using(shop(LIBRARY), async (runtime) => {
    const path = "/library/openapi.json";
    const first = await sendTo(runtime, { method: "GET", path });
    const headers = { "if-none-match": first.headers.get("etag")! };
    assert.equal((await sendTo(runtime, { method: "GET", path, headers })).status, 304);
    const post = await sendTo(runtime, { method: "POST", path, body: {} });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    const head = await sendTo(runtime, { method: "HEAD", path });
    assert.deepEqual([head.status, head.text], [200, ""]);
  }));

Deno.test("operations of collections are described for sets, those of rows for singletons, too", () =>
  using(
    shop(`service Bound @(path: '/bound') {
      entity Books { key ID : Integer; } actions { function best(in : many $self) returns Integer; action lend(); };
      @odata.singleton entity Me { key ID : Integer; } actions { function all(in : many $self) returns Integer; action rest(); };
    }`),
    async (runtime) => {
      const document = await readDocument(runtime, "/bound");
      assert.deepEqual(operationsOf(document).filter((one) => one.includes("Bound.")), [
        "GET /Books/Bound.best()",
        "POST /Books({ID})/Bound.lend",
        "POST /Me/Bound.rest",
      ]);
      const keys = (path: string) => {
        const { parameters } = document.paths[path] as { readonly parameters?: { readonly name: string }[] };
        return parameters?.map(({ name }) => name);
      };
      assert.deepEqual(keys("/Books({ID})/Bound.lend"), ["ID"], "parameters of the path are those in it");
      assert.equal(keys("/Me/Bound.rest"), undefined);
    },
  ));

Deno.test("overloads of an action share their path, which takes the body of any of them (CSDL 12.2)", () =>
  using(
    shop(`service S {
      action run(); @odata.overload: 'run' action run2(n : Integer); @odata.overload: 'run' action run3(a : String);
    }`),
    async (runtime) => {
      const { paths } = await readDocument(runtime, "/odata/v4/s");
      const { schema } = paths["/run"].post.requestBody!.content!["application/json"];
      const { anyOf } = schema as { readonly anyOf: readonly { readonly properties?: object }[] };
      assert.deepEqual(anyOf.map(({ properties = {} }) => Object.keys(properties)), [[], ["n"], ["a"]]);
    },
  ));

Deno.test("only reads of entities with navigation properties have the option $expand (Protocol 11.2.5.2)", () =>
  using(
    shop(`service S {
      entity Books { key ID : Integer; pages : Composition of many Pages on pages.book = $self; }
      entity Pages { key number : Integer; book : Association to Books; }
      entity Shelves { key ID : Integer; }
    }`),
    async (runtime) => {
      const { paths } = await readDocument(runtime, "/odata/v4/s");
      const options = (path: string) => {
        const { parameters } = paths[path].get as {
          readonly parameters: readonly { readonly name?: string }[];
        };
        return parameters.map(({ name }) => name).filter((name) => name !== undefined);
      };
      assert.deepEqual(options("/Books"), ["$orderby", "$select", "$expand"]);
      assert.deepEqual(options("/Shelves"), ["$orderby", "$select"]);
    },
  ));

Deno.test("schemas show defaults as payloads have them, those of enumerations by name (JSON Schema 9.2)", () =>
  using(
    shop(`service S {
      @odata.enum type Grade : Integer enum { low = 1; high = 2; };
      entity Books { key ID : Integer; state : String default 'new'; grade : Grade default 2; title : String; }
    }`),
    async (runtime) => {
      const { components } = await readDocument(runtime, "/odata/v4/s");
      const { state, grade, title } = components.schemas["S.Books"]!.properties as Record<string, object>;
      assert.deepEqual(state, { type: ["string", "null"], default: "new" });
      assert.deepEqual(grade, {
        anyOf: [{ $ref: "#/components/schemas/S.Grade" }, { type: "null" }],
        default: "high",
      });
      assert.deepEqual(title, { type: ["string", "null"] });
    },
  ));

Deno.test("tags and streams of events have the texts of what they stand for (OpenAPI 3.1.1, 4.8.22)", () =>
  using(
    shop(`service S {
      @title: 'Books to lend' entity Books { key ID : Integer; }
      @title: 'People' @description: 'Who lends' entity Readers { key ID : Integer; }
      entity Shelves { key ID : Integer; }
      @title: 'Books that come back' event Returned { ID : Integer; }
      event Lost { ID : Integer; }
    }`),
    async (runtime) => {
      const { tags, paths } = await readDocument(runtime, "/odata/v4/s");
      assert.deepEqual(tags, [
        { name: "Books", description: "Books to lend" },
        { name: "Readers", description: "Who lends" },
        { name: "Shelves" },
        { name: "Events" },
        { name: "Batch" },
      ]);
      const summaryOf = (path: string) => (paths[path]!.get as { readonly summary?: string }).summary;
      assert.deepEqual(["/Returned", "/Lost"].map(summaryOf), ["Books that come back", "Follows Lost"]);
    },
  ));

Deno.test("each enumeration has a schema of its own with the names of its members (JSON Schema 6.1.2)", () =>
  using(
    shop(`service S {
      @odata.enum type Grade : Integer enum { low = 1; high = 2; };
      @odata.enum type Size : Integer enum { small = 1; large = 2; };
      entity Books { key ID : Integer; grade : Grade; size : Size; }
    }`),
    async (runtime) => {
      const { schemas } = (await readDocument(runtime, "/odata/v4/s")).components;
      assert.deepEqual([schemas["S.Grade"], schemas["S.Size"]], [
        { type: "string", enum: ["low", "high"] },
        { type: "string", enum: ["small", "large"] },
      ]);
    },
  ));

Deno.test("only what is created must be complete: changes and answers may leave members out (Part 1, 11.4.3)", () =>
  using(shop(LIBRARY), async (runtime) => {
    const { schemas } = (await readDocument(runtime, "/library")).components;
    const required = (use: string) => schemas[`Library.Books${use}`]!.required;
    assert.deepEqual(["-create", "-update", ""].map(required), [["title", "isbn"], undefined, undefined]);
  }));

Deno.test("members take null where they may have none; what is mandatory may have none only where it was stored so", () =>
  using(
    shop(`service S {
      entity Books { key ID : Integer; title : String; @mandatory name : String; isbn : String not null;
        words : many String; author : Association to Authors; shelf : Association to Authors not null;
        pages : Composition of many { key number : Integer; }; }
      entity Authors { key ID : Integer; }
    }`),
    async (runtime) => {
      const document = await readDocument(runtime, "/odata/v4/s");
      const withNull = (use: string) => {
        const schema = document.components.schemas[`S.Books${use}`]!;
        const compiled = schemasOf(document)({ type: "object", properties: schema.properties });
        return Object.keys(schema.properties).filter((name) => compiled({ [name]: null }).length === 0);
      };
      assert.deepEqual(["", "-create", "-update"].map(withNull), [
        ["title", "name", "author", "author_ID"],
        ["title", "author_ID"],
        ["title", "author_ID"],
      ]);
      const books = { path: "/odata/v4/s/Books" };
      const body = { ID: 1, name: "Emma", isbn: "1", words: [], shelf_ID: 1 };
      assert.equal((await sendTo(runtime, { ...books, method: "POST", body })).status, 201);
      for (
        const [name, expected] of [["title", 200], ["author_ID", 200], ["name", 400], ["isbn", 400]] as const
      ) {
        const change = { method: "PATCH", path: `${books.path}(1)`, body: { [name]: null } };
        assert.equal((await sendTo(runtime, change)).status, expected, name);
      }
    },
  ));

Deno.test("what has a default, is a collection or is computed may be left out of what is created (CSDL 7.2.7)", () =>
  using(
    shop(`service S {
      entity Books { key ID : UUID; key volume : Integer; key kind : String(1) default 'b'; isbn : String not null;
        state : String not null default 'new'; words : many String not null; rate : Integer default 1; }
    }`),
    async (runtime) => {
      const { schemas } = (await readDocument(runtime, "/odata/v4/s")).components;
      assert.deepEqual(schemas["S.Books-create"]!.required, ["volume", "isbn"]);
    },
  ));

Deno.test("patterns are of texts, bounds of numbers without or with their ends (JSON Schema 6.2, 6.3)", () =>
  using(
    shop(`service S {
      entity Books { key ID : Integer @assert.format: '^1'; isbn : String @assert.format: '^[0-9]+$';
        stars : Integer @assert.range: [0, 10]; part : Double @assert.range: [(0), (1)]; }
    }`),
    async (runtime) => {
      const { properties } = (await readDocument(runtime, "/odata/v4/s")).components.schemas["S.Books"]!;
      assert.deepEqual(properties as object, {
        ID: { type: "integer", format: "int32" },
        isbn: { type: ["string", "null"], pattern: "^[0-9]+$" },
        stars: { type: ["integer", "null"], format: "int32", minimum: 0, maximum: 10 },
        part: {
          ...{ type: ["number", "string", "null"], format: "double" },
          ...{ exclusiveMinimum: 0, exclusiveMaximum: 1 },
        },
      });
    },
  ));
