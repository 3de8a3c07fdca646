import assert from "node:assert/strict";
import type { Row } from "../../mod.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { type BatchItem, type Library, withLibrary } from "./library.ts";

/** What a request told a `before` handler. */
type Seen = Record<string, unknown>;

/** Runs a test with a library that notes what `look` sees of every request to `CatalogService`. */
function seeing(
  look: (req: ServiceRequest) => Seen,
  test: (library: Library, seen: Seen[]) => Promise<unknown>,
): Promise<void> {
  const seen: Seen[] = [];
  return withLibrary((srv) => {
    srv.before("*", (req) => void seen.push(look(req)));
    srv.on("rent", () => "rented");
    srv.on("price", () => 7);
    srv.on("order", () => "ordered");
    srv.on("sum", () => 3);
  }, (library) => test(library, seen));
}

/** One request, and what was seen of it; reading back what was written comes later. */
async function expectSeen(
  { library, seen }: { library: Library; seen: Seen[] },
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  expected: Seen,
): Promise<void> {
  seen.length = 0;
  const answer = await library.send(method, path, { body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  assert.deepEqual(seen[0], expected, `${method} ${path}`);
}

const BOOKS = "library.CatalogService.Books";
const AUTHORS = "library.CatalogService.Authors";
const EDITIONS = "library.CatalogService.Editions";
const keyIs = (id: string, ID: number) => [{ id, where: [{ ref: ["ID"] }, "=", { val: ID }] }];

Deno.test("req.target is the entity addressed, of navigation the last one [2.3.target.a] [2.3.target.b] [2.3.entity]", () =>
  seeing((req) => ({ target: req.target?.name, entity: req.entity }), async (library, seen) => {
    const at = { library, seen };
    const books = { target: BOOKS, entity: BOOKS };
    const authors = { target: AUTHORS, entity: AUTHORS };
    await expectSeen(at, ["GET", "Books"], books);
    await expectSeen(at, ["GET", "Books/$count"], books);
    await expectSeen(at, ["GET", "Books(201)/title"], books);
    await expectSeen(at, ["GET", "Books(201)?$expand=author"], books);
    await expectSeen(at, ["PATCH", "Books(201)", { stock: 1 }], books);
    await expectSeen(at, ["POST", "Books(201)/library.CatalogService.rent", { days: 1 }], books);
    await expectSeen(at, ["GET", "Books(201)/author"], authors);
    await expectSeen(at, ["GET", "Books/201/author"], authors);
    await expectSeen(at, ["GET", "Books(201)/author/books"], books);
    await expectSeen(at, ["GET", "Books(201)/author/books(201)/author"], authors);
    await expectSeen(at, ["GET", "Authors(1)/editions(title='Poems',edition=1)"], {
      target: EDITIONS,
      entity: EDITIONS,
    });
    await expectSeen(at, ["POST", "order", { quantity: 1 }], { target: undefined, entity: undefined });
    await expectSeen(at, ["GET", "sum(a=1,b=2)"], { target: undefined, entity: undefined });
  }));

Deno.test("req.path is canonical, whatever the form of the keys [2.3.path.a] [2.3.path.b]", () =>
  seeing((req) => ({ path: req.path }), async (library, seen) => {
    const at = { library, seen };
    await expectSeen(at, ["GET", "Books"], { path: BOOKS });
    await expectSeen(at, ["GET", "Books(201)"], { path: BOOKS });
    await expectSeen(at, ["GET", "Books(ID=201)"], { path: BOOKS });
    await expectSeen(at, ["GET", "Books/201"], { path: BOOKS });
    await expectSeen(at, ["POST", "Books", { ID: 1, title: "A" }], { path: BOOKS });
    await expectSeen(at, ["GET", "Books(201)/author"], { path: `${BOOKS}/author` });
    await expectSeen(at, ["GET", "Books/201/author"], { path: `${BOOKS}/author` });
    await expectSeen(at, ["GET", "Books(201)/author/editions"], { path: `${BOOKS}/author/editions` });
    const key = "title='Poems',edition=1";
    await expectSeen(at, ["GET", `Authors(1)/editions(${key})`], { path: `${AUTHORS}/editions` });
    await expectSeen(at, ["POST", "Authors(1)/books", { ID: 2, title: "B" }], { path: `${AUTHORS}/books` });
  }));

Deno.test("req.params has one object of keys per keyed step, in the order of the URL [2.3.params]", () =>
  seeing((req) => ({ params: [...req.params].map((keys) => ({ ...keys })) }), async (library, seen) => {
    const at = { library, seen };
    await expectSeen(at, ["GET", "Books"], { params: [] });
    await expectSeen(at, ["GET", "Books(201)"], { params: [{ ID: 201 }] });
    await expectSeen(at, ["GET", "Books/201/author"], { params: [{ ID: 201 }] });
    await expectSeen(at, ["GET", "Authors(1)/editions(title='Poems',edition=2)"], {
      params: [{ ID: 1 }, { title: "Poems", edition: 2 }],
    });
    await expectSeen(at, ["GET", "Authors(1)/editions(edition=2,title='Poems')/author/books(201)"], {
      params: [{ ID: 1 }, { title: "Poems", edition: 2 }, { ID: 201 }],
    });
    await expectSeen(at, ["DELETE", "Editions(title='Poems',edition=1)"], {
      params: [{ title: "Poems", edition: 1 }],
    });
    await expectSeen(at, ["POST", "Books(201)/library.CatalogService.rent", { days: 1 }], {
      params: [{ ID: 201 }],
    });
    await expectSeen(at, ["POST", "order", { quantity: 1 }], { params: [] });
  }));

Deno.test("Entries of req.params with one key convert to its value [2.3.params]", () =>
  seeing((req) => ({ text: `${req.params[0]}`, type: typeof req.params[0] }), async (library, seen) => {
    await expectSeen({ library, seen }, ["GET", "Books(201)"], { text: "201", type: "object" });
  }));

Deno.test("req.query is the request as CQN [2.3.query.a]", () =>
  seeing(
    (req) => ({ kind: Object.keys(req.query)[0], query: JSON.stringify(req.query) }),
    async (library, seen) => {
      const kinds: readonly (readonly [string, string, string, unknown?])[] = [
        ["SELECT", "GET", "Books?$filter=stock gt 1&$orderby=title&$top=2"],
        ["SELECT", "GET", "Books(201)"],
        ["SELECT", "GET", "Books(201)/author"],
        ["INSERT", "POST", "Books", { ID: 1, title: "A" }],
        ["UPDATE", "PATCH", "Books(1)", { title: "B" }],
        ["DELETE", "DELETE", "Books(1)"],
      ];
      for (const [kind, method, path, body] of kinds) {
        seen.length = 0;
        assert.ok((await library.send(method, path, { body })).status < 300, path);
        assert.equal(seen[0].kind, kind, path);
      }
      seen.length = 0;
      await library.get("Books?$filter=stock gt 1&$orderby=title desc&$top=2");
      const { SELECT } = JSON.parse(seen[0].query as string);
      assert.deepEqual(SELECT.from, { ref: [BOOKS] });
      assert.deepEqual(SELECT.where, [{ ref: ["stock"] }, ">", { val: 1 }]);
      assert.deepEqual(SELECT.orderBy[0], { ref: ["title"], sort: "desc", nulls: "last" });
      assert.deepEqual(SELECT.limit.rows, { val: 2 });
    },
  ));

Deno.test("req.query of a bound operation reads the bound entity, of an unbound one it is empty [2.3.query.b]", () =>
  seeing((req) => ({ query: JSON.parse(JSON.stringify(req.query)) }), async (library, seen) => {
    await library.post("Books(201)/library.CatalogService.rent", { days: 1 });
    const { SELECT } = seen[0].query as { SELECT: { from: { ref: unknown[] } } };
    assert.equal(JSON.stringify(SELECT.from.ref).includes(BOOKS), true);
    assert.equal(JSON.stringify(SELECT).includes("201"), true);
    await expectSeen({ library, seen }, ["POST", "order", { quantity: 1 }], { query: {} });
    await expectSeen({ library, seen }, ["GET", "sum(a=1,b=2)"], { query: {} });
  }));

Deno.test("req.subject points to what is addressed, whatever the query options [2.3.subject.a]", () =>
  seeing((req) => ({ ref: JSON.parse(JSON.stringify(req.subject.ref)) }), async (library, seen) => {
    const at = { library, seen };
    await expectSeen(at, ["GET", "Books?$filter=ID eq 201&$orderby=title"], { ref: [BOOKS] });
    await expectSeen(at, ["GET", "Books(201)?$select=title"], { ref: keyIs(BOOKS, 201) });
    await expectSeen(at, ["GET", "Books/201"], { ref: keyIs(BOOKS, 201) });
    await expectSeen(at, ["PATCH", "Books(201)", { stock: 1 }], { ref: keyIs(BOOKS, 201) });
    await expectSeen(at, ["GET", "Books(201)/author"], { ref: [...keyIs(BOOKS, 201), "author"] });
    await expectSeen(at, ["POST", "Books(201)/library.CatalogService.rent", { days: 1 }], {
      ref: keyIs(BOOKS, 201),
    });
  }));

Deno.test("req.subject can be queried in READ, UPDATE, DELETE and bound actions [2.3.subject.b]", () => {
  const rows: unknown[] = [];
  return withLibrary((srv) => {
    srv.before(["READ", "UPDATE", "DELETE"], "Books", async (req) => {
      rows.push(
        await srv.host.db!.run({
          SELECT: { one: true, from: req.subject as never, columns: [{ ref: ["title"] }] },
        }),
      );
    });
    srv.on("rent", async (req) => {
      const count = await srv.host.db!.run({ UPDATE: { entity: req.subject as never, data: { stock: 1 } } });
      return `${Number(count)} rented`;
    });
  }, async (library) => {
    await library.get("Books(201)");
    await library.get("Books(251)?$select=ID");
    await library.send("PATCH", "Books(201)", { body: { title: "New" } });
    await library.send("DELETE", "Books(201)");
    assert.deepEqual(rows.map((row) => (row as Row).title), [
      "Heights",
      "The Raven",
      "Heights",
      "New",
      "New",
    ]);
    const answer = await library.post("Books(251)/library.CatalogService.rent", { days: 1 });
    assert.equal(answer.body.value, "1 rented");
    const { body } = await library.get("Books?$select=ID,stock&$filter=stock eq 1");
    assert.deepEqual(body.value, [{ ID: 251, stock: 1 }]);
  });
});

Deno.test("req.method belongs to the event [2.3.method]", () =>
  seeing((req) => ({ event: req.event, method: req.method }), async (library, seen) => {
    const at = { library, seen };
    await expectSeen(at, ["GET", "Books"], { event: "READ", method: "GET" });
    await expectSeen(at, ["POST", "Books", { ID: 1, title: "A" }], { event: "CREATE", method: "POST" });
    await expectSeen(at, ["PATCH", "Books(1)", { title: "B" }], { event: "UPDATE", method: "PATCH" });
    await expectSeen(at, ["DELETE", "Books(1)"], { event: "DELETE", method: "DELETE" });
  }));

Deno.test("req.req and req.res are those of the batch part, req.http those of the batch [2.3.req] [2.3.res] [2.1.http.c]", () => {
  const parts: ServiceRequest[] = [];
  return withLibrary((srv) => {
    srv.on("run", (req) => {
      parts.push(req);
      req.res!.set("x-part", `part ${(req.data as { n: number }).n}`);
      return "run";
    });
  }, async (library) => {
    await library.post("run", { n: 0 });
    const [single] = parts;
    assert.ok(single.req);
    assert.equal(single.req, single.http!.req);
    assert.equal(single.res, single.http!.res);
    parts.length = 0;
    const item = (n: number): BatchItem => ({
      method: "POST",
      url: "run",
      body: { n },
      headers: { "x-mine": `${n}` },
    });
    const group = { atomicityGroup: "g" };
    await library.batch([item(1), item(2), { ...item(3), ...group }, { ...item(4), ...group }]);
    assert.deepEqual(parts.map((req) => req.req!.get("x-mine")), ["1", "2", "3", "4"]);
    assert.deepEqual(
      parts.map((req) => new URL(req.req!.url).pathname.split("/").at(-1)),
      Array(4).fill("run"),
    );
    assert.equal(new Set(parts.map((req) => req.req)).size, 4);
    assert.equal(new Set(parts.map((req) => req.res)).size, 4);
    assert.deepEqual(parts.map((req) => req.res!.get("x-part")), [1, 2, 3, 4].map((n) => `part ${n}`));
    assert.equal(new Set(parts.map((req) => req.http!.req)).size, 1);
    assert.equal(new Set(parts.map((req) => req.http!.res)).size, 1);
    assert.equal(new URL(parts[0].http!.req.url).pathname, "/odata/v4/catalog/$batch");
  });
});

Deno.test("Handlers shape the response through req.res [2.3.res]", () =>
  withLibrary((srv) => {
    srv.on("order", (req) => {
      req.res!.status(202).set("x-order", "17");
      return "later";
    });
  }, async (library) => {
    const answer = await library.post("order", { quantity: 1 });
    assert.equal(answer.status, 202);
    assert.equal(answer.headers.get("x-order"), "17");
    assert.equal(answer.body.value, "later");
  }));
