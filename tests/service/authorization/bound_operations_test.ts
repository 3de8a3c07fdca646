/** Operations bound to rows along a path, and to collections (auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { compileText } from "../../../src/deno/compiler.ts";
import { type Answer, send } from "../../http/fixture.ts";

const MODEL = compileText(`service Shop {
  @restrict: [{ to: 'admin' }, { to: 'authenticated-user', where: 'country = $user.country' }]
  entity Books { key ID : Integer; country : String; author : Association to Authors;
    sequel : Association to Books; }
    actions { action touch() returns Integer; action count(books : many $self) returns Integer; };
  entity Authors { key ID : Integer; books : Association to many Books on books.author = $self; }
}`);
const USERS = { ann: { attr: { country: ["DE"] } }, bob: { attr: { country: ["IT"] } } };
const ROWS = new Map<string, Record<string, unknown>[]>([
  ["Shop.Authors", [{ ID: 1 }, { ID: 2 }]],
  ["Shop.Books", [
    { ID: 1, country: "DE", author_ID: 1, sequel_ID: 3 },
    { ID: 2, country: "FR", author_ID: 2 },
    { ID: 3, country: "DE" },
  ]],
]);

type Call = (path: string, user: string, method?: string, body?: unknown) => Promise<Answer>;

/** Runs a test with a shop, and the keys that its handlers were called with. */
async function withShop(test: (call: Call, called: unknown[]) => Promise<void>): Promise<void> {
  const called: unknown[] = [];
  const runtime = createRuntime({
    model: MODEL,
    env: {
      requires: { auth: { kind: "mocked", users: USERS }, db: { kind: "memory" } },
      log: { levels: { default: "silent" } },
    },
    data: structuredClone(ROWS),
    handlers: {
      Shop: (srv) => {
        srv.on("touch", (req) => called.push(req.params.at(-1)));
        srv.before(["UPDATE", "DELETE"], "Books", (req) => void called.push(req.params.at(-1)));
        srv.on("count", async (req) => (await runtime.db!.run(req.query) as unknown[]).length);
      },
    },
  });
  try {
    await test(
      (path, user, method = "POST", body = {}) =>
        send(runtime, `/odata/v4/shop/${path}`, { method, user, ...(method === "DELETE" ? {} : { body }) }),
      called,
    );
  } finally {
    await runtime.close();
  }
}

Deno.test("handlers see no keys of rows that the path does not lead to (auth 7)", () =>
  withShop(async (call, called) => {
    for (const path of ["Authors(1)/books(2)/Shop.touch", "Authors(9)/books(2)/touch"]) {
      assert.equal((await call(path, "ann")).status, 404, path);
    }
    assert.equal((await call("Authors(1)/books(2)", "ann", "PATCH")).status, 404);
    assert.equal((await call("Authors(1)/books(2)", "ann", "DELETE")).status, 404);
    assert.equal((await call("Authors(2)/books(2)/Shop.touch", "ann")).status, 403);
    assert.deepEqual(called, []);
    assert.equal((await call("Authors(1)/books(1)/Shop.touch", "ann")).status, 200);
    assert.deepEqual(called, [{ ID: 1 }]);
  }));

Deno.test("an operation bound to a row that nobody has stored is left to its handler (auth 7)", () =>
  withShop(async (call, called) => {
    assert.equal((await call("Books(9)/Shop.touch", "ann")).status, 200);
    assert.deepEqual(called, [{ ID: 9 }]);
  }));

Deno.test("a row changed by a path from another row of its entity stays one that the user may change (auth 7)", () =>
  withShop(async (call) => {
    const sequel = "Books(1)/sequel";
    assert.equal((await call(sequel, "ann", "PATCH", { country: "FR" })).status, 403);
    assert.equal((await call(sequel, "ann", "PATCH", { country: "DE" })).status, 200);
  }));

Deno.test("operations bound to a collection run for those who may see none of its rows (auth 7)", () =>
  withShop(async (call) => {
    for (
      const [path, user, count] of [["Books", "ann", 2], ["Books", "bob", 0], ["Authors(2)/books", "ann", 0]]
    ) {
      const { status, body } = await call(`${path}/Shop.count`, String(user));
      assert.deepEqual([status, (body as { value: unknown }).value], [200, count], `${path} ${user}`);
    }
  }));
