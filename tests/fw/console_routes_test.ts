/** What the first page and the console are told, who gets them, and what stands in their place. */

import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { showsMessages } from "../../src/fw/console_routes.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { RuntimeOptions } from "../../src/fw/runtime.ts";
import { createShop, csnOf } from "./shop.ts";

const MODEL = csnOf(`
  entity db.Books { key ID : Integer; }
  @protocol: ['odata', 'rest'] @requires: 'reader'
  service my.Cat {
    @restrict: [{ grant: 'READ', to: ['reader', 'any'] }, { grant: '*' }, { grant: 'WRITE', to: 'reader' }]
    entity Books as projection on db.Books;
    entity Free as projection on db.Books;
    @requires: ['boss', 'owner'] action burn();
    @requires: 'boss' @restrict: [{ to: 'late' }] action both();
    event sold { ID : Integer; }
  }
  @rest service my.Open { entity Books as projection on db.Books; }
`);
Object.assign(MODEL.definitions!["my.Cat"]!, { doc: "All books" });
const FILES = new Map([["a.js", { text: "let a;", type: "text/javascript" }]]);
const KINDS: Kinds = { ...denoKinds, console: () => FILES as never };

type Asked = { readonly status: number; readonly text: string; readonly headers: Headers };

/** Asks a runtime; its configuration may be another one. */
async function asking(
  options: Partial<RuntimeOptions>,
  test: (
    ask: (path: string, user?: string, headers?: Record<string, string>) => Promise<Asked>,
  ) => Promise<void>,
): Promise<void> {
  const runtime = createShop({ model: MODEL, data: undefined, kinds: KINDS, ...options });
  try {
    await test(async (path, user, more = {}) => {
      const headers = { ...more, ...user && { authorization: `Basic ${btoa(`${user}:pw`)}` } };
      const response = await runtime.fetch(new Request(`http://localhost${path}`, { headers }));
      return { status: response.status, text: await response.text(), headers: response.headers };
    });
  } finally {
    await runtime.close();
  }
}

Deno.test("the console is told services with their endpoints, events and restrictions, users and channels", () => {
  const users = { ann: { password: "pw", roles: ["reader"] } };
  const auth = { kind: "mocked", id_prefix: "", users };
  const messaging = { kind: "local-messaging" };
  const options = { name: "books", version: "1.2", env: { requires: { auth, messaging, queue: false } } };
  return asking(options, async (ask) => {
    const info = JSON.parse((await ask("/-/console/info.json", "ann")).text);
    const { services, users: shown, ...others } = info;
    assert.deepEqual(others, {
      ...{
        title: "books",
        version: "1.2",
        isMocked: true,
        user: { id: "ann", roles: ["reader"] },
        pages: [],
      },
      ...{ letters: "./-/dead-letters", messages: "./-/messages" },
      channels: [{ name: "messaging", kind: "local-messaging", group: "books" }],
    });
    assert.deepEqual(services, [{
      ...{ name: "my.Cat", doc: "All books", requires: "reader", events: ["sold"] },
      endpoints: [{ protocol: "odata", path: "/odata/v4/cat" }, { protocol: "rest", path: "/rest/cat" }],
      restrictions: {
        Books: ["reader", "any", "authenticated-user"],
        burn: ["boss", "owner"],
        both: ["boss", "late"],
      },
    }, {
      ...{ name: "my.Open", events: [], restrictions: {} },
      endpoints: [{ protocol: "rest", path: "/rest/open" }],
    }]);
    assert.ok(shown.some((one: unknown) => JSON.stringify(one).includes("ann")));
    assert.equal(JSON.parse((await ask("/-/console/info.json")).text).user, null);
  });
});

Deno.test("nobody is mocked with other authentication; pages of front ends are named, and that at / stays theirs", async () => {
  const frontEnds = (pages: string[]) => ({
    has: () => Promise.resolve(false),
    answer: () => Promise.resolve(undefined),
    pages: () => pages,
  });
  const auth = { kind: "basic", users: { ann: { password: "pw" } } };
  const page = async (pages: string[]) => {
    let found: unknown[] = [];
    await asking(
      { kinds: { ...KINDS, frontEnds: frontEnds(pages) }, env: { requires: { auth } } },
      async (ask) => {
        const info = JSON.parse((await ask("/-/console/info.json", "ann")).text);
        const [first, index] = [await ask("/", "ann"), await ask("/index.html", "ann")];
        found = [info.isMocked, info.users, info.pages, first.status, index.status];
      },
    );
    return found;
  };
  assert.deepEqual(await page(["ui/index.html"]), [false, [], ["ui/index.html"], 200, 200]);
  assert.deepEqual(await page(["index.html"]), [false, [], ["index.html"], 404, 404]);
});

Deno.test("files of the console come with their type and a tag, by which they are asked for again", () =>
  asking({}, async (ask) => {
    const { status, text, headers } = await ask("/-/console/a.js");
    assert.deepEqual([status, text], [200, "let a;"]);
    assert.deepEqual(["content-type", "cache-control"].map((name) => headers.get(name)), [
      ...["text/javascript", "no-cache"],
    ]);
    const etag = headers.get("etag")!;
    assert.match(etag, /^".+"$/);
    const again = await ask("/-/console/a.js", undefined, { "if-none-match": etag });
    assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    assert.equal((await ask("/-/console/a.js", undefined, { "if-none-match": '"x"' })).status, 200);
    assert.equal((await ask("/-/console/b.js")).status, 404);
    assert.deepEqual(JSON.parse((await ask("/-/console/sources.json")).text), { value: [] });
  }));

Deno.test("there is a console, a plain page, or nothing: as the configuration says, and with the files only", async () => {
  const production = ["production"];
  const auth = { kind: "basic", users: { op: { password: "pw", roles: ["op"] } } };
  const requires = { auth, db: { kind: "memory" } };
  const without = { ...KINDS, console: undefined };
  const cases: readonly [Partial<RuntimeOptions>, "console" | "plain" | "none"][] = [
    [{}, "console"],
    [{ env: { console: true } }, "console"],
    [{ env: { console: true, server: { index: false } } }, "console"],
    [{ env: { console: false } }, "plain"],
    [{ env: { console: false, server: { index: false } } }, "none"],
    [{ env: { server: { index: false } } }, "none"],
    [{ kinds: without }, "plain"],
    [{ kinds: without, env: { console: true } }, "plain"],
    [{ profiles: production, env: { requires } }, "none"],
    [{ profiles: production, env: { requires, server: { index: true } } }, "plain"],
    [{ profiles: production, env: { requires, console: { requires: "op" } } }, "console"],
    [{ profiles: production, env: { requires, console: false, server: { index: true } } }, "plain"],
  ];
  for (const [options, expected] of cases) {
    await asking(options, async (ask) => {
      const { status, text, headers } = await ask("/", "op");
      const found = status === 404 ? "none" : /<script/.test(text) ? "console" : "plain";
      assert.equal(found, expected, JSON.stringify(options.env));
      assert.equal((await ask("/-/console/a.js", "op")).status, found === "console" ? 200 : 404);
      if (found === "none") return;
      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      const policy = headers.get("content-security-policy")!;
      assert.equal(/script-src 'self'/.test(policy), found === "console");
      assert.equal(/style-src 'unsafe-inline'/.test(policy), found === "plain");
      for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
        assert.ok(policy.includes(part), part);
      }
      assert.equal((await ask("/index.html", "op")).text, text);
    });
  }
});

Deno.test("the console behind roles is for those who have one of them, with the messages of others", () => {
  const users = { op: { password: "pw", roles: ["two"] }, bob: { password: "pw", roles: [] } };
  const requires = {
    auth: { kind: "basic", users },
    db: { kind: "memory" },
    messaging: { kind: "local-messaging" },
  };
  const env = { console: { requires: ["one", "two"] }, requires };
  return asking({ env, profiles: ["production"] }, async (ask) => {
    const paths = [
      "/",
      "/-/console/",
      "/-/console/info.json",
      "/-/console/a.js",
      "/-/messages",
      "/-/dead-letters",
    ];
    for (const path of paths) {
      const statuses = [await ask(path), await ask(path, "bob"), await ask(path, "op")].map(({ status }) =>
        status
      );
      assert.deepEqual(statuses, [401, 403, 200], path);
    }
  });
});

Deno.test("the console shows the sources of the model, where there are any to read", () => {
  const modelSources = () => Promise.resolve([{ file: "a.cds", text: "entity A {}" }] as never);
  return asking({ kinds: { ...KINDS, modelSources } }, async (ask) => {
    const { value } = JSON.parse((await ask("/-/console/sources.json")).text);
    assert.deepEqual(value, [{ file: "a.cds", text: "entity A {}" }]);
  });
});

Deno.test("the last messages are shown where there is a console, and tenants are not kept apart", async () => {
  const of = (env: object, kinds: Kinds = KINDS) =>
    showsMessages({ env: { requires: {}, ...env }, kinds, production: false } as never);
  assert.deepEqual(
    [of({ console: true }), of({}), of({ console: false }), of({ console: true }, {})],
    [true, false, false, false],
  );
  assert.equal(of({ console: true, requires: { multitenancy: true } }), false);
  assert.equal(of({ requires: { multitenancy: true } }), false);
  await asking({
    env: {
      console: { requires: "op" },
      requires: { auth: { kind: "mocked", users: { op: { password: "pw", roles: ["op"] } } } },
    },
  }, async (ask) => {
    assert.deepEqual(JSON.parse((await ask("/-/messages", "op")).text), { value: [] });
  });
});
