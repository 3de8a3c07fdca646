import assert from "node:assert/strict";
import { type RuntimeOptions, User } from "../../mod.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import { createShop, send, type SendOptions } from "./fixture.ts";

/** Lines that requests leave on the console, without the milliseconds that they took: no more than all of them together. */
async function linesOf(
  options: Partial<RuntimeOptions>,
  requests: readonly (readonly [path: string, options?: SendOptions])[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  const start = performance.now();
  const { log, warn, error } = console;
  console.log = console.warn = console.error = (line: string) => void lines.push(line);
  try {
    const shop = createShop({ ...options, env: { log: { levels: { default: "info" } }, ...options.env } });
    for (const [path, request] of requests) await send(shop, path, request);
    await shop.close();
  } finally {
    Object.assign(console, { log, warn, error });
  }
  const most = performance.now() - start;
  return lines.map((line) =>
    line.replace(/ (\d+\.\d) ms$/, (text, took) => Number(took) <= most ? "" : text)
  );
}

Deno.test("each request leaves one line with protocol, method, readable URL and status", async () => {
  const lines = await linesOf({}, [
    ["/odata/v4/open/Books?$filter=title%20eq%20%27%C3%A4%27"],
    ["/odata/v4/open/Books(1)", { method: "PUT", body: { title: "x" } }],
    ["/odata/v4/closed"],
    ["/nowhere?a=%0D%0Aforged"],
    ["/health"],
  ]);
  assert.deepEqual(lines, [
    "[odata] - GET /odata/v4/open/Books?$filter=title eq 'ä' 200",
    "[odata] - PUT /odata/v4/open/Books(1) 201",
    "[odata] - GET /odata/v4/closed 401",
    "[http] - GET /nowhere?a=  forged 404",
    "[http] - GET /health 200",
  ]);
});

Deno.test("the log says why a request of another site is refused", async () => {
  const body = { ID: 5 };
  const lines = await linesOf({}, [
    ["/odata/v4/open/Books", { body, user: "alice", headers: { origin: "https://ui.example" } }],
    ["/odata/v4/open/Books", { body, user: "alice", headers: { "sec-fetch-site": "cross-site" } }],
  ]);
  const refused = (site: string) =>
    `[odata] - WARN POST of a page of ${site} refused: "fw.server.cors.origins" does not list it`;
  const request = "[odata] - POST /odata/v4/open/Books 403";
  const withoutIds = lines.map((line) => line.replace(/ \([\da-f-]+\)$/, ""));
  assert.deepEqual(withoutIds, [refused("https://ui.example"), request, refused("another site"), request]);
});

Deno.test("an error of the server is logged once, complete, under its correlation id, without secrets", async () => {
  const failing: Partial<RuntimeOptions> = {
    env: { log: { levels: { default: "error" } } },
    handlers: {
      OpenService: (srv) =>
        srv.on("seen", () => {
          throw Object.assign(new Error("broken", { cause: new Error("the reason") }), { password: "pw-1" });
        }),
    },
  };
  const lines = await linesOf(failing, [
    ["/odata/v4/open/seen()", { user: "alice", headers: { "x-correlation-id": "c-7" } }],
  ]);
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(
    lines[0],
    /^\[[\w.]+\] - ERROR [\s\S]*Error: broken\n {4}at [\s\S]*caused by: Error: the reason[\s\S]*\(c-7\)$/,
  );
  assert.doesNotMatch(lines[0], /pw-1|YWxpY2U/);
});

Deno.test("each request of a batch leaves a line with its status, whatever its URL holds (api 13)", async () => {
  const write = { method: "POST", url: "Books", body: {}, headers: { "content-type": "application/json" } };
  const requests = [
    { id: "1", method: "GET", url: "Books?$filter=title%20eq%20%27a%0D%0Ab%27" },
    { id: "2", method: "GET", url: "Nothing\n[odata] - forged" },
    { id: "3", atomicityGroup: "g", ...write },
    { id: "4", atomicityGroup: "g", ...write, url: "Nothing" },
  ];
  const lines = await linesOf({}, [["/odata/v4/open/$batch", { method: "POST", body: { requests } }]]);
  assert.deepEqual(lines, [
    "[odata] - > GET Books?$filter=title eq 'a  b' 200",
    "[odata] - > GET Nothing [odata] - forged 404",
    "[odata] - > POST Books 400",
    "[odata] - > POST Nothing 424",
    "[odata] - POST /odata/v4/open/$batch 200",
  ]);
});

Deno.test("an error of the client leaves no error in the log", async () => {
  const lines = await linesOf({ env: { log: { levels: { default: "warn" } } } }, [
    ["/odata/v4/open/Nothing"],
    ["/odata/v4/open/Books?$filter=("],
    ["/odata/v4/closed", { user: "bob" }],
    ["/%zz"],
  ]);
  assert.deepEqual(lines, []);
});

Deno.test("in production lines are JSON with correlation id and tenant, those of requests included (spec 2.1)", async () => {
  const lines = await linesOf({
    profiles: ["production"],
    env: {
      log: { levels: { default: "info" } },
      requires: { auth: { kind: "mocked", users: { alice: { tenant: "t1" } } }, multitenancy: true },
    },
  }, [["/odata/v4/closed", { user: "alice", headers: { "x-correlation-id": "c-8" } }]]);
  const { timestamp, ...line } = JSON.parse(lines.at(-1)!);
  assert.ok(Date.parse(timestamp) > 0);
  assert.match(line.msg, /^GET \/odata\/v4\/closed \d+ /);
  assert.deepEqual({ ...line, msg: "" }, {
    level: "info",
    logger: "odata",
    correlation_id: "c-8",
    tenant: "t1",
    msg: "",
  });
});

Deno.test("the log of logins says why one is refused, without what was sent", async () => {
  const authorization = `Basic ${btoa("nobody:secret")}`;
  const lines = await linesOf({
    env: {
      log: { levels: { default: "silent", auth: "debug" } },
      requires: { auth: { kind: "basic", users: { alice: { password: "right" } } } },
    },
  }, [["/odata/v4/open/Books", { headers: { authorization } }]]);
  assert.ok(lines.some((line) => /\[auth\].* refused: ./.test(line)), lines.join("\n"));
  assert.ok(!lines.join("\n").includes("secret"));
});

Deno.test("the log of debugging tells what becomes of a login that does not count", async () => {
  const linesFor = async (result: object, requires: object = {}) => {
    const { log } = console;
    const lines: string[] = [];
    console.log = (line: string) => void lines.push(line);
    try {
      const strategy = { kind: "own", authenticate: () => result } as unknown as NonNullable<
        Kinds["strategy"]
      >;
      const shop = createShop({
        kinds: { strategy },
        env: { log: { levels: { default: "silent", auth: "debug" } }, requires },
      });
      await send(shop, "/odata/v4/any/$metadata");
      await shop.close();
    } finally {
      console.log = log;
    }
    return lines;
  };
  const user = new User({ id: "ann" });
  assert.deepEqual(await linesFor({ user }), []);
  assert.deepEqual(await linesFor({ user }, { multitenancy: true }), [
    "[auth] - without tenant: taken as anonymous",
  ]);
  assert.deepEqual(await linesFor({ user, tenant: "../x" }), ["[auth] - refused: the tenant is malformed"]);
  assert.deepEqual(await linesFor({ refused: true, reason: "wrong password" }), [
    "[auth] - refused: wrong password",
  ]);
});
