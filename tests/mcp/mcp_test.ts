import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp";
import type { Runtime } from "../../mod.ts";
import { openBookshop } from "../fw/bookshop.ts";
import { type App, testOnEngines, withApp } from "../service/rules/on_engines.ts";
import { sendTo } from "../send_to.ts";

/** A public client, whose requests go to a runtime in process. */
async function withClient(
  runtime: Runtime,
  { path, user }: { readonly path: string; readonly user: string },
  run: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost${path}`), {
    fetch: (url: string | URL, init?: RequestInit) => runtime.fetch(new Request(url, init)),
    requestInit: { headers: { authorization: `Basic ${btoa(`${user}:`)}` } },
  });
  await client.connect(transport);
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

function namesOf(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, never>>;
  readonly content: readonly { readonly text: string }[];
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return await client.callTool({ name, arguments: args }) as unknown as Result;
}

Deno.test("a public client lists the tools of the bookshop, reads, and orders", async () => {
  const runtime = await openBookshop();
  await runtime.start();
  try {
    await withClient(runtime, { path: "/mcp/catalog", user: "bob" }, async (client) => {
      assert.match(client.getInstructions() ?? "", /describe_model/);
      const { tools } = await client.listTools();
      assert.deepEqual(namesOf(tools), ["describe_model", "read", "submitOrder"]);
      const order = tools.at(-1)!;
      assert.deepEqual(order.inputSchema.required, ["book", "quantity"]);
      assert.match(order.description ?? "", /submitOrder/);
      const model = await call(client, "describe_model");
      const { entities } = model.structuredContent as unknown as { entities: { name: string }[] };
      assert.ok(entities.some(({ name }) => name === "Books"));
      const read = await call(client, "read", {
        entity: "Books",
        filter: "stock gt 10",
        select: ["ID", "stock"],
        expand: "author($select=name)",
        orderby: "ID",
        top: 1,
      });
      const [book] = read.structuredContent!.value as {
        ID: number;
        stock: number;
        author: { name: string };
      }[];
      assert.ok(book!.author.name.length > 0);
      const ordered = await call(client, "submitOrder", { book: book!.ID, quantity: 2 });
      assert.equal(ordered.isError, undefined);
      assert.equal((ordered.structuredContent as unknown as { stock: number }).stock, book!.stock - 2);
      const wrong = await call(client, "submitOrder", { book: book!.ID, quantity: 0 });
      assert.equal(wrong.isError, true);
      assert.equal(JSON.parse(wrong.content[0]!.text).error.code, "ASSERT_RANGE");
      const unknown = await call(client, "read", { entity: "Books", filter: "nothing eq 1" });
      assert.equal(unknown.isError, true);
    });
    await assert.rejects(
      withClient(runtime, { path: "/mcp/admin", user: "bob" }, () => Promise.resolve()),
      /403/,
    );
  } finally {
    await runtime.close();
  }
});

const APP: App = {
  cdl: `
    entity db.Orders { key ID : Integer; key line : String(5); buyer : String(20); text : String(20); }
    entity db.Secrets { key ID : Integer; text : String(40); }
    @mcp
    service Shop {
      @restrict: [{ grant: ['READ', 'ship', 'price'], where: (buyer = $user) }]
      entity Orders as projection on db.Orders actions {
        action ship(to : String, times : Integer) returns String;
        function price(rate : Decimal) returns Decimal;
      };
      @restrict: [{ grant: 'READ', to: 'boss' }]
      entity Secrets as projection on db.Secrets;
      function hello(to : String, list : array of Integer) returns String;
      @requires: 'boss' action close();
      action read(ID : Integer) returns Integer;
    }
  `,
  data: {
    "db.Orders": [
      { ID: 1, line: "a'b", buyer: "ann", text: "one" },
      { ID: 2, line: "x", buyer: "bob", text: "two" },
    ],
    "db.Secrets": [{ ID: 1, text: "s" }],
  },
  env: {
    requires: {
      auth: { kind: "mocked", id_prefix: "", users: { ann: { roles: [] }, eve: { roles: ["boss"] } } },
    },
  },
  handlers: {
    Shop(srv) {
      srv.on("ship", "Orders", (req) => `to ${(req.data as { to: string }).to}`);
      srv.on("price", "Orders", () => 1.5);
      srv.on("hello", (req) => {
        const { to, list } = req.data as { to: string; list: number[] };
        return `hello ${to} ${list?.length}`;
      });
      srv.on("close", () => undefined);
      srv.on("read", (req) => (req.data as { ID: number }).ID);
    },
  },
};

testOnEngines("tools show and do what the user may by OData", APP, async ({ runtime }) => {
  await withClient(runtime, { path: "/mcp/shop", user: "ann" }, async (client) => {
    const { tools } = await client.listTools();
    assert.deepEqual(namesOf(tools), [
      ...["describe_model", "read", "hello", "close", "call_read", "Orders_ship", "Orders_price"],
    ]);
    const model = await call(client, "describe_model");
    const { entities } = model.structuredContent as unknown as { entities: { name: string }[] };
    assert.deepEqual(entities.map(({ name }) => name), ["Orders"]);
    const read = await call(client, "read", { entity: "Orders", select: ["text"] });
    assert.deepEqual((read.structuredContent!.value as { text: string }[]).map(({ text }) => text), ["one"]);
    const one = await call(client, "read", { entity: "Orders", key: { ID: 1, line: "a'b" } });
    assert.equal(one.structuredContent!.text, "one");
    for (const key of [{ ID: 2, line: "x" }, { ID: 1, line: "a')/x" }]) {
      assert.equal((await call(client, "read", { entity: "Orders", key })).isError, true);
    }
    assert.equal((await call(client, "read", { entity: "Secrets" })).isError, true);
    const key = { ID: 1, line: "a'b" };
    const shipped = await call(client, "Orders_ship", { key, to: "home" });
    assert.equal(shipped.structuredContent!.value, "to home");
    assert.equal((await call(client, "Orders_ship", { key: { ID: 2, line: "x" }, to: "me" })).isError, true);
    assert.equal((await call(client, "Orders_price", { key, rate: 2 })).structuredContent!.value, 1.5);
    const hello = await call(client, "hello", { to: "it's", list: [1, 2] });
    assert.equal(hello.structuredContent!.value, "hello it's 2");
    const closed = await call(client, "close");
    assert.equal(JSON.parse(closed.content[0]!.text).error.code, "403");
    assert.equal((await call(client, "call_read", { ID: 7 })).structuredContent!.value, 7);
    await assert.rejects(call(client, "nothing"), /There is no tool "nothing"/);
    await assert.rejects(call(client, "read", { entity: "Order" }), /did you mean "Orders"/);
    await assert.rejects(
      call(client, "read", { entity: "Orders", top: "1" }),
      /"top" must be of type integer/,
    );
  });
});

Deno.test("messages that are none of the protocol are refused, notifications get no answer", async () => {
  await withApp(APP, "memory", async ({ runtime }) => {
    const post = (body: unknown, headers = {}) =>
      sendTo(runtime, { method: "POST", path: "/mcp/shop", body, headers, user: "ann" });
    assert.equal((await post("{")).status, 400);
    assert.equal((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
    const { body } = await post([{ jsonrpc: "2.0", id: 1, method: "ping" }, {
      jsonrpc: "2.0",
      id: 2,
      method: "x",
    }]);
    assert.deepEqual(body as unknown, [
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: -32601, message: 'There is no method "x"' } },
    ]);
    assert.equal(
      (await post({ jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-protocol-version": "1" })).status,
      400,
    );
    const get = await sendTo(runtime, { method: "GET", path: "/mcp/shop", user: "ann" });
    assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
    assert.equal(
      (await sendTo(runtime, { method: "GET", path: "/odata/v4/shop/Orders", user: "ann" })).status,
      404,
    );
  });
});
