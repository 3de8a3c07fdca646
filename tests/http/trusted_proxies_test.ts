import assert from "node:assert/strict";
import { createEnvironment } from "../../src/config/environment.ts";
import { createShop } from "./fixture.ts";

const PROXY = "10.1.2.3";
let lastId = 5000;

/** What a proxy or a client sends. */
interface Sent {
  /** Address of the peer, or all that the server gives beside a request. */
  readonly peer?: string | object;
  readonly proxies?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Origin of the page. */
  readonly origin?: string;
}

/** Status of a POST from a page, whether the answer asks for https, and the headers that the service saw. */
async function post({ peer, proxies = ["10.0.0.0/8", "fd00::/8"], headers, origin }: Sent) {
  let seen: Headers | undefined;
  const shop = createShop({
    env: { server: { trusted_proxies: proxies } },
    handlers: {
      OpenService: (srv) => srv.before("CREATE", "Books", (req) => void (seen = req.http!.req.headers)),
    },
  });
  const info = typeof peer === "string"
    ? { remoteAddr: { transport: "tcp", hostname: peer, port: 1 } }
    : peer;
  const response = await shop.fetch(
    new Request("http://localhost/odata/v4/open/Books", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Basic ${btoa("alice:")}`,
        ...origin === undefined ? {} : { origin },
        ...headers,
      },
      body: JSON.stringify({ ID: lastId++ }),
    }),
    info,
  );
  const { error } = await response.json();
  await shop.close();
  return { status: response.status, error, secure: response.headers.has("strict-transport-security"), seen };
}

const FORWARDED = { "x-forwarded-host": "shop.example:8443", "x-forwarded-proto": "https" };
const PAGE = "https://shop.example:8443";

Deno.test("the headers of a trusted proxy give the base URL", async () => {
  for (const peer of [PROXY, "::ffff:10.1.2.3", "fd00::1%eth0"]) {
    const answer = await post({ peer, headers: FORWARDED, origin: PAGE });
    assert.deepEqual([answer.status, answer.secure], [201, true], peer);
    assert.equal((await post({ peer, headers: FORWARDED, origin: "http://localhost" })).status, 403, peer);
  }
});

Deno.test("the same headers from anybody else have no effect", async () => {
  const others = ["11.0.0.1", "fe80::1", "", "10.1.2.3, 10.1.2.4", undefined, {}, { remoteAddr: PROXY }, {
    remoteAddr: { transport: "unix", path: PROXY },
  }, { hostname: PROXY }];
  for (const peer of others) {
    const answer = await post({ peer, headers: FORWARDED, origin: PAGE });
    assert.deepEqual([answer.status, answer.secure], [403, false], JSON.stringify(peer));
  }
  assert.equal((await post({ peer: PROXY, proxies: [], headers: FORWARDED, origin: PAGE })).status, 403);
});

Deno.test("host and scheme are forwarded each for itself", async () => {
  const http = await post({
    peer: PROXY,
    headers: { "x-forwarded-host": "shop.example" },
    origin: "http://shop.example",
  });
  assert.deepEqual([http.status, http.secure], [201, false]);
  const secure = await post({
    peer: PROXY,
    headers: { "x-forwarded-proto": "HTTPS" },
    origin: "https://localhost",
  });
  assert.deepEqual([secure.status, secure.secure], [201, true]);
  const empty = await post({ peer: PROXY, headers: { "x-forwarded-proto": "" }, origin: "http://localhost" });
  assert.equal(empty.status, 201);
});

Deno.test("of several values that counts which the outermost trusted proxy has written", async () => {
  const values = { "x-forwarded-host": "forged.example, shop.example, inner.example" };
  const cases: readonly [forwardedFor: string, host: string][] = [
    ["203.0.113.7", "inner.example"],
    ["203.0.113.7, 10.9.9.9", "shop.example"],
    ["10.6.6.6, 203.0.113.7, 10.9.9.9", "shop.example"],
    ["10.6.6.6, nonsense", "inner.example"],
    ["10.6.6.6, 10.7.7.7, 10.8.8.8, 10.9.9.9", "forged.example"],
  ];
  for (const [forwardedFor, host] of cases) {
    const headers = { ...values, "x-forwarded-for": forwardedFor };
    assert.equal((await post({ peer: PROXY, headers, origin: `http://${host}` })).status, 201, forwardedFor);
  }
});

Deno.test("the header Forwarded, which proxies pass on from clients, has no effect", async () => {
  const headers = { forwarded: "for=203.0.113.7;host=shop.example;proto=https" };
  const answer = await post({ peer: PROXY, headers, origin: "https://shop.example" });
  assert.deepEqual([answer.status, answer.secure], [403, false]);
});

Deno.test("forwarded values that cannot be are 400", async () => {
  const hosts = [
    "a b",
    "shop.example/x",
    "u@shop.example",
    "shop.example:99999",
    "-a.example",
    `${"a".repeat(300)}`,
    "[::1",
  ];
  for (const host of hosts) {
    const { status, error } = await post({ peer: PROXY, headers: { "x-forwarded-host": host } });
    assert.deepEqual([status, error.message], [400, "The header x-forwarded-host is malformed"], host);
  }
  const { status, error } = await post({ peer: PROXY, headers: { "x-forwarded-proto": "javascript" } });
  assert.deepEqual([status, error.message], [400, "The header x-forwarded-proto is malformed"]);
});

Deno.test("no handler sees the certificate header, whoever sent it", async () => {
  for (const peer of [PROXY, "203.0.113.7"]) {
    const { status, seen } = await post({
      peer,
      headers: { "X-Forwarded-Client-Cert": "MII", "x-other": "1" },
    });
    assert.equal(status, 201);
    assert.deepEqual([seen!.get("x-forwarded-client-cert"), seen!.get("x-other")], [null, "1"]);
  }
});

Deno.test("a certificate that a proxy forwards is an ambient credential", async () => {
  const headers = { authorization: "", "x-forwarded-client-cert": "MII" };
  assert.equal((await post({ peer: PROXY, headers, origin: "https://evil.example" })).status, 403);
  assert.equal((await post({ peer: "203.0.113.7", headers, origin: "https://evil.example" })).status, 201);
});

Deno.test("a wrong proxy or header name stops the start", () => {
  const source = (server: object, security: object = {}) => ({
    name: "package.json",
    text: '{\n"server": {\n"trusted_proxies": []}}',
    value: { server, security },
  });
  for (const entry of ["proxy.example", "10.0.0.1/8", "10.0.0.0/33"]) {
    assert.throws(
      () => createEnvironment([source({ trusted_proxies: ["10.0.0.1", entry] })]),
      (error: Error) => {
        assert.equal(error.name, "ConfigurationError");
        assert.match(error.message, /package\.json:3/);
        assert.match(
          error.message,
          /"fw\.server\.trusted_proxies" must be a list, each entry of which must be an address/,
        );
        return error.message.includes(`"${entry}"`);
      },
    );
  }
  assert.throws(
    () => createEnvironment([source({ trusted_proxies: [10] })]),
    /each entry of which must be a string/,
  );
  const authentication = { clientCertificateHeader: "x y" };
  assert.throws(
    () => createEnvironment([source({}, { authentication })]),
    /must be the name of a header, but is "x y"/,
  );
});

Deno.test("a server of Deno gives the address of the peer", async () => {
  for (const [proxies, secure] of [[["127.0.0.1"], true], [["127.0.0.2"], false]] as const) {
    const shop = createShop({ env: { server: { trusted_proxies: proxies } } });
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, shop.fetch);
    const answer = await fetch(`http://127.0.0.1:${server.addr.port}/health`, { headers: FORWARDED });
    await answer.body?.cancel();
    assert.equal(answer.headers.has("strict-transport-security"), secure);
    await server.shutdown();
    await shop.close();
  }
});

Deno.test("the certificate header is taken out of requests that a server cannot copy as well", async () => {
  const seen: (string | null)[] = [];
  const shop = createShop({ env: { server: { trusted_proxies: ["127.0.0.1"] } } });
  shop.middlewares.add(({ method, headers }, _res, next) => {
    seen.push(method, headers.get("x-forwarded-client-cert"), headers.get("x-other"));
    next();
  }, { before: "auth" });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, shop.fetch);
  for (const method of ["GET", "TRACE"]) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
    const lines = [
      `${method} /odata/v4/open/Books HTTP/1.1`,
      "Host: localhost",
      "Connection: close",
      "X-Other: 1",
    ];
    await connection.write(
      new TextEncoder().encode([...lines, "X-Forwarded-Client-Cert: MII", "", ""].join("\r\n")),
    );
    const answer = await new Response(connection.readable).text();
    assert.match(answer, method === "GET" ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 (405|501) /);
    assert.ok(!answer.includes("MII"));
  }
  assert.deepEqual(seen, ["GET", null, "1", "TRACE", null, "1"]);
  await server.shutdown();
  await shop.close();
});

Deno.test("a part of a batch brings no certificate either", async () => {
  const seen: unknown[] = [];
  const shop = createShop({
    env: { server: { trusted_proxies: [PROXY] } },
    handlers: {
      OpenService: (srv) =>
        void srv.before("READ", "Books", (req) => {
          const headers = req.headers;
          seen.push(headers["x-forwarded-client-cert"], headers["x-other"]);
        }),
    },
  });
  const part = {
    id: "1",
    method: "GET",
    url: "Books",
    headers: { "X-Forwarded-Client-Cert": "MII", "x-other": "1" },
  };
  const response = await shop.fetch(
    new Request("http://localhost/odata/v4/open/$batch", {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-client-cert": "MII" },
      body: JSON.stringify({ requests: [part] }),
    }),
    { remoteAddr: { hostname: PROXY } },
  );
  assert.equal((await response.json()).responses[0].status, 200);
  assert.deepEqual(seen, [undefined, "1"]);
  await shop.close();
});
