/** Which requests are explained, to whom, and what takes the place of their answers. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import { withShop } from "./shop.ts";
import { ContextNotes } from "../../src/fw/context_notes.ts";
import { explainingHandler, explainingOf, wantsExplanation } from "../../src/fw/explain_requests.ts";
import type { ExplainedRequest } from "../../src/fw/explanations.ts";
import type { ProtocolAdapter } from "../../src/service/wire/protocol_adapter.ts";

Deno.test("a GET that prefers fw.explain wants to be explained, whatever else it prefers", () => {
  const cases: readonly [string, string | undefined, boolean][] = [
    ["GET", "fw.explain", true],
    ["GET", "return=minimal, fw.explain", true],
    ["GET", "FW.Explain", true],
    ["GET", "fw.explains", false],
    ["GET", undefined, false],
    ["HEAD", "fw.explain", false],
    ["POST", "fw.explain", false],
  ];
  for (const [method, prefer, expected] of cases) {
    const headers = new Headers(prefer === undefined ? {} : { prefer });
    assert.equal(wantsExplanation({ method, headers }), expected, `${method} ${prefer}`);
  }
});

Deno.test("requests are explained where the configuration names roles, at a path of its own or /explain", () => {
  const of = (explain: unknown) => explainingOf({ env: { server: { explain } } } as never);
  assert.equal(of(undefined), undefined);
  assert.equal(explainingOf({ env: {} } as never), undefined);
  const { roles, path } = of({ requires: "dev" })!;
  assert.deepEqual([roles, path], [["dev"], "/explain"]);
  assert.deepEqual(of({ requires: ["a", "b"], path: "/why" })!.path, "/why");
  assert.throws(() => of({}), /"fw\.server\.explain\.requires" must name the roles/);
  assert.throws(() => of({ requires: "dev", path: "why" }), /"fw\.server\.explain\.path"/);
});

interface Given {
  readonly roles?: readonly string[];
  readonly queries?: ExplainedRequest["queries"];
  readonly answer?: Response;
  readonly adapter?: Partial<ProtocolAdapter>;
  readonly prefer?: string;
  readonly url?: string;
  /** Whether notes on the request were begun. */
  readonly isNoted?: boolean;
}

const QUERY = { cql: "SELECT from Books", query: { SELECT: { from: { ref: ["Books"] } } }, sql: "SELECT 1" };

async function explained(given: Given) {
  const { roles = ["dev"], queries = [QUERY], answer, adapter = {}, isNoted = true } = given;
  const notes = new ContextNotes<ExplainedRequest>();
  const infos: unknown[] = [];
  const handler = explainingHandler(
    (_request, info) => {
      infos.push(info);
      if (isNoted) {
        notes.begin(new EventContext({ user: new User({ id: "x", roles }) }), { queries, runs: true });
      }
      return Promise.resolve(answer ?? Response.json({ value: [1] }));
    },
    { roles: ["boss", "dev"], path: "/explain", explanations: notes },
    new Map([["/cat", adapter as ProtocolAdapter]]),
  );
  const request = new Request(given.url ?? "http://host/cat/Books?$top=1", {
    headers: { prefer: given.prefer ?? "fw.explain" },
  });
  const response = await handler(request, "peer");
  assert.deepEqual(infos, ["peer"]);
  const { status, headers } = response;
  return { status, applied: headers.get("preference-applied"), headers, body: await response.json() };
}

Deno.test("who has one of the roles sees what a request means and asks, others the answer", async () => {
  const asked: unknown[] = [];
  const adapter: Partial<ProtocolAdapter> = {
    isPlanned: (_context: EventContext, path: string) => (asked.push(["planned", path]), true),
    explain: (_context: EventContext, path: string) => {
      asked.push(["explain", path]);
      return { tree: { a: 1 }, query: QUERY.query, params: { p: 1n }, access: "reader" } as never;
    },
  };
  const { status, applied, headers, body } = await explained({ adapter });
  assert.deepEqual([status, applied, headers.get("content-type")], [200, "fw.explain", "application/json"]);
  assert.deepEqual(body, {
    ...{
      request: "/cat/Books?$top=1",
      isPlanned: true,
      tree: { a: 1 },
      query: QUERY.query,
      params: { p: "1" },
    },
    ...{ cql: "SELECT from Books", restrictions: { access: "reader" }, queries: [QUERY] },
  });
  assert.deepEqual(asked, [["planned", "Books?$top=1"], ["explain", "Books?$top=1"]]);
  const bare = await explained({ url: "http://host/elsewhere" });
  assert.deepEqual(bare.body, { request: "/elsewhere", queries: [QUERY] });
  const unseen: readonly Given[] = [
    { roles: [] },
    { roles: ["other"] },
    { prefer: "return=minimal" },
    { isNoted: false },
    { answer: Response.json({ value: [1] }, { headers: { "preference-applied": "fw.explain" } }) },
  ];
  for (const given of unseen) assert.deepEqual((await explained(given)).body, { value: [1] });
});

Deno.test("restrictions are those that change the query, as expressions", async () => {
  const permitted = { SELECT: { from: { ref: ["Books"] }, where: [{ ref: ["a"] }, "=", { val: 1 }] } };
  const restrictionsOf = async (url: object) =>
    (await explained({ adapter: { explain: () => ({ query: QUERY.query, ...url }) as never } })).body
      .restrictions;
  assert.deepEqual(await restrictionsOf({}), {});
  assert.deepEqual(await restrictionsOf({ permitted: QUERY.query }), {});
  assert.deepEqual(await restrictionsOf({ permitted, access: [{ ref: ["a"] }, "=", { val: 1 }] }), {
    ...{ access: "a = 1", permitted: "SELECT from Books where a = 1" },
  });
});

Deno.test("a mistake in the URL is told as ever; what failed while it was read is explained with its error", async () => {
  const failed = () => Response.json({ error: { code: "409", message: "No" } }, { status: 409 });
  const asEver = await explained({ answer: failed(), queries: [] });
  assert.deepEqual([asEver.status, asEver.applied, asEver.body.error.message], [409, null, "No"]);
  const { status, applied, body } = await explained({ answer: failed() });
  assert.deepEqual([status, applied, body.failed.message, body.queries], [409, "fw.explain", "No", [QUERY]]);
  assert.equal((await explained({ queries: [] })).applied, "fw.explain");
});

Deno.test("of the headers of an answer only those stay that say nothing of rows", async () => {
  const kept = {
    "x-correlation-id": "c",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "server-timing": "db",
  };
  const answer = Response.json({}, {
    status: 206,
    headers: { ...kept, etag: '"1"', "odata-version": "4.0" },
  });
  const { status, headers } = await explained({ answer });
  assert.deepEqual([status, Object.fromEntries(headers)], [206, {
    ...{ ...kept, "content-type": "application/json", "preference-applied": "fw.explain" },
  }]);
});

Deno.test("the endpoint explains a query in CQL to those with the role, through the service of its entity", () => {
  const users = { ann: { password: "", roles: ["dev"] }, bob: { password: "" } };
  const env = {
    server: { explain: { requires: ["boss", "dev"] } },
    requires: { auth: { kind: "mocked", users } },
  };
  return withShop({ env }, async (runtime) => {
    const explain = async (query: string | undefined, user = "ann") => {
      const url = new URL("http://localhost/explain");
      if (query !== undefined) url.searchParams.set("query", query);
      const response = await runtime.fetch(
        new Request(url, { headers: { authorization: `Basic ${btoa(`${user}:`)}` } }),
      );
      const body = await response.json();
      return { status: response.status, applied: response.headers.get("preference-applied"), body };
    };
    const { status, applied, body } = await explain(
      "SELECT from shop.CatalogService.Books { ID } where stock > 1",
    );
    assert.deepEqual([status, applied], [200, "fw.explain"]);
    assert.equal(body.request, "SELECT from shop.CatalogService.Books { ID } where stock > 1");
    assert.equal(body.queries.length, 1);
    const stored = await explain("SELECT from shop.Authors:books { ID }");
    assert.deepEqual([stored.status, stored.body.queries.length], [200, 1]);
    const cases: readonly [string | undefined, string, number, string][] = [
      [undefined, "ann", 400, 'Expected CQL as "query"'],
      ["", "ann", 400, 'Expected CQL as "query"'],
      ["SELECT from shop.Nothing", "ann", 400, 'There is no entity "shop.Nothing"'],
      ["SELECT from shop.Books", "bob", 403, "Forbidden"],
    ];
    for (const [query, user, expected, message] of cases) {
      const refused = await explain(query, user);
      assert.deepEqual([refused.status, refused.body.error.message], [expected, message], query);
    }
    assert.equal((await explain("SELECT form")).status, 400);
  });
});
