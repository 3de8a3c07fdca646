import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { compileText } from "../../src/deno/compiler.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";
import { uniqueName } from "../contract/services.ts";

const CDL = `
  entity db.Books { key ID : Integer; title : String; owner : String; author : Association to db.Authors; }
  entity db.Authors { key ID : Integer; name : String; }
  service Shop @(requires: 'authenticated-user') {
    @restrict: [{ grant: 'READ', to: 'operator' }, { grant: 'READ', to: 'reader', where: (owner = $user) }]
    entity Books as projection on db.Books;
    entity Authors as projection on db.Authors;
  }`;

const USERS = {
  operator: { roles: ["operator", "explainer"] },
  reader: { roles: ["reader", "explainer"] },
  bob: { roles: ["operator"] },
};

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- the test looks at members of JSON
  readonly body: any;
}

type Ask = (path: string, user: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

async function withShop(
  run: (ask: Ask) => Promise<void>,
  {
    db = { kind: "sqlite", credentials: { url: ":memory:" } } as Readonly<Record<string, unknown>>,
    explain = true,
  } = {},
): Promise<void> {
  const runtime = createRuntime({
    model: compileText(CDL),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", users: USERS }, db },
      log: { levels: { default: "silent" } },
      ...explain && { server: { explain: { requires: "explainer" } } },
    },
    data: new Map([["db.Books", [{ ID: 1, title: "a", owner: "reader" }, {
      ID: 2,
      title: "b",
      owner: "x",
    }]]]),
  });
  try {
    await runtime.start();
    await run(async (path, user, headers = {}) => {
      const authorization = `Basic ${btoa(`${user}:`)}`;
      const request = new Request(`http://localhost${path}`, { headers: { authorization, ...headers } });
      const response = await runtime.fetch(request);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
    });
  } finally {
    await runtime.close();
  }
}

const EXPLAIN = { prefer: "fw.explain" };

Deno.test("Prefer: fw.explain shows tree, CQN, restrictions, SQL, the plan of the database and cache hits", async () => {
  await withShop(async (ask) => {
    const url = "/odata/v4/shop/Books?$filter=title eq 'a'&$expand=author";
    const first = await ask(url, "reader", EXPLAIN);
    assert.equal(first.status, 200);
    assert.equal(first.headers.get("preference-applied"), "fw.explain");
    assert.equal(first.body.request, url);
    assert.equal(first.body.isPlanned, false);
    assert.equal(first.body.tree.path[0].name, "Books");
    assert.match(first.body.cql, /^SELECT from Shop\.Books \{ \*, author \{ \* \} \} where title = :\w+/);
    assert.deepEqual(first.body.query.SELECT.from.ref, ["Shop.Books"]);
    assert.equal(first.body.restrictions.access, "(owner = $user)");
    assert.match(first.body.restrictions.permitted, /owner = \$user/);
    const [query] = first.body.queries;
    assert.match(query.cql, /owner = \$user/);
    assert.match(query.sql, /^SELECT .* FROM "db_Books"/);
    assert.equal(query.isCompiled, false);
    assert.match(query.plan.join("\n"), /SCAN Books/);
    // another literal, the same shape
    const second = await ask(url.replace("'a'", "'b'"), "reader", EXPLAIN);
    assert.equal(second.body.isPlanned, true);
    assert.equal(second.body.queries[0].isCompiled, true);
    const all = await ask(url, "operator", EXPLAIN);
    assert.deepEqual(all.body.restrictions, { access: "all" });
  });
});

Deno.test("to users without the role, and without configuration, the preference is unknown (RFC 7240, 2)", async () => {
  const check = (answer: Answer) => {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("preference-applied"), null);
    assert.deepEqual(Object.keys(answer.body), ["@odata.context", "value"]);
  };
  await withShop(async (ask) => {
    check(await ask("/odata/v4/shop/Books", "bob", EXPLAIN));
    check(await ask("/odata/v4/shop/Books", "operator"));
  });
  await withShop(async (ask) => {
    check(await ask("/odata/v4/shop/Books", "operator", EXPLAIN));
    assert.equal((await ask("/explain?query=x", "operator")).status, 404);
  }, { explain: false });
});

Deno.test("what is refused stays refused where it should be explained", async () => {
  await withShop(async (ask) => {
    const { status, body } = await ask("/odata/v4/shop/Nothing", "operator", EXPLAIN);
    assert.equal(status, 404);
    assert.deepEqual(Object.keys(body), ["error"]);
  });
});

Deno.test("what fails while it is read is explained with its status and error", async () => {
  await withShop(async (ask) => {
    const { status, headers, body } = await ask("/odata/v4/shop/Books(9)", "operator", EXPLAIN);
    assert.equal(status, 404);
    assert.equal(headers.get("preference-applied"), "fw.explain");
    assert.equal(body.failed.code, "404");
    assert.match(body.queries[0].sql, /"db_Books"/);
    assert.deepEqual(Object.keys((await ask("/odata/v4/shop/Books(9)", "bob", EXPLAIN)).body), ["error"]);
  });
});

Deno.test("/explain explains CQL with the restrictions of the user, for those with the role only", async () => {
  await withShop(async (ask) => {
    const url = `/explain?query=${encodeURIComponent("SELECT from Shop.Books { title } where ID = 1")}`;
    const { body } = await ask(url, "reader");
    assert.equal(body.request, "SELECT from Shop.Books { title } where ID = 1");
    assert.match(body.queries[0].cql, /owner = \$user/);
    assert.match(body.queries[0].plan.join("\n"), /Books/);
    assert.equal((await ask(url, "bob")).status, 403);
    assert.match(
      (await ask("/explain?query=SELECT%20from", "operator")).body.error.message,
      /^1:12: Found end of text/,
    );
    const unknown = await ask("/explain?query=SELECT%20from%20Nothing", "operator");
    assert.deepEqual([unknown.status, unknown.body.error.message], [400, 'There is no entity "Nothing"']);
    assert.equal((await ask("/explain", "operator")).status, 400);
  });
});

Deno.test({
  name: "on PostgreSQL the plan is that of EXPLAIN",
  ignore: !server.isThere,
  async fn() {
    const schema = uniqueName();
    try {
      await withShop(async (ask) => {
        const { body } = await ask("/odata/v4/shop/Books?$filter=title eq 'a'", "reader", EXPLAIN);
        assert.match(body.queries[0].plan.join("\n"), /Scan on "db_Books".*cost=/);
        // of CQL nothing is read: this query fails for the row 1
        const query = encodeURIComponent("SELECT from db.Books { ID, 1 / (ID - 1) as x : Integer }");
        const { status, body: looked } = await ask(`/explain?query=${query}`, "reader");
        assert.equal(status, 200);
        assert.match(looked.queries[0].plan.join("\n"), /Scan on "db_Books"/);
      }, { db: { kind: "postgres", credentials: credentials(schema) } });
    } finally {
      await dropSchemas(schema);
    }
  },
});
