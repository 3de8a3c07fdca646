/** Who sent a request, and what trusted proxies say of the client behind them (auth 12). */

import assert from "node:assert/strict";
import { assertHost, reachedOrigin, receive, type Received } from "../../src/http/peer.ts";
import { originOf } from "../../src/http/request_url.ts";
import { IncomingRequest } from "../../src/service/wire/wire_request.ts";
import { parseIpRange } from "../../src/util/ip_range.ts";

const HEADER = "x-cert";

/** What is known of a request from a peer, behind proxies of `10.0.0.0/8` and `fd00::/8`. */
function received(
  headers: Readonly<Record<string, string>>,
  peer?: unknown,
  proxies = ["10.0.0.0/8", "fd00::/8"],
): Received {
  const trustedProxies = proxies.map((text) => parseIpRange(text)!);
  const info = typeof peer === "string" ? { remoteAddr: { hostname: peer } } : peer;
  const request = new Request("http://own.example/x", { method: "POST", body: "text", headers });
  return receive(request, info, { trustedProxies, certificateHeader: HEADER });
}

Deno.test("the address is that in front of the outermost trusted proxy, else that of the peer", () => {
  const cases: readonly [unknown, string | undefined, string | undefined, number][] = [
    ["1.1.1.1", undefined, "1.1.1.1", 0],
    ["1.1.1.1", "2.2.2.2", "1.1.1.1", 0],
    ["10.0.0.1", undefined, "10.0.0.1", 1],
    ["10.0.0.1", "2.2.2.2", "2.2.2.2", 1],
    ["10.0.0.1", "3.3.3.3, 2.2.2.2", "2.2.2.2", 1],
    ["10.0.0.1", "3.3.3.3, 10.0.0.2", "3.3.3.3", 2],
    ["10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3", 3],
    ["10.0.0.1", "4.4.4.4, 3.3.3.3, 10.0.0.2", "3.3.3.3", 2],
    ["10.0.0.1", "nobody, 10.0.0.2", "nobody", 2],
    ["10.0.0.1", "", "10.0.0.1", 1],
    ["fd00::1%eth0", "2.2.2.2", "2.2.2.2", 1],
    ["fe80::1", "2.2.2.2", "fe80::1", 0],
    [undefined, "2.2.2.2", undefined, 0],
    [null, "2.2.2.2", undefined, 0],
    [{}, "2.2.2.2", undefined, 0],
    [{ remoteAddr: {} }, "2.2.2.2", undefined, 0],
    [{ remoteAddr: { hostname: 5 } }, "2.2.2.2", undefined, 0],
    [{ hostname: "10.0.0.1" }, "2.2.2.2", undefined, 0],
  ];
  for (const [peer, forwarded, address, trustedHops] of cases) {
    const found = received(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }, peer);
    assert.deepEqual([found.address, found.trustedHops], [address, trustedHops], `${peer} ${forwarded}`);
  }
  const without = received({ "x-forwarded-for": "2.2.2.2" }, "10.0.0.1", []);
  assert.deepEqual([without.address, without.trustedHops], ["10.0.0.1", 0]);
});

Deno.test("a certificate is that of a trusted proxy, and is taken out of every request", async () => {
  for (const [peer, certificate] of [["10.0.0.1", "pem"], ["1.1.1.1", undefined], [undefined, undefined]]) {
    const found = received({ [HEADER]: "pem", other: "stays" }, peer);
    assert.equal(found.certificate, certificate);
    assert.deepEqual([found.request.headers.get(HEADER), found.request.headers.get("other")], [
      null,
      "stays",
    ]);
  }
  assert.equal(received({}, "10.0.0.1").certificate, undefined);
  const fixed = Object.assign(
    new Request("http://own.example/x", {
      method: "POST",
      body: "text",
      headers: { [HEADER]: "pem", a: "b" },
    }),
  );
  Object.defineProperty(fixed.headers, "delete", {
    value: () => {
      throw new TypeError("immutable");
    },
  });
  const { request } = receive(fixed, undefined, { trustedProxies: [], certificateHeader: HEADER });
  assert.deepEqual([request.headers.get(HEADER), request.headers.get("a")], [null, "b"]);
  assert.equal(await request.web.text(), "text");
});

Deno.test("the origin is what the outermost trusted proxy says, part by part, else that of the request", () => {
  const own = originOf(new URL("http://own.example:8080/x"));
  const cases: readonly [Readonly<Record<string, string>>, number, string | RegExp][] = [
    [{}, 1, "http://own.example:8080"],
    [{ "x-forwarded-host": "shop.example" }, 0, "http://own.example:8080"],
    [{ "x-forwarded-host": "shop.example" }, 1, "http://shop.example"],
    [{ "x-forwarded-proto": "https" }, 1, "https://own.example:8080"],
    [
      { "x-forwarded-proto": "HTTPS", "x-forwarded-host": "shop.example:8443" },
      1,
      "https://shop.example:8443",
    ],
    [{ "x-forwarded-host": "a.example, b.example" }, 1, "http://b.example"],
    [{ "x-forwarded-host": "a.example, b.example" }, 2, "http://a.example"],
    [{ "x-forwarded-host": "a.example" }, 3, "http://a.example"],
    [{ "x-forwarded-host": " , " }, 1, "http://own.example:8080"],
    [{ "x-forwarded-host": "a/b" }, 1, /x-forwarded-host is malformed/],
    [{ "x-forwarded-host": "256.1.1.1" }, 1, /x-forwarded-host is malformed/],
    [{ "x-forwarded-proto": "ftp" }, 1, /x-forwarded-proto is malformed/],
    [{ "x-forwarded-proto": "httpss" }, 1, /x-forwarded-proto is malformed/],
    [{ "x-forwarded-proto": "xhttp" }, 1, /x-forwarded-proto is malformed/],
  ];
  for (const [headers, trustedHops, expected] of cases) {
    const request = new IncomingRequest(new Request("http://own.example:8080/x", { headers }));
    const find = () =>
      reachedOrigin({ request, trustedHops, address: undefined, certificate: undefined }, own);
    if (typeof expected === "string") assert.equal(find().url.origin, expected, JSON.stringify(headers));
    else {assert.throws(find, (error: { status: number; message: string }) =>
        error.status === 400 && expected.test(error.message));}
  }
});

Deno.test("a host is a name or an address with a port (RFC 9110, 7.2)", () => {
  const isHost = (host: string | undefined) => {
    const request = new IncomingRequest(
      new Request("http://x/", { headers: host === undefined ? {} : { host } }),
    );
    try {
      assertHost(request);
      return true;
    } catch (error) {
      assert.deepEqual([(error as { status: number }).status, (error as Error).message], [
        400,
        "The header host is malformed",
      ]);
      return false;
    }
  };
  const hosts = [
    undefined,
    "x",
    "X.example",
    "a-b_c.d.",
    "1.2.3.4:1",
    "[::1]",
    "[fd00::1]:65535",
    "x:0",
    "_a",
    "x".repeat(261),
  ];
  for (const host of hosts) assert.equal(isHost(host), true, host);
  const others = [
    "x:65536",
    "x:123456",
    "x:",
    "x-",
    ".x",
    "a b",
    "x/y",
    "@x",
    "[::1",
    "[x]",
    "x:80a",
    "x".repeat(262),
  ];
  for (const host of others) assert.equal(isHost(host), false, host);
});
