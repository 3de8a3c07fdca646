import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { withApp } from "./app.ts";

const BOOKS = "/odata/v4/shop/Books";

Deno.test("what clients can grow is bounded without any configuration", () => {
  const expected = {
    urlLength: 16 * 1024,
    bodyBytes: 1024 * 1024,
    streamBytes: 16 * 1024 * 1024,
    readingMs: 30_000,
    handlerMs: 60_000,
    jsonDepth: 64,
    unknownMembers: 100,
    computedLength: 1024 * 1024,
    answerBytes: 8 * 1024 * 1024,
    batchAnswerBytes: 4 * 1024 * 1024,
    messagesHeaderBytes: 8 * 1024,
    batchParts: 100,
    filterDepth: 100,
    filterNodes: 500,
    inList: 1000,
    expandDepth: 8,
    expandItems: 50,
    expandRepetitions: 1,
    lambdaDepth: 3,
    joinedCollections: 4,
    pageSize: 1000,
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(DEFAULT_LIMITS[name as keyof typeof expected], value, name);
  }
});

Deno.test("bodies nest 64 levels at most, those of batches and operations too", () =>
  withApp({}, async ({ call }) => {
    const nested = (levels: number) => `{"title":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    const headers = { "content-type": "application/json" };
    for (const path of [BOOKS, "/odata/v4/shop/ping", "/odata/v4/shop/$batch"]) {
      const deepest = await call(`POST ${path}`, { headers, body: nested(64) });
      assert.doesNotMatch(deepest.text, /nest|deep/i, path);
      for (const levels of [65, 100_000]) {
        const { status, text } = await call(`POST ${path}`, { headers, body: nested(levels) });
        assert.equal(status, 400, path);
        assert.match(text, /nest|deep/i, path);
      }
    }
  }));

Deno.test("answers to users are not stored, whatever their status, unless a handler says otherwise", () =>
  withApp({
    handlers: {
      Shop: (srv) => srv.on("ping", (req) => void req.http!.res.set("cache-control", "private, max-age=60")),
    },
  }, async ({ call }) => {
    const paths = [
      `GET ${BOOKS}`,
      `GET ${BOOKS}(99)`,
      "GET /odata/v4/bosses/Things",
      "GET /own",
      "GET /nothing",
    ];
    for (const path of paths) {
      const { headers } = await call(path, { as: "nils:" });
      assert.equal(headers.get("cache-control"), "no-store", path);
    }
    const { headers } = await call("GET /odata/v4/shop/$metadata", { as: "nils:" });
    assert.ok(headers.has("etag") && !headers.has("cache-control"));
    const own = await call("POST /odata/v4/shop/ping", { as: "nils:" });
    assert.equal(own.headers.get("cache-control"), "private, max-age=60");
  }));

Deno.test("HSTS is sent behind https only, as the configuration or a trusted proxy says", async () => {
  const hsts = async (server: object, headers: Record<string, string> = {}) => {
    let found: string | null = null;
    await withApp({ server }, async ({ runtime }) => {
      const response = await runtime.fetch(new Request(`http://shop.example${BOOKS}`, { headers }), {
        remoteAddr: { transport: "tcp", hostname: "10.0.0.1", port: 1 },
      });
      await response.body?.cancel();
      found = response.headers.get("strict-transport-security");
    });
    return found;
  };
  const proto = { "x-forwarded-proto": "https" };
  const value = "max-age=31536000; includeSubDomains";
  assert.equal(await hsts({}), null);
  assert.equal(await hsts({}, proto), null);
  assert.equal(await hsts({ trusted_proxies: ["10.0.0.1"] }, proto), value);
  assert.equal(await hsts({ base_url: "https://shop.example" }), value);
  assert.equal(await hsts({ base_url: "http://shop.example" }), null);
});

Deno.test("every answer forbids sniffing, framing and foreign use, errors and own routes too", () =>
  withApp({}, async ({ call }) => {
    const paths = [
      `GET ${BOOKS}`,
      "GET /own",
      "GET /health",
      "GET /nothing",
      "GET /%zz",
      "GET /odata/v4/members",
      "OPTIONS /health",
      "FOO /health",
      `GET /${"x".repeat(17_000)}`,
    ];
    for (const path of paths) {
      const { headers } = await call(path);
      const name = path.slice(0, 40);
      assert.equal(headers.get("x-content-type-options"), "nosniff", name);
      assert.equal(headers.get("x-frame-options"), "DENY", name);
      assert.equal(headers.get("referrer-policy"), "no-referrer", name);
      assert.equal(headers.get("cross-origin-resource-policy"), "same-origin", name);
      assert.match(
        headers.get("content-security-policy")!,
        /^default-src 'none';.*frame-ancestors 'none'/,
        name,
      );
      assert.ok(headers.get("x-correlation-id"), name);
      assert.equal(headers.get("server"), null, name);
      assert.equal(headers.get("x-powered-by"), null, name);
    }
  }));

Deno.test("compressed bodies are inflated, and counted while they are", () =>
  withApp({ limits: { bodyBytes: 10_000 } }, async ({ runtime, call }) => {
    const packed = async (text: string, format: CompressionFormat = "gzip") =>
      await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(format))).bytes();
    const post = async (body: Uint8Array<ArrayBuffer>, encoding: string) => {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      const response = await runtime.fetch(
        new Request(`http://localhost${BOOKS}`, { method: "POST", headers, body }),
      );
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await post(await packed('{"ID":50,"title":"zipped"}'), "gzip"), 201);
    assert.equal(await post(await packed('{"ID":51,"title":"deflated"}', "deflate"), "Deflate"), 201);
    assert.match((await call(`GET ${BOOKS}(50)`)).text, /zipped/);
    const bomb = await packed(`{"ID":52,"title":"${" ".repeat(20_000_000)}"}`);
    assert.ok(bomb.length < 100_000);
    assert.equal(await post(bomb, "gzip"), 413);
    assert.equal(await post(new TextEncoder().encode('{"ID":53}'), "gzip"), 400);
    assert.equal(await post((await packed('{"ID":54}')).slice(0, -9), "gzip"), 400);
    for (const coding of ["br", "gzip, gzip", "zip"]) {
      assert.equal(await post(new TextEncoder().encode('{"ID":55}'), coding), 415, coding);
    }
    assert.equal(await post(new TextEncoder().encode('{"ID":56}'), "identity"), 201);
  }));
