import assert from "node:assert/strict";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { talk } from "../deno/talk.ts";
import { withApp } from "./app.ts";

const BOOKS = "/odata/v4/shop/Books";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Runs a test with a server; `ask` sends the lines of a request head, and maybe a body. */
async function withServer(
  runtime: Runtime,
  test: (ask: (lines: readonly string[], body?: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, runtime.fetch);
  try {
    await test((lines, body = "") =>
      talk(server.addr.port, [...lines, "Connection: close", "", body].join("\r\n"), {
        // servers close after an answer, unless they wait for the rest of a body
        enough: body.length > 100 ? /\r\n\r\n/ : undefined,
        ms: 10_000,
      })
    );
  } finally {
    await server.shutdown();
  }
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

/** Correlation ids that are replaced. */
const IDS: readonly [id: string, what: string, value: string][] = [
  ["http-001", "encoded line ends", "a%0d%0aSet-Cookie: x=1"],
  ["http-003", "markup", '"><script>alert(1)</script>'],
];

for (const [id, what, value] of IDS) {
  Deno.test(`a correlation id with ${what} is replaced (${id})`, () =>
    withApp({}, async ({ call, lines }) => {
      const { status, headers, text } = await call(`GET ${BOOKS}`, {
        headers: { "x-correlation-id": value },
      });
      assert.equal(status, 200);
      assert.match(headers.get("x-correlation-id")!, UUID);
      assert.equal(headers.get("set-cookie"), null);
      for (const line of [...lines, text, ...headers.values()]) assert.ok(!line.includes(value), line);
    }));
}

Deno.test("two correlation ids give one, never a list (http-005)", () =>
  withApp({}, ({ runtime }) =>
    withServer(runtime, async (ask) => {
      const answer = await ask([
        `GET ${BOOKS} HTTP/1.1`,
        "Host: x",
        "X-Correlation-Id: a",
        "X-Correlation-Id: b",
      ]);
      assert.equal(statusOf(answer), 200);
      assert.match(/x-correlation-id: (.*)\r/i.exec(answer)![1]!, UUID);
    })));

Deno.test("messages with user input are one line of ASCII in their header (http-006)", () =>
  withApp({
    handlers: {
      Shop: (srv) => srv.on("ping", (req) => void req.notify("a\r\nSet-Cookie: x=1\u2028\u00e9\u{1f600}\0")),
    },
  }, async ({ call }) => {
    const { status, headers } = await call("POST /odata/v4/shop/ping");
    assert.equal(status, 204);
    assert.equal(headers.get("set-cookie"), null);
    const value = headers.get("fw-messages")!;
    assert.match(value, /^[\x20-\x7e]+$/);
    assert.equal(JSON.parse(value)[0].message, "a\r\nSet-Cookie: x=1\u2028\u00e9\u{1f600}\0");
  }));

Deno.test("URLs of answers come from the configuration, whatever Host and X-Forwarded-Host say (http-008)", () =>
  withApp(
    { server: { base_url: "https://shop.example" } },
    ({ runtime }) =>
      withServer(runtime, async (ask) => {
        const body = JSON.stringify({ ID: 77 });
        const answer = await ask([
          `POST ${BOOKS} HTTP/1.1`,
          "Host: evil.example",
          "X-Forwarded-Host: evil.example",
          "X-Forwarded-Proto: gopher",
          "Forwarded: host=evil.example",
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
        ], body);
        assert.equal(statusOf(answer), 201);
        assert.ok(!answer.includes("evil.example"), answer);
        const read = await ask([
          `GET ${BOOKS} HTTP/1.1`,
          "Host: evil.example",
          "X-Forwarded-Host: evil.example",
        ]);
        assert.equal(statusOf(read), 200);
        assert.ok(!read.includes("evil.example"), read);
      }),
  ));

Deno.test("the host of an absolute target gives no trust (http-010)", () =>
  withApp({}, ({ runtime }) =>
    withServer(runtime, async (ask) => {
      const read = await ask(["GET http://evil.example/odata/v4/members/Notes HTTP/1.1", "Host: localhost"]);
      assert.equal(statusOf(read), 401);
      const write = await ask([
        "POST http://evil.example/odata/v4/members/act HTTP/1.1",
        "Host: localhost",
        `Authorization: Basic ${btoa("nils:")}`,
        "Origin: http://other.example",
        "Content-Length: 0",
      ]);
      assert.equal(statusOf(write), 403);
    })));

Deno.test("dot segments are resolved once, before routes and checks (http-011)", () =>
  withApp({}, ({ runtime }) =>
    withServer(runtime, async (ask) => {
      const get = async (path: string) => statusOf(await ask([`GET ${path} HTTP/1.1`, "Host: x"]));
      for (const path of ["/a/../../etc/passwd", "/..%2f..%2fetc/passwd", "/a/%2e%2e/%2e%2e/etc/passwd"]) {
        assert.equal(await get(path), 404, path);
      }
      for (
        const path of [
          "/health/../own",
          "/odata/v4/shop/../members/Notes",
          "/odata/v4/shop/%2e%2e/members/Notes",
        ]
      ) {
        assert.equal(await get(path), 401, path);
      }
    })));

Deno.test("middleware and static files see the path that was checked (http-013)", () =>
  withProject({
    ...SMALL,
    "app/ui/index.html": "page",
    "app/ui/secret.json": '"secret"',
    "app/secret.json": '"secret"',
    ".fwrc.json": JSON.stringify({
      log: { levels: { default: "silent" } },
      requires: { auth: { public: ["/ui/index.html"] } },
    }),
  }, async (folder) => {
    const { runtime } = await loadProject(folder, { variables: {} });
    runtime.app.serve("/ui").from("app/ui");
    await runtime.start();
    await withServer(runtime, async (ask) => {
      const get = (path: string) => ask([`GET ${path} HTTP/1.1`, "Host: x"]);
      assert.equal(statusOf(await get("/ui/index.html")), 200);
      const paths = [
        "//ui/secret.json",
        "/ui//secret.json",
        "/ui/secret.json",
        "/ui/index.html/../secret.json",
        "/ui/index.html/..%2fsecret.json",
        "/ui/%73ecret.json",
        "/ui/..%5csecret.json",
        "\\ui\\secret.json",
      ];
      for (const path of paths) {
        const answer = await get(path);
        assert.ok([400, 401, 404].includes(statusOf(answer)), `${path}: ${answer}`);
        assert.ok(!answer.includes('"secret"'), path);
      }
    });
    await runtime.close();
  }));

Deno.test("a broken percent code is an error of the client everywhere (http-015)", () =>
  withApp({}, async ({ call }) => {
    const paths = [
      "/a%zz",
      "/%",
      "/odata/v4/shop/Books%f",
      `${BOOKS}?$filter=title%20eq%20%27%zz`,
      "/own?%GG",
      "/health%",
    ];
    for (const path of paths) {
      const { status, json } = await call(`GET ${path}`);
      assert.equal(status, 400, path);
      assert.equal((json as { error: { code: string } }).error.code, "400");
    }
  }));

Deno.test("CONNECT, TRACE and unknown methods are refused without echo (http-016)", () =>
  withApp({}, ({ runtime }) =>
    withServer(runtime, async (ask) => {
      for (
        const line of [
          `TRACE ${BOOKS}`,
          "CONNECT evil.example:80",
          `FOO ${BOOKS}`,
          "PURGE /own",
          "TRACE /health",
        ]
      ) {
        const answer = await ask([`${line} HTTP/1.1`, "Host: x", "X-Secret: echo-me"]);
        assert.ok([400, 401, 405, 501].includes(statusOf(answer)), `${line}: ${answer}`);
        assert.ok(!answer.includes("echo-me"), line);
      }
    })));

/** A body in pieces, without announced length. */
function pieces(count: number, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(size).fill(0x20));
      else controller.close();
    },
  });
}

Deno.test("bodies are counted while they are read, those of own routes too (http-018)", () =>
  withApp({ limits: { bodyBytes: 10_000, streamBytes: 20_000 } }, async ({ runtime }) => {
    runtime.app.post("/own", async ({ req, text }) => text(`${(await req.text()).length}`));
    const send = async (path: string, body: BodyInit) => {
      const headers = { "content-type": "application/json", authorization: `Basic ${btoa("nils:")}` };
      const response = await runtime.fetch(
        new Request(`http://localhost${path}`, { method: "POST", headers, body }),
      );
      return [response.status, await response.text()] as const;
    };
    assert.equal((await send(BOOKS, pieces(11, 1000)))[0], 413);
    assert.equal((await send("/odata/v4/shop/$batch", pieces(11, 1000)))[0], 413);
    assert.deepEqual(await send("/own", pieces(20, 1000)), [200, "20000"]);
    assert.deepEqual((await send("/own", pieces(21, 1000)))[0], 413);
    assert.deepEqual(JSON.parse((await send("/own", pieces(21, 1000)))[1]), {
      error: { code: "413", message: "The request body exceeds 20000 bytes" },
    });
    const announced = await runtime.fetch(
      new Request("http://localhost/own", {
        method: "POST",
        headers: { authorization: `Basic ${btoa("nils:")}`, "content-length": "20001" },
        body: "x",
      }),
    );
    await announced.body?.cancel();
    assert.equal(announced.status, 413);
  }));

Deno.test("a large body of GET or DELETE is not read (http-020)", () =>
  withApp({}, async ({ runtime, call }) => {
    await withServer(runtime, async (ask) => {
      const head = (line: string) => [`${line} HTTP/1.1`, "Host: x", "Content-Length: 10485760"];
      // the body never comes: whoever waits for it does not answer
      assert.equal(statusOf(await ask(head(`GET ${BOOKS}`), "x".repeat(1000))), 200);
      assert.equal(statusOf(await ask(head(`DELETE ${BOOKS}(3)`), "x".repeat(1000))), 204);
    });
    assert.equal((await call(`GET ${BOOKS}(3)`)).status, 404);
  }));

Deno.test("no other site may read answers, and Vary names Origin where some may (http-021)", async () => {
  const allowing = { cors: { origins: ["https://ui.example"] } };
  for (const server of [{}, allowing]) {
    await withApp({ server }, async ({ call }) => {
      for (
        const origin of [
          "null",
          "https://evil.example",
          "https://ui.example.evil.example",
          "http://ui.example",
        ]
      ) {
        const { status, headers } = await call(`GET ${BOOKS}`, {
          as: "nils:",
          headers: { origin, cookie: "a=b" },
        });
        assert.equal(status, 200);
        assert.equal(headers.get("access-control-allow-origin"), null);
        assert.equal(headers.get("access-control-allow-credentials"), null);
        assert.equal(headers.get("vary"), server === allowing ? "Origin" : null);
      }
    });
  }
  await withApp({ server: allowing }, async ({ call }) => {
    const { headers } = await call(`GET ${BOOKS}`, { headers: { origin: "https://ui.example" } });
    assert.equal(headers.get("access-control-allow-origin"), "https://ui.example");
    assert.equal(headers.get("access-control-allow-credentials"), null);
    assert.equal(headers.get("vary"), "Origin");
  });
});

const FILES = "http://localhost/odata/v4/files/Files";

function createFiles(): Runtime {
  const text = `service Files { entity Files { key ID: Integer; @Core.MediaType: type content: LargeBinary;
    @Core.IsMediaType type: String; @odata.etag changed: Timestamp @cds.on.update: $now @cds.on.insert: $now; } }`;
  return createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? text : undefined }),
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
    env: { log: { levels: { default: "silent" } }, requires: { db: { kind: "sqlite" } } },
  });
}

Deno.test("a stream of HTML is a file to save, not a page to open (http-023)", async () => {
  const runtime = createFiles();
  const url = `${FILES}(1)/content`;
  await runtime.fetch(
    new Request(FILES, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ID: 1 }),
    }),
  ).then((response) => response.body?.cancel());
  const body = "<script>alert(1)</script>";
  const ofHtml = { "content-type": "text/html", "if-match": "*" };
  const put = await runtime.fetch(new Request(url, { method: "PUT", headers: ofHtml, body }));
  assert.equal(put.status, 204);
  const response = await runtime.fetch(new Request(url));
  const { status, headers } = response;
  assert.deepEqual([status, await response.text()], [200, body]);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(headers.get("content-disposition")!, /^attachment/);
  assert.match(headers.get("content-security-policy")!, /default-src 'none'/);
  await runtime.close();
});

Deno.test("long and oddly quoted entity tags are refused (http-025)", async () => {
  const runtime = createFiles();
  const send = async (method: string, headers: Record<string, string> = {}) => {
    const body = method === "PUT" ? JSON.stringify({ type: "y" }) : undefined;
    const given = { "content-type": "application/json", ...headers };
    const response = await runtime.fetch(new Request(`${FILES}(1)`, { method, headers: given, body }));
    await response.body?.cancel();
    return response;
  };
  const tag = (await send("PUT", { "if-none-match": "*" })).headers.get("etag");
  const odd = [
    `"${"a".repeat(10_000)}"`,
    '"'.repeat(9_999),
    `W/${"\\".repeat(9_999)}`,
    `"a", b", "c`,
    'W/W/"x"',
  ];
  for (const value of odd) {
    const { status } = await send("PUT", { "if-match": value });
    assert.ok([400, 412].includes(status), `${value.slice(0, 20)}: ${status}`);
    assert.ok([200, 400].includes((await send("GET", { "if-none-match": value })).status));
  }
  assert.equal((await send("GET")).headers.get("etag"), tag);
  await runtime.close();
});
