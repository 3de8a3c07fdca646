/**
 * The folder `app` of a project is served at the root.
 */

import assert from "node:assert/strict";
import { frontEndsIn } from "../../src/deno/front_ends.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "./project.ts";

const PAGES = {
  "app/shop/webapp/index.html": "<h1>Shop</h1>",
  "app/shop/webapp/a b.js": "1",
  "app/shop/webapp/test/unit.html": "",
  "app/shop/package.json": "{}",
  "app/shop/.env": "SECRET=1",
  "app/default-env.json": "{}",
  "app/ui.cds": "",
  "app/other.html": "<h1>Other</h1>",
};

type Send = (url: string, init?: RequestInit) => Promise<Response>;

async function serving(
  files: Readonly<Record<string, string>>,
  test: (send: Send, folder: string) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withProject({ ...SMALL, ...files }, async (folder) => {
    const env = {
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "mocked" }, db: "sqlite" },
    };
    const { runtime } = await loadProject(folder, { variables, env });
    try {
      await test((url, init) => runtime.fetch(new Request(`http://localhost${url}`, init)), folder);
    } finally {
      await runtime.close();
    }
  });
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

Deno.test("files of app are served at the root, folders by their index.html", () =>
  serving(PAGES, async (send) => {
    const page = await send("/shop/webapp/index.html");
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(await page.text(), "<h1>Shop</h1>");
    assert.equal(await (await send("/shop/webapp/")).text(), "<h1>Shop</h1>");
    assert.equal(await (await send("/shop/webapp/a%20b.js")).text(), "1");
    const folder = await send("/shop/webapp");
    assert.deepEqual([folder.status, folder.headers.get("location")], [301, "./webapp/"]);
    const head = await send("/other.html", { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    const etag = head.headers.get("etag")!;
    assert.equal(await statusOf(send("/other.html", { headers: { "if-none-match": etag } })), 304);
  }));

Deno.test("the welcome page lists the pages of app, without those of tests", () =>
  serving(PAGES, async (send) => {
    const html = await (await send("/")).text();
    const links = [...html.matchAll(/href="\.\/([^"]*\.html)"/g)].map(([, path]) => path);
    assert.deepEqual(links, ["other.html", "shop/webapp/index.html"]);
  }));

Deno.test("the welcome page lists entities with drafts, and their draft entities not", () => {
  const model = "service Desk { @odata.draft.enabled entity Tickets { key ID : UUID; } }";
  return serving({ "srv/desk.cds": model }, async (send) => {
    const html = await (await send("/")).text();
    assert.match(html, /Desk\/|desk\//i);
    assert.match(html, />Tickets</);
    assert.doesNotMatch(html, /Tickets\.drafts/);
  });
});

Deno.test("the welcome page leads to the description of each protocol that has one", () => {
  const model = `service Open { entity A { key ID : Integer; } }
    @protocol: 'rest' service Rest { entity B { key ID : Integer; } }`;
  return serving({ "srv/all.cds": model }, async (send) => {
    const html = await (await send("/")).text();
    for (const path of ["odata/v4/open", "rest/rest"]) assert.ok(html.includes(`${path}/openapi.json`), path);
    assert.ok(html.includes("odata/v4/open/$metadata") && !html.includes("rest/rest/$metadata"));
  });
});

Deno.test("app/index.html takes the place of the welcome page", () =>
  serving({ "app/index.html": "<p>mine</p>" }, async (send) => {
    assert.equal(await (await send("/")).text(), "<p>mine</p>");
    assert.equal(await (await send("/index.html")).text(), "<p>mine</p>");
  }));

Deno.test("models, settings, hidden files and files outside of app are not served", () =>
  serving(PAGES, async (send, folder) => {
    await Deno.writeTextFile(`${folder}/secret.txt`, "secret");
    await Deno.symlink(`${folder}/secret.txt`, `${folder}/app/link.txt`);
    for (
      const path of [
        "/ui.cds",
        "/shop/package.json",
        "/shop/.env",
        "/default-env.json",
        "/link.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "//other.html",
        "/shop//webapp/index.html",
        "/nothing.html",
      ]
    ) assert.equal(await statusOf(send(path)), 404, path);
  }));

Deno.test("services and own routes go before files; files take GET and HEAD only", () =>
  serving({ ...PAGES, "app/odata/v4/cat/Books": "file", "app/health": "file" }, async (send) => {
    assert.equal(await statusOf(send("/odata/v4/cat/Books")), 200);
    assert.match(await (await send("/odata/v4/cat/Books")).text(), /"value"/);
    assert.deepEqual(await (await send("/health")).json(), { status: "UP" });
    const post = await send("/other.html", { method: "POST", body: "" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    await post.body?.cancel();
  }));

Deno.test("in production files need a login", () =>
  serving(PAGES, async (send) => {
    assert.equal(await statusOf(send("/other.html")), 401);
    assert.equal(await statusOf(send("/nothing.html")), 404);
    const authorization = `Basic ${btoa("alice:")}`;
    assert.equal(await statusOf(send("/other.html", { headers: { authorization } })), 200);
  }, { FW_ENV: "production" }));

Deno.test("middleware of the application runs before files, and guards them", () =>
  serving({
    ...PAGES,
    "server.js": `import fw from "@fw/runtime";
fw.on("bootstrap", (app) => app.use("/shop/*", (context, next) => {
  if (context.req.query("no")) return new Response("guarded", { status: 403 });
  return next();
}));
`,
  }, async (send) => {
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    assert.equal(await (await send("/shop/webapp/index.html", { headers })).text(), "<h1>Shop</h1>");
    assert.equal(await statusOf(send("/shop/webapp/index.html?no=1", { headers })), 403);
    assert.equal(await statusOf(send("/shop/webapp/index.html")), 401);
  }));

Deno.test("pages load their own files, and what the policy of their folder allows, by the innermost folder", () => {
  const server = {
    content_security_policy: {
      shop: "default-src 'self' https://ui5.example",
      "shop/webapp/inner": "default-src 'none'",
    },
  };
  const files = {
    ...PAGES,
    "app/shop/webapp/inner/index.html": "",
    "app/shopping/index.html": "",
    ".fwrc.json": JSON.stringify({ server }),
  };
  return serving(files, async (send) => {
    const policy = async (url: string) => {
      const { headers, body } = await send(url);
      await body?.cancel();
      return headers.get("content-security-policy");
    };
    assert.match((await policy("/other.html"))!, /^default-src 'self';.*object-src 'none'/);
    assert.match(
      (await policy("/shopping/index.html"))!,
      /^default-src 'self';/,
      "a folder, not the start of a name",
    );
    assert.equal(await policy("/shop/webapp/index.html"), server.content_security_policy.shop);
    assert.equal(await policy("/shop/webapp/"), server.content_security_policy.shop);
    assert.equal(await policy("/shop/webapp/inner/index.html"), "default-src 'none'");
    assert.match((await policy("/odata/v4/cat/Books"))!, /^default-src 'none'/, "services load nothing");
  });
});

Deno.test("a policy that no header can hold stops the start", () => {
  const server = { content_security_policy: { "/": "default-src 'self'\nx-evil: 1" } };
  return assert.rejects(
    serving({ ...PAGES, ".fwrc.json": JSON.stringify({ server }) }, async () => {}),
    /content_security_policy\..*a policy in one line/,
  );
});

Deno.test("pages are looked for four folders deep, outside of those for developers, and a hundred of them listed", async () => {
  const pages = {
    ...{
      "a.html": "",
      "one/b.html": "",
      "one/two/three/four/c.html": "",
      "one/two/three/four/five/d.html": "",
    },
    ...{
      "one/dist/e.html": "",
      "test/f.html": "",
      ".hidden/g.html": "",
      "node_modules/h.html": "",
      "one/tests/i.html": "",
    },
  };
  await withProject({ ...pages, "file": "" }, (folder) => {
    assert.deepEqual(frontEndsIn(folder)!.pages(), ["a.html", "one/b.html", "one/two/three/four/c.html"]);
    assert.deepEqual(frontEndsIn(`${folder}/one/two/three`)!.pages(), ["four/c.html", "four/five/d.html"]);
    assert.equal(frontEndsIn(`${folder}/file`), undefined);
    assert.equal(frontEndsIn(`${folder}/none`), undefined);
  });
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${1000 + index}.html`, ""]));
  await withProject(many, (folder) => {
    const listed = frontEndsIn(folder)!.pages();
    assert.deepEqual([listed.length, listed[0], listed.at(-1)], [100, "p1000.html", "p1099.html"]);
  });
});
