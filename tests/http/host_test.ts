import assert from "node:assert/strict";
import { serveProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { talk } from "../deno/talk.ts";
import { createShop } from "./fixture.ts";

const BOOKS = "/odata/v4/open/Books";

/** What no host is; a server that puts it in front of a path makes a URL of it that leads somewhere else. */
const WRONG = [
  "",
  "x/odata/v4/cat/Books?",
  "x/odata/v4/cat/Books#",
  "x/odata/v4/cat",
  "x?a=b",
  "x#",
  "x\\odata\\v4\\cat\\Books?",
  "x:80/odata/v4/cat/Books?",
  "x:80a",
  "x:",
  "x:65536",
  "x:99999",
  "x:-1",
  "user@x",
  "user:password@x",
  "@x",
  "x y",
  "x\ty",
  "x,y",
  "x, y",
  "[::1",
  "::1",
  "[::1]x",
  "[x/y]",
  "x%2fy",
  "%78",
  "http://x",
  "//x",
  "x;y",
  "<x>",
  ".x",
  "-x",
  `${"x".repeat(300)}`,
];

const RIGHT = [
  "localhost",
  "localhost:4004",
  "shop.example",
  "shop.example.",
  "SHOP.example:65535",
  "my_service:80",
  "a-b.c",
  "127.0.0.1:1",
  "[::1]",
  "[::1]:4004",
  "xn--bcher-kva.example",
];

Deno.test("a Host header that is no host is 400 before anything is routed (RFC 9112, 3.2)", async () => {
  const shop = createShop();
  for (const host of WRONG) {
    for (const path of ["/health", BOOKS, "/", "/nowhere"]) {
      for (const method of ["GET", "OPTIONS"]) {
        const headers = { host, "access-control-request-method": "POST", origin: "https://x.example" };
        const response = await shop.fetch(new Request(`http://localhost${path}`, { method, headers }));
        assert.equal(response.status, 400, `${host} ${method} ${path}`);
        assert.deepEqual(await response.json(), {
          error: { code: "400", message: "The header host is malformed" },
        });
      }
    }
  }
  await shop.close();
});

Deno.test("names and addresses with and without port are hosts", async () => {
  const shop = createShop();
  for (const host of RIGHT) {
    const response = await shop.fetch(new Request(`http://localhost${BOOKS}`, { headers: { host } }));
    assert.equal(response.status, 200, host);
    await response.body?.cancel();
  }
  await shop.close();
});

Deno.test("a forwarded host that is none is 400 where the proxy is trusted", async () => {
  const shop = createShop({ env: { server: { trusted_proxies: ["10.0.0.1"] } } });
  const info = { remoteAddr: { transport: "tcp", hostname: "10.0.0.1", port: 1 } };
  const ask = async (host: string) => {
    const headers = { "x-forwarded-host": host };
    const response = await shop.fetch(new Request(`http://localhost${BOOKS}`, { headers }), info);
    await response.body?.cancel();
    return response.status;
  };
  // of a list, the value of the outermost trusted proxy counts
  for (const host of WRONG.filter((one) => one !== "" && !one.includes(","))) {
    assert.equal(await ask(host), 400, host);
  }
  for (const host of RIGHT) assert.equal(await ask(host), 200, host);
  await shop.close();
});

Deno.test("no Host header makes a server show another path than the one that was asked for", () =>
  withProject(SMALL, async (folder) => {
    const running = await serveProject(folder, {
      port: 0,
      variables: {},
      env: { log: { levels: { default: "silent" } } },
      print: () => {},
    });
    const port = Number(new URL(running.url).port);
    try {
      for (const host of [...WRONG, "x\x01y", "x\x80y"]) {
        const lines = ["GET /health HTTP/1.1", `Host: ${host}`, "Connection: close", "", ""];
        const answer = await talk(port, lines.join("\r\n"), { enough: /\r\n\r\n/ });
        assert.ok(!answer.includes("Emma"), `${host}: ${answer}`);
        assert.match(answer, /^HTTP\/1\.1 400 /, host);
      }
      const twice = "GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n";
      assert.match(await talk(port, twice, { enough: /\r\n\r\n/ }), /^HTTP\/1\.1 400 /);
    } finally {
      await running.stop();
    }
  }));
