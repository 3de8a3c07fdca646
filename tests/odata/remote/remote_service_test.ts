import assert from "node:assert/strict";
import fw, { ConfigurationError, SELECT } from "../../../mod.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { RemoteError } from "../../../src/odata/remote/remote_client.ts";
import { withRemoteShop } from "./remote_shop.ts";

const HANDLERS = {
  "shop.CatalogService": (srv: InstanceType<typeof fw.ApplicationService>) => {
    srv.on("sum", (req) => {
      const { a, b, name } = req.data as { a: number; b: number; name: string };
      return a + b + name.length;
    });
    srv.on("restock", (req) => (req.data as { by: number }).by + Number(req.params[0]));
    srv.on("order", async (req) => await srv.read("Books", (req.data as { book: number }).book));
    srv.on("top", async (req) => await srv.read("Books").where({ ID: (req.data as { ids: number[] }).ids }));
    srv.on("nothing", () => {});
  },
};

Deno.test("RemoteService calls actions and functions, bound and unbound", () =>
  withRemoteShop({ server: { handlers: HANDLERS } }, async ({ remote, last }) => {
    assert.equal(await remote.send("sum", { a: 1, b: 2, name: "it's" }), 7);
    assert.equal(last(), "GET sum(a=1,b=2,name='it''s')");
    const typed = remote as unknown as {
      sum(a: number, b: number, name: string): Promise<number>;
      restock(entity: string, key: number, data: unknown): Promise<number>;
    };
    assert.equal(await typed.sum(1, 2, "x"), 4);
    assert.equal(await typed.restock("Books", 1, { by: 5 }), 6);
    assert.equal(last(), "POST Books(1)/shop.CatalogService.restock");
    assert.equal((await remote.send("order", { book: 2 }) as Row).title, "Emma");
    const top = await remote.send("top", { ids: [1, 2] }) as Row[];
    assert.deepEqual(top.map((row) => row.title), ["Wuthering Heights", "Emma"]);
    assert.equal(last(), "GET top(ids=@ids)?@ids=[1,2]");
    assert.equal(await remote.send("nothing"), undefined);
  }));

Deno.test("RemoteService names bound operations by the service of the model, whatever its own name is (URL conventions 4.5.1)", () => {
  const credentials = { url: "http://shop.test/odata/v4/catalog" };
  const requires = { far: { kind: "odata", service: "shop.CatalogService", credentials } };
  return withRemoteShop({ requires, server: { handlers: HANDLERS } }, async ({ client, last }) => {
    const far = await client.connect("far");
    assert.equal(
      await far.send({ event: "restock", entity: "Books", params: [{ ID: 1 }], data: { by: 5 } }),
      6,
    );
    assert.equal(last(), "POST Books(1)/shop.CatalogService.restock");
    assert.equal(await far.send("sum", { a: 1, b: 2, name: "x" }), 4);
    assert.equal(last(), "GET sum(a=1,b=2,name='x')");
  });
});

Deno.test("RemoteService sends requests by method and path", () =>
  withRemoteShop({}, async ({ remote, sent, last }) => {
    const rows = await remote.get("/Books?$select=title&$top=1") as Row[];
    assert.deepEqual(rows, [{ ID: 1, title: "Wuthering Heights" }]);
    await remote.post("Editions", { title: "New", edition: 1 });
    await remote.patch("Editions(title='New',edition=1)", { pages: 7 });
    assert.equal((await remote.get("Editions(title='New',edition=1)") as Row).pages, 7);
    await remote.send({
      method: "DELETE",
      path: "Editions(title='New',edition=1)",
      headers: { "x-mine": "1" },
    });
    assert.equal(sent.at(-1)!.headers.get("x-mine"), "1");
    assert.equal((await remote.get(remote.entities.Books) as Row[]).length, 3);
    assert.equal(last(), "GET Books");
    await assert.rejects(remote.get("Books(99)"), { status: 502 });
  }));

Deno.test("RemoteService hands on correlation id and language, and logs in [2.1.id.c]", () =>
  withRemoteShop({
    entry: {
      credentials: { url: "http://shop.test/odata/v4/", path: "/catalog", username: "alice", password: "ä" },
    },
  }, async ({ remote, sent }) => {
    await fw.tx({ id: "my-correlation", locale: "de_AT" }, () => remote.read("Books"));
    const { headers } = sent[0];
    assert.equal(headers.get("x-correlation-id"), "my-correlation");
    assert.equal(headers.get("accept-language"), "de-AT");
    assert.equal(headers.get("odata-maxversion"), "4.01");
    assert.match(headers.get("accept")!, /^application\/json/);
    assert.equal(headers.get("authorization"), "Basic YWxpY2U6w6Q=");
  }));

Deno.test("RemoteService does not hand on headers of the caller", () =>
  withRemoteShop({}, async ({ remote, sent, client }) => {
    client.app.get("/via", async (c) => {
      await remote.read("Books");
      return c.text("ok");
    });
    await client.fetch(
      new Request("http://localhost/via", {
        headers: { authorization: `Basic ${btoa("alice:secret")}`, cookie: "a=b", "x-request-id": "outer" },
      }),
    );
    const { headers } = sent[0];
    assert.deepEqual([headers.get("authorization"), headers.get("cookie")], [null, null]);
    assert.equal(headers.get("x-correlation-id"), "outer");
  }));

Deno.test("RemoteService turns failures into 502, details for handlers and log only", () =>
  withRemoteShop({
    fetch: () => Promise.resolve(Response.json({ error: { code: "X", message: "secret" } }, { status: 418 })),
  }, async ({ remote, client }) => {
    client.app.get("/via", async (c) => c.text(String(await remote.read("Books"))));
    const response = await client.fetch(
      new Request("http://localhost/via", { headers: { authorization: `Basic ${btoa("alice:")}` } }),
    );
    assert.equal(response.status, 502);
    assert.deepEqual(await response.json(), { error: { code: "502", message: "Bad Gateway" } });
    await assert.rejects(
      async () => await remote.read("Books"),
      ({ cause }: Error) =>
        cause instanceof RemoteError && cause.status === 418 && /secret/.test(JSON.stringify(cause.body)),
    );
  }));

Deno.test("what a failing service answered stands in the log, cut where it is long", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  const lineOf = async (answer: Response) => {
    lines.length = 0;
    const options = { logLevel: "error", fetch: () => Promise.resolve(answer) };
    await withRemoteShop(options, async ({ remote }) => {
      await assert.rejects(async () => await remote.read("Books"), { status: 502 });
    });
    return lines[0]!.split("\n", 1)[0]!;
  };
  try {
    const failed = "shop.CatalogService: GET Books failed:";
    const body = { error: { message: "The reason" } };
    assert.ok(
      (await lineOf(Response.json(body, { status: 418 }))).includes(`${failed} ${JSON.stringify(body)}`),
    );
    const long = await lineOf(Response.json({ error: "x".repeat(100_000) }, { status: 418 }));
    assert.ok(long.includes(`${failed} {"error":"xxx`) && long.length < 10_000);
    const broken = await lineOf(new Response("{", { headers: { "content-type": "application/json" } }));
    assert.ok(broken.includes(failed) && !broken.includes("undefined"));
  } finally {
    console.error = error;
  }
});

Deno.test("RemoteService gives up after its time", () =>
  withRemoteShop({
    entry: { timeoutMs: 20 },
    fetch: (request) =>
      new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason))
      ),
  }, async ({ remote }) => {
    await assert.rejects(async () => await remote.read("Books"), { status: 504 });
  }));

Deno.test("RemoteService refuses answers that are too long, redirects to another host and broken JSON", async () => {
  const answers = [
    new Response("x".repeat(33 * 1024 * 1024)),
    new Response(null, { status: 302, headers: { location: "http://evil.test/" } }),
    new Response("{", { headers: { "content-type": "application/json" } }),
  ];
  for (const answer of answers) {
    await withRemoteShop({ fetch: () => Promise.resolve(answer) }, async ({ remote }) => {
      await assert.rejects(async () => await remote.read("Books"), { status: 502 });
    });
  }
});

Deno.test("RemoteService reads what another URL has where a change is answered so, without a body or its type", async () => {
  const answers = [
    new Response(null, { status: 303, headers: { location: "Editions" } }),
    Response.json({ value: [] }),
  ];
  await withRemoteShop(
    { fetch: () => Promise.resolve(answers.shift()!) },
    async ({ remote, sent, last }) => {
      assert.deepEqual(await remote.post("Books", { ID: 9 }), { value: [] });
      assert.equal(last(), "GET Editions");
      assert.deepEqual(sent.map(({ headers }) => headers.get("content-type")), ["application/json", null]);
    },
  );
});

Deno.test("RemoteService is extended by handlers, and serves as source of local entities", () =>
  withRemoteShop({}, async ({ remote, sent }) => {
    remote.on("READ", "Editions", () => [{ title: "Mocked" }]);
    assert.deepEqual(await remote.read("Editions"), [{ title: "Mocked" }]);
    assert.equal(sent.length, 0);
    remote.before(
      "READ",
      "Books",
      (req) => void (req.query as ReturnType<typeof SELECT.from>).where({ stock: 5 }),
    );
    assert.equal((await remote.read("Books") as Row[]).length, 1);
  }));

Deno.test("RemoteService speaks REST", () =>
  withRemoteShop({ kind: "rest", server: { handlers: HANDLERS } }, async ({ remote, last }) => {
    const rows = await remote.read("Books").columns("ID", "title").where({ stock: { ">": 1 } }).orderBy("ID");
    assert.deepEqual(rows, [{ ID: 1, title: "Wuthering Heights" }, { ID: 2, title: "Emma" }]);
    assert.equal((await remote.run(SELECT.one.from("Books", 2)) as Row).title, "Emma");
    const page = { SELECT: { from: { ref: ["Books"] }, limit: { rows: { val: 1 } }, count: true } };
    assert.equal((await remote.run(page) as { $count?: number }).$count, 3);
    await remote.create("Editions", { title: "New", edition: 3 });
    assert.equal(await remote.delete("Editions", { title: "New", edition: 3 }), 1);
    assert.equal(await remote.send("restock", { by: 1 }).catch((error) => error.status), 502);
    assert.equal((await remote.send("order", { book: 2 }) as Row).title, "Emma");
    assert.equal(last(), "POST order");
  }));

Deno.test("RemoteService needs a URL", async () => {
  await assert.rejects(
    withRemoteShop({ entry: { credentials: {} } }, () => Promise.resolve()),
    (error) => error instanceof ConfigurationError && /credentials.url/.test(error.message),
  );
});

/** A server that takes writes with a token only. */
const asking = (request: Request, server: { fetch(request: Request): Promise<Response> }) => {
  const token = request.headers.get("x-csrf-token");
  if (token === "T1") return server.fetch(request);
  const isAsked = token?.toLowerCase() === "fetch";
  const headers = { "x-csrf-token": isAsked ? "T1" : "Required" };
  return Promise.resolve(new Response(null, { status: isAsked ? 200 : 403, headers }));
};

Deno.test("RemoteService fetches tokens of OData 4 where csrf is configured, and there only", async () => {
  const row = { ID: "33333333-3333-3333-3333-333333333333", name: "Anne" };
  for (const entry of [{}, { csrf: false }, { csrf: true }]) {
    await withRemoteShop({ entry, fetch: asking }, async ({ remote, sent }) => {
      const created = remote.create("Authors", row);
      if (!entry.csrf) {
        await assert.rejects(async () => await created);
        assert.deepEqual(sent.map(({ method }) => method), ["POST"]);
        return;
      }
      await created;
      assert.deepEqual([sent[0]!.method, sent.at(-1)!.method], ["POST", "POST"]);
      assert.ok(sent.length > 2);
    });
  }
});

Deno.test("RemoteService keeps a token for each login, and shows none that of another", async () => {
  const fetch = (request: Request, server: { fetch(request: Request): Promise<Response> }) => {
    const own = `for ${request.headers.get("authorization")}`;
    const token = request.headers.get("x-csrf-token");
    if (token === own) return server.fetch(request);
    const isAsked = token?.toLowerCase() === "fetch";
    const headers = { "x-csrf-token": isAsked ? own : "Required" };
    return Promise.resolve(new Response(null, { status: isAsked ? 200 : 403, headers }));
  };
  const credentials = { url: "http://shop.test/odata/v4/catalog", authentication: "forward" };
  const requires = { auth: { kind: "mocked", users: { ann: { password: "a" }, bob: { password: "b" } } } };
  await withRemoteShop(
    { entry: { csrf: true, credentials }, requires, fetch },
    async ({ remote, client, sent }) => {
      client.app.post("/via/:id", async (c) => {
        await remote.create("Tags", { ID: Number(c.req.param("id")), text: "x" });
        return c.text("ok");
      });
      const methods = async (id: number, login: string) => {
        const before = sent.length;
        const headers = { authorization: `Basic ${btoa(login)}` };
        const request = new Request(`http://localhost/via/${id}`, { method: "POST", headers });
        assert.equal((await client.fetch(request)).status, 200);
        return sent.slice(before).map(({ method }) => method).join(" ");
      };
      for (const [id, login] of [[10, "ann:a"], [20, "bob:b"]] as const) {
        assert.equal(await methods(id, login), "POST GET POST", login);
      }
      for (const [id, login] of [[11, "ann:a"], [21, "bob:b"]] as const) {
        assert.equal(await methods(id, login), "POST", login);
      }
    },
  );
});

Deno.test("RemoteService waits as long as it does without configuration where timeoutMs is none", () =>
  withRemoteShop({
    entry: { timeoutMs: 0 },
    fetch: async (request, server) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      request.signal.throwIfAborted();
      return await server.fetch(request);
    },
  }, async ({ remote }) => {
    assert.equal((await remote.read("Books") as Row[]).length, 3);
  }));
