import assert from "node:assert/strict";
import { fw, type RuntimeOptions } from "../../mod.ts";
import { createShop, send } from "./fixture.ts";

/** Statuses of anonymous requests to paths. */
async function statuses(
  options: Partial<RuntimeOptions>,
  paths: readonly string[],
): Promise<Record<string, number>> {
  const shop = createShop(options);
  shop.app.get("/own", () => new Response("own"));
  shop.app.get("/open/page", () => new Response("open"));
  const found: Record<string, number> = {};
  for (const path of paths) found[path] = (await send(shop, path)).status;
  await shop.close();
  return found;
}

const PRODUCTION: Partial<RuntimeOptions> = {
  profiles: ["production"],
  env: { requires: { auth: { kind: "basic", users: { zoe: { password: "1" } } }, db: { kind: "memory" } } },
};
const SERVICES = ["open", "any", "closed"].map((name) => `/odata/v4/${name}`);
const ENDPOINTS = [
  ...SERVICES.flatMap((root) => [root, `${root}/$metadata`]),
  "/odata/v4/open/Books",
  "/odata/v4/any/Open",
  "/odata/v4/any/Plain",
  "/odata/v4/any/Named",
  "/odata/v4/closed/Books",
  "/own",
];

Deno.test("in production an anonymous request reaches nothing but endpoints with any [5.2.1] [5.2.2] [5.2.7a] [5.2.7b]", async () => {
  assert.deepEqual(await statuses(PRODUCTION, ENDPOINTS), {
    "/odata/v4/open": 401,
    "/odata/v4/open/$metadata": 401,
    "/odata/v4/any": 200,
    "/odata/v4/any/$metadata": 200,
    "/odata/v4/closed": 401,
    "/odata/v4/closed/$metadata": 401,
    "/odata/v4/open/Books": 401,
    "/odata/v4/any/Open": 200,
    "/odata/v4/any/Plain": 401,
    "/odata/v4/any/Named": 401,
    "/odata/v4/closed/Books": 401,
    "/own": 401,
  });
});

Deno.test("production rejects unauthenticated requests of every method to all endpoints [5.5.4]", async () => {
  const shop = createShop({
    ...PRODUCTION,
    model: {
      definitions: {
        "S": { kind: "service" },
        "S.Books": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
        "S.run": { kind: "action" },
        "S.ask": { kind: "function", returns: { type: "cds.String" } },
      },
    },
    data: undefined,
  });
  shop.app.all("/own", () => new Response("own"));
  const root = "/odata/v4/s";
  const paths = ["", "/", "/$metadata", "/Books", "/Books(1)", "/Books/$count", "/run", "/ask()", "/$batch"];
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"];
  for (const path of [...paths.map((path) => root + path), "/own"]) {
    for (const method of methods) {
      const { status, headers } = await send(shop, path, { method });
      assert.equal(status, 401, `${method} ${path}`);
      assert.match(headers.get("www-authenticate") ?? "", /^Basic /, `${method} ${path}`);
    }
  }
  await shop.close();
});

Deno.test("outside production services without restriction are open, own routes are not [5.2.6] [5.5.3]", async () => {
  const found = await statuses({}, ENDPOINTS);
  assert.equal(found["/odata/v4/open"], 200);
  assert.equal(found["/odata/v4/open/$metadata"], 200);
  assert.equal(found["/odata/v4/open/Books"], 200);
  assert.equal(found["/odata/v4/closed/$metadata"], 401);
  assert.equal(found["/own"], 401);
});

Deno.test("$metadata and service document need a login exactly when the service does [4.1.meta] [5.2.8]", async () => {
  for (const options of [{}, PRODUCTION]) {
    const shop = createShop(options);
    for (const root of SERVICES) {
      const [document, metadata] = [await send(shop, root), await send(shop, `${root}/$metadata`)];
      assert.equal(document.status, metadata.status, root);
      assert.equal(
        document.status === 401,
        root.endsWith("closed") || (options === PRODUCTION && root.endsWith("open")),
      );
    }
    await shop.close();
  }
});

Deno.test("authenticateMetadataEndpoints: false opens $metadata and nothing else", async () => {
  const shop = createShop({
    env: { security: { authentication: { authenticateMetadataEndpoints: false } } },
  });
  assert.equal((await send(shop, "/odata/v4/closed/$metadata")).status, 200);
  assert.equal((await send(shop, "/odata/v4/closed")).status, 401);
  assert.equal((await send(shop, "/odata/v4/closed/Books")).status, 401);
  await shop.close();
});

Deno.test("valid Basic credentials of a mock user give 200 [5.2.3]", async () => {
  const shop = createShop({
    env: { requires: { auth: { users: { zoe: { password: "pw", roles: ["admin"] } } } } },
  });
  const as = async (login: string) =>
    (await send(shop, "/odata/v4/closed/Books", { headers: { authorization: `Basic ${btoa(login)}` } }))
      .status;
  assert.equal(await as("alice:"), 200);
  assert.equal(await as("zoe:pw"), 200);
  assert.equal(await as("zoe:wrong"), 401);
  const bearer = { headers: { authorization: "Bearer alice" } };
  assert.equal((await send(shop, "/odata/v4/closed/Books", bearer)).status, 401);
  await shop.close();
});

Deno.test("paths of requires.auth.public are open, exact or by prefix, others not", async () => {
  const env = { requires: { auth: { public: ["/own", "/open/**"] } } };
  const paths = ["/own", "/open/page", "/open/../own", "/open/none"];
  assert.deepEqual(await statuses({ env }, paths), {
    "/own": 200,
    "/open/page": 200,
    "/open/../own": 200,
    "/open/none": 404,
  });
  const prefix = { requires: { auth: { public: ["/open/**"] } } };
  assert.deepEqual(await statuses({ env: prefix }, ["/open/page", "/open/%2e%2e/own", "/open", "/opener"]), {
    "/open/page": 200,
    "/open/%2e%2e/own": 401,
    "/open": 404,
    "/opener": 404,
  });
});

Deno.test("an own route is chosen by the path that was checked, not by another spelling", async () => {
  const shop = createShop({ env: { requires: { auth: { public: ["/public/**"] } } } });
  shop.app.get("/public/*", (c) => c.text("public"));
  shop.app.get("/secret/*", (c) => c.text("secret"));
  // `Request` normalizes its URL, a server hands on what the client wrote
  const raw = (url: string) => {
    const request = new Request("http://localhost/");
    Object.defineProperty(request, "url", { value: url });
    return shop.fetch(request);
  };
  assert.equal((await raw("http://localhost/secret/../public/x")).status, 200);
  assert.equal(await (await raw("http://localhost/secret/../public/x")).text(), "public");
  assert.equal((await raw("http://localhost/public/../secret/x")).status, 401);
  assert.equal((await raw("http://localhost\\secret\\x")).status, 401);
  const malformed = await raw("http://[/");
  assert.equal(malformed.status, 400);
  assert.ok(malformed.headers.get("x-correlation-id"));
  assert.deepEqual(await malformed.json(), { error: { code: "400", message: "The URL is malformed" } });
  await shop.close();
});

Deno.test("errors of own routes are answered like all others", async () => {
  const shop = createShop();
  shop.app.get("/reject", () => fw.error(418, "TEAPOT"));
  shop.app.get("/crash", () => {
    throw new Error("secret");
  });
  shop.app.use("/nothing/*", () => undefined);
  const rejected = await send(shop, "/reject", { user: "alice" });
  assert.deepEqual([rejected.status, rejected.body], [418, { error: { code: "418", message: "TEAPOT" } }]);
  const crashed = await send(shop, "/crash", { user: "alice" });
  assert.equal(crashed.status, 500);
  assert.deepEqual(crashed.body, { error: { code: "500", message: "Internal Server Error" } });
  const missing = await send(shop, "/nothing/here", { user: "alice" });
  assert.deepEqual([missing.status, missing.body], [404, { error: { code: "404", message: "Not Found" } }]);
  const posted = await send(shop, "/crash", { user: "alice", method: "POST" });
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  await shop.close();
});

Deno.test("an own route sees the context of its request", async () => {
  const shop = createShop();
  shop.app.get("/me", (c) => c.text(`${fw.context!.user.id} ${fw.context!.id}`));
  const { body } = await send(shop, "/me", { user: "alice", headers: { "x-request-id": "r-1" } });
  assert.equal(body, "mock/alice r-1");
  await shop.close();
});
