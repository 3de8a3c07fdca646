import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { ClassicMiddleware } from "../../src/http/middlewares.ts";
import { createShop, send } from "./fixture.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BOOKS = "/odata/v4/open/Books";

/** The correlation id that a handler and the client see. */
async function idsOf(headers: Record<string, string>): Promise<{ inside: string; answered: string | null }> {
  const shop = createShop({
    handlers: { OpenService: (srv) => srv.on("seen", () => fw.context!.id) },
  });
  const answer = await send(shop, "/odata/v4/open/seen()", { headers });
  await shop.close();
  return { inside: answer.body.value, answered: answer.headers.get("x-correlation-id") };
}

Deno.test("the correlation id comes from the first present header in order [2.1.id.a]", async () => {
  const order = ["x-correlation-id", "x-correlationid", "x-request-id", "x-vcap-request-id"];
  for (const [i, first] of order.entries()) {
    const headers = Object.fromEntries(order.slice(i).map((name) => [name, `from-${name}`]));
    assert.deepEqual(await idsOf(headers), { inside: `from-${first}`, answered: `from-${first}` });
  }
});

Deno.test("a request without correlation header gets a new UUID [2.1.id.b]", async () => {
  const first = await idsOf({});
  assert.match(first.inside, UUID);
  assert.equal(first.answered, first.inside);
  assert.notEqual((await idsOf({})).inside, first.inside);
});

Deno.test("a correlation id that could forge logs is replaced", async () => {
  for (const id of ["a b", "x".repeat(129), "<script>", "a, b"]) {
    assert.match((await idsOf({ "x-correlation-id": id })).inside, UUID);
  }
});

Deno.test("every answer carries x-correlation-id: success, 401, 404 and 414 [4.1.h.corr]", async () => {
  const shop = createShop({ env: { limits: { urlLength: 100 } } });
  const headers = { "x-correlation-id": "c-1" };
  for (
    const [path, status] of [
      [BOOKS, 200],
      ["/odata/v4/closed/Books", 401],
      ["/nowhere", 404],
      [`${BOOKS}?x=${"x".repeat(100)}`, 414],
      ["/%zz", 400],
    ] as const
  ) {
    const answer = await send(shop, path, { headers });
    assert.equal(answer.status, status, path);
    assert.equal(answer.headers.get("x-correlation-id"), "c-1", path);
  }
  await shop.close();
});

Deno.test("a request that cannot be read is answered, not thrown", async () => {
  class Unreadable extends Request {
    override get headers(): Headers {
      throw new TypeError("The connection is gone");
    }
  }
  const shop = createShop();
  const response = await shop.fetch(new Unreadable(`http://localhost${BOOKS}`));
  assert.equal(response.status, 500);
  assert.equal((await response.json()).error.message, "Internal Server Error");
  assert.match(response.headers.get("x-correlation-id") ?? "", UUID);
  await shop.close();
});

Deno.test("the log has what a failed request does not show, down to status 500", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (...parts) => void lines.push(parts.map(String).join(" "));
  const shop = createShop({ env: { log: { levels: { default: "error" } } } });
  try {
    class Unreadable extends Request {
      override get headers(): Headers {
        throw new TypeError("The connection is gone");
      }
    }
    assert.equal((await shop.fetch(new Unreadable(`http://localhost${BOOKS}`))).status, 500);
    assert.match(lines.join("\n"), /The connection is gone/);
  } finally {
    console.error = error;
    await shop.close();
  }
});

Deno.test("a handler that changes the id of its context does not change the header", async () => {
  const shop = createShop({
    handlers: { OpenService: (srv) => srv.on("seen", (req) => (req.id = "other\n", "x")) },
  });
  const { status, headers } = await send(shop, "/odata/v4/open/seen()", {
    headers: { "x-request-id": "c-2" },
  });
  assert.equal(status, 200);
  assert.equal(headers.get("x-correlation-id"), "c-2");
  await shop.close();
});

Deno.test("every answer carries the headers that protect browsers", async () => {
  const shop = createShop();
  for (const path of [BOOKS, "/nowhere", "/odata/v4/closed"]) {
    const { headers } = await send(shop, path);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
    assert.equal(headers.get("strict-transport-security"), null);
    assert.equal(headers.get("server"), null);
    assert.equal(headers.get("x-powered-by"), null);
  }
  const secure = await send(shop, `https://localhost${BOOKS}`);
  assert.equal(secure.headers.get("strict-transport-security"), "max-age=31536000; includeSubDomains");
  await shop.close();
});

Deno.test("answers to logged-in users are not stored, answers to anybody may be", async () => {
  const shop = createShop();
  assert.equal((await send(shop, BOOKS, { user: "alice" })).headers.get("cache-control"), "no-store");
  assert.equal((await send(shop, BOOKS)).headers.get("cache-control"), null);
  await shop.close();
});

Deno.test("a path that nothing owns is 404 with a JSON body", async () => {
  const shop = createShop();
  for (const path of ["/nowhere", "/odata/v4", "/odata/v4/opener", "//odata/v4/open/Books"]) {
    const { status, headers, body } = await send(shop, path);
    assert.equal(status, 404, path);
    assert.equal(headers.get("content-type"), "application/json");
    assert.deepEqual(body, { error: { code: "404", message: "Not Found" } });
  }
  await shop.close();
});

Deno.test("an anonymous request to an authenticated endpoint is 401 with challenge and body", async () => {
  const shop = createShop();
  const { status, headers, body } = await send(shop, "/odata/v4/closed/Books");
  assert.equal(status, 401);
  assert.equal(headers.get("www-authenticate"), 'Basic realm="Users", charset="UTF-8"');
  assert.equal(headers.get("content-type"), "application/json");
  assert.deepEqual(body, { error: { code: "401", message: "Unauthorized" } });
  await shop.close();
});

Deno.test("a 401 that a handler raises gets the challenge of the strategy", async () => {
  const shop = createShop({
    handlers: { OpenService: (srv) => srv.on("seen", (req) => req.reject(401)) },
  });
  const { status, headers } = await send(shop, "/odata/v4/open/seen()");
  assert.equal(status, 401);
  assert.equal(headers.get("www-authenticate"), 'Basic realm="Users", charset="UTF-8"');
  await shop.close();
});

Deno.test("a user without the role is 403 with code and message", async () => {
  const shop = createShop();
  const { status, body } = await send(shop, "/odata/v4/closed/Books", { user: "bob" });
  assert.equal(status, 403);
  assert.deepEqual(body, { error: { code: "403", message: "Forbidden" } });
  await shop.close();
});

Deno.test("a URL beyond the limit is 414, one at the limit is answered", async () => {
  const shop = createShop({ env: { limits: { urlLength: 60 } } });
  const padded = (length: number) => `${BOOKS}?x=`.padEnd(length, "x");
  assert.equal((await send(shop, padded(60))).status, 200);
  const { status, body } = await send(shop, padded(61));
  assert.equal(status, 414);
  assert.deepEqual(body, { error: { code: "414", message: "The URL is longer than 60 characters" } });
  await shop.close();
});

Deno.test("a body beyond the limit is 413, declared or streamed", async () => {
  const shop = createShop({ env: { limits: { bodyBytes: 50 } } });
  const body = JSON.stringify({ ID: 1, title: "x".repeat(60) });
  const headers = { "content-type": "application/json" };
  for (const one of [body, new Blob([body]).stream()]) {
    const answer = await send(shop, BOOKS, { method: "POST", headers, body: one });
    assert.equal(answer.status, 413);
    assert.equal(answer.body.error.code, "413");
  }
  assert.equal((await send(shop, BOOKS, { body: { ID: 1, title: "short" } })).status, 201);
  await shop.close();
});

Deno.test("a body that does not arrive in time is 408, and nothing is written", async () => {
  const shop = createShop({ env: { limits: { readingMs: 30 } } });
  const body = new ReadableStream({ start: (one) => one.enqueue(new TextEncoder().encode('{"ID":1}')) });
  const headers = { "content-type": "application/json" };
  const answer = await send(shop, BOOKS, { method: "POST", headers, body });
  assert.equal(answer.status, 408);
  assert.deepEqual(answer.body.error.message, "The request body took too long to arrive");
  assert.equal((await send(shop, `${BOOKS}/$count`)).body, "2");
  await shop.close();
});

Deno.test("a body of declared length that arrives after its time is not written either", async () => {
  const shop = createShop({ env: { limits: { readingMs: 30 } } });
  const text = new TextEncoder().encode('{"ID":1}');
  const { promise: arriving, resolve: arrive } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(one) {
      await arriving;
      one.enqueue(text);
      one.close();
    },
  });
  const headers = { "content-type": "application/json", "content-length": String(text.byteLength) };
  assert.equal((await send(shop, BOOKS, { method: "POST", headers, body })).status, 408);
  arrive();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await send(shop, `${BOOKS}/$count`)).body, "2");
  await shop.close();
});

Deno.test("a body is UTF-8, be U+FFFD in it or not", async () => {
  const shop = createShop();
  const post = (given: string | Uint8Array<ArrayBuffer>) => {
    const body = new Blob([given]);
    const headers = { "content-type": "application/json", "content-length": String(body.size) };
    return send(shop, BOOKS, { method: "POST", headers, body: body.stream() });
  };
  assert.equal((await post('{"ID":1,"title":"a\uFFFDb"}')).body.title, "a\uFFFDb");
  assert.equal((await post('\uFEFF{"ID":2,"title":"x"}')).status, 201);
  for (const wrong of [[0xff], [0xf0, 0x9f, 0x98], [0xc3], [0xed, 0xa0, 0x80]]) {
    const bytes = Uint8Array.from([...new TextEncoder().encode('{"ID":3,"title":"'), ...wrong, 0x22, 0x7d]);
    const { status, body } = await post(bytes);
    assert.equal(status, 400);
    assert.equal(body.error.message, "The request body is not UTF-8");
  }
  await shop.close();
});

Deno.test("a percent sign without code is 400 with its offset", async () => {
  const shop = createShop();
  for (const [path, offset] of [["/a%zz", 2], ["/odata/v4/open/Books?$filter=%", 29], ["/%4", 1]] as const) {
    const { status, body } = await send(shop, path);
    assert.equal(status, 400, path);
    const message = `Expected two hexadecimal digits after "%" at offset ${offset} of the URL`;
    assert.deepEqual(body, { error: { code: "400", message } });
  }
  await shop.close();
});

Deno.test("escapes of plain characters and dot segments do not change where a path leads", async () => {
  const shop = createShop();
  for (
    const path of [
      "/odata/v4/%6fpen/Books",
      "/odata/v4/closed/../open/Books",
      "/odata/v4/open/%42ooks/$count",
    ]
  ) {
    assert.equal((await send(shop, path)).status, 200, path);
  }
  assert.equal((await send(shop, "/odata/v4/open/%2e%2e/closed/Books")).status, 401);
  await shop.close();
});

Deno.test("GET /health answers without login, HEAD without body, others not", async () => {
  const shop = createShop({ env: { requires: { auth: { restrict_all_services: true } } } });
  const { status, body } = await send(shop, "/health");
  assert.equal(status, 200);
  assert.deepEqual(body, { status: "UP" });
  const head = await send(shop, "/health", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  const post = await send(shop, "/health", { method: "POST" });
  assert.equal(post.status, 405);
  assert.equal(post.headers.get("allow"), "GET, HEAD, OPTIONS");
  assert.deepEqual(post.body, { error: { code: "405", message: "Method Not Allowed" } });
  const options = await send(shop, "/health", { method: "OPTIONS" });
  assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
  await shop.close();
});

Deno.test("files of front ends are answered by GET, and by HEAD without reading them (RFC 9110 9.3.2)", async () => {
  const ended: string[] = [];
  const frontEnds = {
    has: (path: string) => Promise.resolve(path === "/page.html" || path === "/gone.html"),
    answer: ({ method }: Request, path: string) => {
      if (path !== "/page.html") return Promise.resolve(undefined);
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode("page"));
          controller.close();
        },
        cancel: () => void ended.push(method),
      }, { highWaterMark: 0 });
      return Promise.resolve(
        new Response(body, { headers: { "content-type": "text/html", "content-length": "4" } }),
      );
    },
    pages: () => ["page.html"],
  };
  const shop = createShop({ kinds: { frontEnds } });
  const ask = async (method: string, path: string) => {
    const { status, headers, body } = await send(shop, path, { method });
    return [status, headers.get("content-length"), typeof body === "string" ? body : ""];
  };
  assert.deepEqual(await ask("GET", "/page.html"), [200, "4", "page"]);
  assert.deepEqual(await ask("HEAD", "/page.html"), [200, "4", ""]);
  assert.deepEqual(ended, ["HEAD"]);
  assert.equal((await ask("GET", "/gone.html"))[0], 404);
  assert.equal((await ask("GET", "/none.html"))[0], 404);
  assert.equal((await ask("POST", "/page.html"))[0], 405);
  await shop.close();
});

Deno.test("a strategy is told the host at which the client reached the application, without port", async () => {
  const hosts: unknown[] = [];
  const strategy = {
    kind: "own",
    authenticate: (_request: Request, _context: unknown, { host }: { readonly host: string }) => {
      hosts.push(host);
      return { anonymous: true };
    },
  } as unknown as NonNullable<Kinds["strategy"]>;
  const shop = createShop({ kinds: { strategy }, env: { server: { trusted_proxies: ["10.0.0.0/8"] } } });
  const ask = async (url: string, headers: HeadersInit, hostname?: string) => {
    const response = await shop.fetch(new Request(`${url}/odata/v4/any/Open`, { headers }), {
      remoteAddr: { hostname },
    });
    await response.body?.cancel();
  };
  await ask("http://a.example:8080", {});
  await ask("http://a.example", { "x-forwarded-host": "b.example:1" }, "10.0.0.1");
  await ask("http://a.example", { "x-forwarded-host": "b.example:1" }, "1.0.0.1");
  assert.deepEqual(hosts, ["a.example", "b.example", "a.example"]);
  await shop.close();
});

Deno.test("middleware runs in order, in front of authentication and behind it, until one of them answers", async () => {
  const seen: string[] = [];
  let answers = "";
  const shop = createShop();
  const noting = (name: string): ClassicMiddleware => (_req, res, next) => {
    seen.push(name);
    if (name === answers) res.status(202).send(name);
    else next();
  };
  for (const name of ["a", "b"]) shop.middlewares.add(noting(name), { before: "auth" });
  for (const name of ["c", "d"]) shop.middlewares.add(noting(name));
  for (
    const [answering, expected] of [["", "abcd"], ["a", "a"], ["b", "ab"], ["c", "abc"], [
      "d",
      "abcd",
    ]] as const
  ) {
    answers = answering;
    const { status, body } = await send(shop, "/odata/v4/any/Open/$count");
    assert.deepEqual([status, body, seen.splice(0).join("")], [
      answering ? 202 : 200,
      answering || "2",
      expected,
    ]);
  }
  await shop.close();
});

Deno.test("what was entered for a request is let go when it is answered", async () => {
  const ended: string[] = [];
  const strategy = {
    kind: "own",
    authenticate: ({ url }: Request, { entries }: { readonly entries: { end(): void } }) => {
      const end = entries.end.bind(entries);
      entries.end = () => (ended.push(new URL(url).pathname), end());
      return { anonymous: true };
    },
  } as unknown as NonNullable<Kinds["strategy"]>;
  const shop = createShop({ kinds: { strategy } });
  const paths = ["/odata/v4/any/Open", "/odata/v4/closed/Books"];
  for (const path of paths) await send(shop, path);
  assert.deepEqual(ended, paths);
  await shop.close();
});
