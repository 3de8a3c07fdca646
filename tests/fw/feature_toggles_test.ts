import assert from "node:assert/strict";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { createRuntime, fw } from "../../src/fw.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createIdentity } from "../../src/test/identity/identity.ts";
import { toggleOf } from "../../src/model/toggles.ts";

const SCHEMA = `
  namespace my;
  entity Books { key ID : Integer; title : String(40); }
  entity Plain { key ID : Integer; }
`;
const SERVICE = `
  using { my } from './schema.cds';
  @protocol: ['odata', 'rest'] service Shop { entity Books as projection on my.Books; }
`;
const ISBN = `
  using { my } from './schema.cds';
  using { Shop } from './service.cds';
  extend my.Books with { isbn : String(13) not null; }
  annotate Shop with @requires: 'any';
`;
const STOCK = `
  using { my } from './schema.cds';
  using { Shop } from './service.cds';
  extend my.Books with { stock : Integer default 7; }
  extend service Shop with { function count() returns Integer; entity Plain as projection on my.Plain; }
`;
const FILES: Readonly<Record<string, string>> = {
  "/schema.cds": SCHEMA,
  "/service.cds": SERVICE,
  "/isbn.cds": ISBN,
  "/stock.cds": STOCK,
};

function compile(...files: string[]): Csn {
  return compileCdl(files, { readFile: (path) => FILES[path] });
}

const BASE = compile("/service.cds");
const TOGGLES = {
  isbn: toggleOf(BASE, compile("/service.cds", "/isbn.cds")),
  stock: toggleOf(BASE, compile("/service.cds", "/stock.cds")),
};
const BOOKS = [{ ID: 1, title: "Emma", isbn: "111", stock: 3 }, { ID: 2, title: "Persuasion", isbn: "222" }];

type SendRequest = (request: Request) => Promise<Response>;

interface Shop {
  readonly runtime: Runtime;
  /** Status and JSON, or text, of the answer. */
  call(user: string, call: string, body?: unknown): Promise<{ status: number; json: Json }>;
}

// deno-lint-ignore no-explicit-any
type Json = any;

async function withShop(
  options: {
    readonly kind?: "memory" | "sqlite";
    readonly auth?: object;
    readonly limits?: object;
    readonly fetch?: SendRequest;
  },
  test: (shop: Shop) => Promise<void>,
): Promise<void> {
  const { kind = "sqlite", auth, limits, fetch } = options;
  const runtime = createRuntime({
    model: BASE,
    toggles: TOGGLES,
    kinds: { databases: { sqlite: () => createSqliteDatabase, memory: () => createMemoryDatabase }, fetch },
    env: {
      log: { levels: { default: "silent" } },
      requires: { db: { kind }, auth: { kind: "mocked", ...auth } },
      ...limits === undefined ? {} : { limits },
    },
    data: new Map([["my.Books", BOOKS]]),
    handlers: {
      Shop: (srv) => {
        srv.on("count", async () => (await srv.run(fw.ql.SELECT.from("Books")) as unknown[]).length);
        srv.on("READ", "Books", async (req, next) => {
          if (req.headers["x-names"] === undefined) return await next();
          const row = (await fw.db.run(fw.ql.SELECT.from("my.Books")) as object[])[0];
          const { elements } = srv.entities.Books;
          return req.reject(418, Object.keys(row).join() + ";" + Object.keys(elements).join());
        });
      },
    },
  });
  const call: Shop["call"] = async (user, target, body) => {
    const [method, path] = target.split(" ");
    const response = await runtime.fetch(
      new Request(`http://localhost/odata/v4/shop/${path}`, {
        method,
        headers: {
          ...user === "" ? {} : { authorization: `Basic ${btoa(`${user}:`)}` },
          ...body === undefined ? {} : { "content-type": "application/json" },
          ...path.includes("names") ? { "x-names": "1" } : {},
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : text };
  };
  try {
    await test({ runtime, call });
  } finally {
    await runtime.close();
  }
}

Deno.test("users see what their feature toggles add, in $metadata, answers and options [5.4.3] [2.5.features]", () =>
  withShop({}, async ({ call }) => {
    const expected = {
      dave: ["ID", "title"],
      fred: ["ID", "title", "isbn"],
      me: ["ID", "title", "isbn", "stock"],
    };
    for (const [user, names] of Object.entries(expected)) {
      const { json } = await call(user, "GET Books(1)");
      assert.deepEqual(Object.keys(json).filter((name) => !name.startsWith("@")), names);
      const metadata = (await call(user, "GET $metadata")).json;
      for (const name of ["isbn", "stock"]) {
        assert.equal(metadata.includes(`Property Name="${name}"`), names.includes(name), `${user} ${name}`);
        const status = names.includes(name) ? 200 : 400;
        assert.equal((await call(user, `GET Books?$select=${name}`)).status, status);
        assert.equal((await call(user, `GET Books?$filter=${name}%20eq%20null`)).status, status);
        assert.equal((await call(user, `GET Books?$orderby=${name}`)).status, status);
      }
    }
  }));

for (const kind of ["sqlite", "memory"] as const) {
  Deno.test(`what a toggle adds is refused in the input of others, and not needed by them (${kind}) [5.4.3]`, () =>
    withShop({ kind }, async ({ call }) => {
      assert.equal((await call("dave", "POST Books", { ID: 3, title: "x", isbn: "3" })).status, 400);
      assert.equal((await call("dave", "PATCH Books(1)", { isbn: "3" })).status, 400);
      assert.equal((await call("dave", "POST Books", { ID: 3, title: "x" })).status, 201);
      const { isbn, stock } = (await call("me", "GET Books(3)")).json;
      assert.deepEqual([isbn, stock], [null, 7]);
      // the element must not be null for those who have it
      assert.equal((await call("fred", "POST Books", { ID: 4, title: "x", isbn: null })).status, 400);
      assert.equal((await call("fred", "PATCH Books(1)", { isbn: "999" })).status, 200);
      assert.equal((await call("me", "GET Books(1)")).json.isbn, "999");
      assert.equal((await call("dave", "DELETE Books(1)")).status, 204);
    }));

  Deno.test(`handlers see the model of the user: fw.model, definitions, rows (${kind}) [5.4.3]`, () =>
    withShop({ kind }, async ({ call }) => {
      const names = async (user: string) => (await call(user, "GET Books?names=1")).json.error.message;
      assert.equal(await names("dave"), "ID,title;ID,title");
      assert.equal(await names("fred"), "ID,title,isbn;ID,title,isbn");
      assert.equal(await names("dave"), "ID,title;ID,title");
    }));
}

Deno.test("entities and operations of a toggle exist for its users only [5.4.3]", () =>
  withShop({}, async ({ call }) => {
    assert.equal((await call("dave", "GET Plain")).status, 404);
    assert.equal((await call("dave", "GET count()")).status, 404);
    assert.equal((await call("me", "GET Plain")).status, 200);
    assert.equal((await call("me", "GET count()")).json.value, 2);
  }));

Deno.test("parts of a batch and calls of REST see the model of the user [5.4.3]", () =>
  withShop({}, async ({ call, runtime }) => {
    const requests = ["Books(1)?$select=isbn", "$metadata"].map((url, id) => ({
      id: `${id}`,
      method: "GET",
      url,
    }));
    for (const [user, expected] of [["dave", 400], ["fred", 200]] as const) {
      const { json } = await call(user, "POST $batch", { requests });
      assert.equal(json.responses[0].status, expected, user);
      assert.equal(JSON.stringify(json.responses[1].body).includes("isbn"), user === "fred");
      const rest = await runtime.fetch(
        new Request("http://localhost/rest/shop/Books/1?$select=isbn", {
          headers: { authorization: `Basic ${btoa(`${user}:`)}` },
        }),
      );
      await rest.body?.cancel();
      assert.equal(rest.status, expected, user);
    }
  }));

Deno.test("the model is chosen after the login and before the restriction of the service [5.4.3]", () =>
  withShop({ auth: { restrict_all_services: true } }, async ({ call }) => {
    assert.equal((await call("", "GET Books")).status, 401);
    assert.equal((await call("", "GET Books?$select=isbn")).status, 401);
    assert.equal((await call("fred", "GET Books?$select=isbn")).status, 200);
  }));

Deno.test("toggles of a tenant are those of its users without own ones; * means all [2.5.tenants]", () =>
  withShop({ auth: { tenants: { t1: { features: ["isbn"] }, t2: { features: "*" } } } }, async ({ call }) => {
    const isbn = async (user: string) => (await call(user, "GET Books?$select=isbn")).status;
    assert.deepEqual([await isbn("alice"), await isbn("dave"), await isbn("yves")], [200, 400, 400]);
    assert.equal((await call("erin", "GET Books?$select=isbn,stock")).status, 200);
  }));

Deno.test("users of tokens have the toggles of their tenant, whatever their claims say [2.5.tenants] [5.4.3]", async () => {
  const identity = createIdentity({ kind: "oauth2" });
  const auth = {
    kind: "oauth2",
    credentials: identity.credentials,
    tenants: { t1: { features: ["isbn"] }, t2: { features: [] } },
  };
  await withShop({ auth, fetch: identity.fetch }, async ({ runtime }) => {
    const status = async (claims: Record<string, unknown>, name: string) => {
      const headers = { authorization: `Bearer ${await identity.token({ user: "u", claims })}` };
      const url = `http://localhost/odata/v4/shop/Books?$select=${name}`;
      const response = await runtime.fetch(new Request(url, { headers }));
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await status({ zid: "t1" }, "isbn"), 200);
    assert.equal(await status({ zid: "t1" }, "stock"), 400);
    assert.equal(await status({ zid: "t2", features: ["*"] }, "isbn"), 400);
    assert.equal(await status({ zid: "t3" }, "isbn"), 400);
  });
});

Deno.test("no request header turns a toggle on (tenant-isolation-007)", () =>
  withShop({}, async ({ runtime }) => {
    for (const header of ["features", "x-features", "fw-features", "toggles", "sap-features"]) {
      const headers = { authorization: `Basic ${btoa("dave:")}`, [header]: "isbn" };
      const url = "http://localhost/odata/v4/shop/Books?$select=isbn&features=isbn";
      const response = await runtime.fetch(new Request(url, { headers }));
      assert.equal(response.status, 400, header);
      await response.body?.cancel();
    }
  }));

Deno.test("the number of models kept is bounded by fw.limits.toggleModels", () =>
  withShop({ limits: { toggleModels: 1 } }, async ({ runtime, call }) => {
    await runtime.start();
    const of = (...features: string[]) =>
      runtime.modelOf!(new fw.EventContext({ features: new Set(features) }));
    const isbn = of("isbn");
    assert.equal(of("isbn", "unknown"), isbn);
    assert.equal(of(), runtime.model);
    assert.equal(of("unknown"), runtime.model);
    assert.notEqual(of("stock"), isbn);
    assert.notEqual(of("isbn"), isbn);
    assert.equal((await call("fred", "GET Books(1)")).json.isbn, "111");
  }));

Deno.test("context.model is the model in effect, also of what is derived from the context", () =>
  withShop({}, async ({ runtime }) => {
    await runtime.start();
    await runtime.db!.tx({ user: new fw.User({ id: "x", features: ["isbn"] }) }, async (tx) => {
      assert.ok((tx.context.model as typeof runtime.model).entity("my.Books")!.elements.isbn);
      await runtime.db!.tx({ user: fw.User.privileged }, () => {
        assert.equal(fw.context?.model, tx.context.model);
        assert.equal(fw.model, tx.context.model);
        return Promise.resolve();
      });
    });
  }));

Deno.test("a toggle that does not fit to the model stops the start", () => {
  const start = (model: Parameters<typeof createRuntime>[0]["model"], toggle: Csn) => () =>
    createRuntime({ model, toggles: { toggle }, env: { log: { levels: { default: "silent" } } } });
  const key = { extensions: [{ extend: "my.Books", elements: { x: { key: true, type: "cds.Integer" } } }] };
  assert.throws(start(BASE, key), /adds the key "x" to my\.Books/);
  assert.throws(start(BASE, { extensions: [{ extend: "my.Boks", elements: {} }] }), ConfigurationError);
  assert.throws(start(BASE, { definitions: { Other: { kind: "service" } } }), /declares the service Other/);
  assert.throws(start(linkModel(BASE), key), /linked already/);
});
