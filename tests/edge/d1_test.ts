import assert from "node:assert/strict";
import { type ModuleServer, startModule } from "./miniflare.ts";

const ALICE = { authorization: `Basic ${btoa("alice:")}`, "content-type": "application/json" };

async function send(
  server: ModuleServer,
  path: string,
  { method = "GET", body, headers = {} }: {
    readonly method?: string;
    readonly body?: unknown;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<{ status: number; body: Record<string, unknown>; etag: string | null }> {
  const response = await server.fetch(path, {
    method,
    headers: { ...ALICE, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? {} : JSON.parse(text),
    etag: response.headers.get("etag"),
  };
}

Deno.test("the bookshop over D1 answers requests in workerd, the first ones at the same time", async (context) => {
  const server = await startModule("examples/edge_d1.ts", { d1Databases: ["DB"] });
  const books = "/odata/v4/admin/Books";
  try {
    await context.step("cold start", async () => {
      const answers = await Promise.all(
        Array.from(
          { length: 10 },
          () => send(server, "/odata/v4/catalog/Books?$select=ID&$orderby=ID&$top=2"),
        ),
      );
      for (const { status, body } of answers) {
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual((body.value as unknown[]).length, 2);
      }
    });
    await context.step("$expand, $apply and Unicode letters", async () => {
      const query = encodeURI(
        "$filter=contains(tolower(author/name),'brontë')&$select=ID&$expand=author($select=name)&$orderby=ID",
      );
      const { status, body } = await send(server, `/odata/v4/catalog/Books?${query}`);
      assert.deepEqual([status, body.value], [200, [
        { ID: 201, author: { ID: 103, name: "Emily Brontë" } },
        { ID: 207, author: { ID: 102, name: "Charlotte Brontë" } },
      ]]);
      const upper = encodeURI("$filter=toupper(author/name) eq 'EMILY BRONTË'&$select=ID");
      const found = await send(server, `/odata/v4/catalog/Books?${upper}`);
      assert.deepEqual((found.body.value as { ID: number }[]).map(({ ID }) => ID), [201]);
      const sums = await send(server, `${books}?$apply=${encodeURI("aggregate($count as n)")}`);
      assert.equal(sums.status, 200, JSON.stringify(sums.body));
    });
    await context.step("a new row is answered before it is committed, and there afterwards", async () => {
      const body = { ID: 4711, title: "New", author_ID: 101, stock: 3 };
      const created = await send(server, books, { method: "POST", body });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      assert.equal(created.body.stock, 3);
      const again = await send(server, books, { method: "POST", body });
      assert.equal(again.status, 409, JSON.stringify(again.body));
      assert.equal((await send(server, `${books}(4711)`)).body.title, "New");
    });
    await context.step("a change set is one batch", async () => {
      const requests = [
        { id: "1", atomicityGroup: "g", method: "PATCH", url: "Books(4711)", body: { stock: 1 } },
        { id: "2", atomicityGroup: "g", method: "POST", url: "Books", body: { ID: 201, title: "Twice" } },
      ];
      const { status, body } = await send(server, "/odata/v4/admin/$batch", {
        method: "POST",
        body: { requests },
      });
      assert.equal(status, 200, JSON.stringify(body));
      for (const one of body.responses as { status: number }[]) {
        assert.ok(one.status >= 400, JSON.stringify(body));
      }
      assert.equal((await send(server, `${books}(4711)`)).body.stock, 3);
    });
    await context.step(
      "of requests that change a row at the same time some are refused, none is lost",
      async () => {
        const order = { book: 4711, quantity: 1 };
        const answers = await Promise.all(
          [1, 2, 3].map(() => send(server, "/odata/v4/catalog/submitOrder", { method: "POST", body: order })),
        );
        const done = answers.filter(({ status }) => status < 300).length;
        assert.ok(done > 0, JSON.stringify(answers));
        for (const { status } of answers) assert.ok(status < 300 || status === 409, JSON.stringify(answers));
        assert.equal((await send(server, `${books}(4711)`)).body.stock, 3 - done);
      },
    );
    await context.step("rows are deleted", async () => {
      assert.equal((await send(server, `${books}(4711)`, { method: "DELETE" })).status, 204);
      assert.equal((await send(server, `${books}(4711)`)).status, 404);
    });
  } finally {
    await server.stop();
  }
});
