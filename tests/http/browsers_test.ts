import assert from "node:assert/strict";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createShop, send } from "./fixture.ts";

const BOOKS = "/odata/v4/open/Books";
let lastId = 1000;

/** Status of a POST with headers, as alice unless the login is given. */
async function post(headers: Record<string, string>, env: Record<string, unknown> = {}): Promise<number> {
  const shop = createShop({ env });
  const login = { authorization: `Basic ${btoa("alice:")}` };
  const answer = await send(shop, BOOKS, { body: { ID: lastId++ }, headers: { ...login, ...headers } });
  if (answer.status === 403) assert.deepEqual(answer.body, { error: { code: "403", message: "Forbidden" } });
  await shop.close();
  return answer.status;
}

Deno.test("an unsafe request with ambient credentials from another site is 403", async () => {
  assert.equal(await post({ origin: "https://evil.example" }), 403);
  assert.equal(await post({ origin: "null" }), 403);
  assert.equal(await post({ "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await post({ "sec-fetch-site": "same-site", origin: "http://other.localhost" }), 403);
  const anonymous = { authorization: "", origin: "https://evil.example" };
  assert.equal(await post({ ...anonymous, cookie: "session=1" }), 403);
  // what browsers answer challenges with by themselves
  for (const scheme of ["Negotiate", "NTLM", "Digest"]) {
    assert.equal(await post({ ...anonymous, authorization: `${scheme} abc` }), 403);
  }
});

Deno.test("an unsafe request from the own site, an allowed one, no page or without ambient credentials passes", async () => {
  assert.equal(await post({}), 201);
  assert.equal(await post({ origin: "http://localhost" }), 201);
  assert.equal(await post({ "sec-fetch-site": "same-origin", origin: "https://behind.proxy" }), 201);
  assert.equal(await post({ "sec-fetch-site": "none" }), 201);
  assert.equal(await post({ authorization: "", origin: "https://evil.example" }), 201);
  // only a script writes a token, and only one that we allow to
  const token = { authorization: "Bearer abc", origin: "https://evil.example", cookie: "session=1" };
  assert.equal(await post(token), 201);
  const server = { cors: { origins: ["https://ui.example"] }, base_url: "https://shop.example/" };
  assert.equal(await post({ origin: "https://ui.example" }, { server }), 201);
  assert.equal(await post({ origin: "https://shop.example" }, { server }), 201);
  assert.equal(await post({ origin: "http://localhost" }, { server }), 403);
});

Deno.test("safe methods are never refused for where they come from", async () => {
  const shop = createShop();
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  assert.equal((await send(shop, BOOKS, { user: "alice", headers })).status, 200);
  await shop.close();
});

Deno.test("without configured origins no answer allows another site", async () => {
  const shop = createShop();
  const headers = { origin: "https://ui.example" };
  const answer = await send(shop, BOOKS, { headers });
  assert.equal(answer.headers.get("access-control-allow-origin"), null);
  const preflight = await send(shop, BOOKS, {
    method: "OPTIONS",
    headers: { ...headers, "access-control-request-method": "POST" },
  });
  assert.equal(preflight.headers.get("access-control-allow-origin"), null);
  assert.equal(preflight.headers.get("access-control-allow-methods"), null);
  await shop.close();
});

Deno.test("configured origins may read messages, by whatever name [4.1.h.msgs]", async () => {
  for (const name of ["fw-messages", "sap-messages"]) {
    const server = { cors: { origins: ["https://ui.example"] }, messages_header: name };
    const shop = createShop({ env: { server } });
    const answer = await send(shop, BOOKS, { headers: { origin: "https://ui.example" } });
    const exposed = (answer.headers.get("access-control-expose-headers") ?? "").split(", ");
    assert.deepEqual(exposed.filter((one) => one.endsWith("-messages")), [name]);
    await shop.close();
  }
});

Deno.test("configured origins may read answers and ask before they write, without credentials", async () => {
  const shop = createShop({ env: { server: { cors: { origins: ["https://ui.example"] } } } });
  const headers = { origin: "https://ui.example" };
  for (const path of [BOOKS, "/odata/v4/closed", "/nowhere"]) {
    const answer = await send(shop, path, { headers });
    assert.equal(answer.headers.get("access-control-allow-origin"), "https://ui.example");
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
    assert.match(answer.headers.get("access-control-expose-headers") ?? "", /x-correlation-id/);
    assert.match(answer.headers.get("vary") ?? "", /Origin/);
  }
  const other = await send(shop, BOOKS, { headers: { origin: "https://ui.example.evil" } });
  assert.equal(other.headers.get("access-control-allow-origin"), null);
  assert.equal(other.headers.get("cross-origin-resource-policy"), "same-origin");
  assert.match(other.headers.get("vary") ?? "", /Origin/);
  const asked = {
    ...headers,
    "access-control-request-method": "PATCH",
    "access-control-request-headers": "content-type",
  };
  const preflight = await send(shop, "/odata/v4/closed/Books(1)", { method: "OPTIONS", headers: asked });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "https://ui.example");
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PATCH/);
  assert.equal(preflight.headers.get("access-control-allow-headers"), "content-type");
  await shop.close();
});

Deno.test("the page at / and /index.html links services, entities and metadata, and runs no scripts", async () => {
  const shop = createShop({ name: "shop <1>", version: "1.0" });
  for (const path of ["/", "/index.html"]) {
    const { status, headers, body } = await send(shop, path);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src 'unsafe-inline'/,
    );
    assert.match(body, /<h1>shop &lt;1&gt; /);
    assert.doesNotMatch(body, /<script|shop <1>/);
    for (const [, href] of body.matchAll(/href="([^"]+)"/g)) {
      assert.ok(href.startsWith("./"), href); // a proxy in front may add to the path
      const target = await send(shop, href.slice(1), { user: "privileged" });
      assert.equal(target.status, 200, href);
    }
    for (
      const link of [
        "./odata/v4/open/Books?$top=10",
        "./odata/v4/any/Named?$top=10",
        "./odata/v4/closed/$metadata",
      ]
    ) {
      assert.ok(body.includes(`href="${link}"`), link);
    }
  }
  const head = await send(shop, "/", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  await shop.close();
});

Deno.test("the page shows where each service is, its sets and operations, and who may call it", async () => {
  const text = `
    entity db.Books { key ID : Integer; title : localized String; }
    entity db.Orders { key ID : Integer; }
    @protocol: ['odata', 'rest'] service Open {
      entity Books as projection on db.Books;
      @odata.singleton entity Best as projection on db.Books;
    }
    service Drafts { @odata.draft.enabled entity Orders as projection on db.Orders; }
    @requires: ['a', 'b'] service Roles { action close(at : Date, by : String); function size() returns Integer; }
    @restrict: [{ grant: 'READ', to: 'x' }] service Grants {
      entity Orders as projection on db.Orders; function ping() returns Integer;
    }
  `;
  const shop = createShop({ model: parseCdl(text), data: new Map() });
  const { body } = await send(shop, "/");
  const sections = [...String(body).matchAll(/<section>(.*?)<\/section>/gs)].map(([, section]) => {
    const badge = /<span class="badge" title="([^"]*)">restricted/.exec(section!)?.[1];
    const items = [...section!.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => item!.replace(/<[^>]*>/g, ""));
    const links = [...section!.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!);
    return { name: /<h2>(\w+)/.exec(section!)![1], badge, items, links };
  });
  const lists = [...String(body).matchAll(/<ul class="operations">/g)];
  assert.equal(lists.length, 2, "two services have operations");
  const odata = (name: string) =>
    ["", "/$metadata", "/$metadata?$format=json", "/openapi.json"].map((end) => `./odata/v4/${name}${end}`);
  assert.deepEqual(sections, [
    {
      name: "Open",
      badge: undefined,
      items: ["Books", "Best", "Books", "Best"],
      links: [
        ...[...odata("open"), "./odata/v4/open/Books?$top=10", "./odata/v4/open/Best"],
        ...["./rest/open", "./rest/open/openapi.json", "./rest/open/Books?$top=10", "./rest/open/Best"],
      ],
    },
    {
      name: "Drafts",
      badge: undefined,
      items: ["Orders"],
      links: [...odata("drafts"), "./odata/v4/drafts/Orders?$top=10"],
    },
    {
      name: "Roles",
      badge: "a, b",
      items: ["action close(at, by)", "function size()"],
      links: odata("roles"),
    },
    {
      name: "Grants",
      badge: "see @restrict",
      items: ["Orders", "function ping()"],
      links: [...odata("grants"), "./odata/v4/grants/Orders?$top=10"],
    },
  ]);
  await shop.close();
});

Deno.test("the page is off in production, and needs a login when it is switched on there [4.1.index]", async () => {
  const requires = { auth: { kind: "basic", users: { zoe: { password: "1" } } }, db: { kind: "memory" } };
  for (const [index, anonymous, loggedIn] of [[undefined, 404, 404], [true, 401, 200]] as const) {
    const server = index === undefined ? {} : { index };
    const shop = createShop({ profiles: ["production"], env: { requires, server } });
    const headers = { authorization: `Basic ${btoa("zoe:1")}` };
    for (const path of ["/", "/index.html"]) {
      assert.equal((await send(shop, path)).status, anonymous);
      assert.equal((await send(shop, path, { headers })).status, loggedIn);
    }
    await shop.close();
  }
});
