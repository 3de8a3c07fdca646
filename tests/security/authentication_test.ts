import assert from "node:assert/strict";
import { createBasicStrategy, sameText } from "../../src/auth/basic_strategy.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { type Setting, USERS, withApp } from "./app.ts";

const NOTES = "GET /odata/v4/members/Notes";
const closed: Setting = { auth: { users: { ...USERS, "*": false } } };

/** Values of `Authorization` that are refused, at public endpoints too. */
const REFUSED: readonly [id: string, what: string, authorization: string][] = [
  ["basic-002", "no colon", `Basic ${btoa("alice")}`],
  ["basic-004", "no name", `Basic ${btoa(":pw")}`],
  ["basic-007", "the name __proto__", `Basic ${btoa("__proto__:")}`],
  ["basic-009", "the name toString", `Basic ${btoa("toString:")}`],
  ["basic-010", "the name hasOwnProperty", `Basic ${btoa("hasOwnProperty:x")}`],
  ["basic-012", "an unknown name", `Basic ${btoa("somebody:")}`],
  ["basic-014", "bytes that are no UTF-8", `Basic ${btoa("\xff\xfe:x")}`],
  ["basic-015", "control characters in the name", `Basic ${btoa("al\r\nice:x")}`],
  ["basic-017", "no value", "Basic "],
  ["basic-020", "100 KB of credentials", `Basic ${btoa(`alice:${"x".repeat(100_000)}`)}`],
];

for (const [id, what, authorization] of REFUSED) {
  Deno.test(`Basic credentials with ${what} are refused (${id})`, () =>
    withApp(closed, async ({ call, lines }) => {
      for (const path of [NOTES, "GET /odata/v4/shop/Books"]) {
        const { status, headers } = await call(path, { headers: { authorization } });
        assert.equal(status, 401, path);
        assert.match(headers.get("www-authenticate")!, /^Basic /);
      }
      assert.ok(!lines.some((line) => /[\r\n]ice/.test(line)));
    }));
}

Deno.test("Basic credentials are split at the first colon (basic-005)", () =>
  withApp(closed, async ({ call }) => {
    assert.equal((await call(NOTES, { as: "bob:s:c:p" })).status, 200);
    assert.equal((await call(NOTES, { as: "bob:s" })).status, 401);
  }));

Deno.test("each login costs one comparison of whole passwords, for unknown names too (basic-019)", async () => {
  const compared: [string, string][] = [];
  const { authenticate } = createBasicStrategy({
    kind: "basic",
    production: false,
    env: { requires: { auth: { users: { bob: { password: "secret" }, nils: {} } } } },
    compare: (...texts) => {
      compared.push(texts);
      return sameText(...texts);
    },
  });
  const login = async (name: string, password: string) => {
    const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}` };
    const result = await authenticate(new Request("http://localhost/", { headers }), new EventContext());
    return "user" in result;
  };
  const given = ["x", "s", "secre", "secret", "secrets"];
  for (const name of ["bob", "nils", "nobody"]) {
    for (const password of given) {
      assert.equal(await login(name, password), name === "nils" || (name === "bob" && password === "secret"));
    }
  }
  const of = (expected: string) => given.map((password) => [expected, password]);
  assert.deepEqual(compared, [...of("secret"), ...of(""), ...of("")]);
});

Deno.test("credentials of another scheme count as none (basic-022)", () =>
  withApp({}, async ({ call }) => {
    const headers = { authorization: "Bearer abc" };
    assert.equal((await call(NOTES, { headers })).status, 401);
    assert.equal((await call("GET /odata/v4/shop/Books", { headers })).status, 200);
  }));

Deno.test("passwords are neither in the log nor in an answer (basic-024)", () =>
  withApp({}, async ({ call, lines }) => {
    for (const password of ["s:c:p", "wr0ng-secret"]) {
      const { text } = await call(NOTES, { as: `bob:${password}` });
      const encoded = btoa(`bob:${password}`);
      for (const line of [...lines, text]) {
        assert.ok(!line.includes(password) && !line.includes(encoded), line);
      }
    }
    assert.ok(lines.length > 0);
  }));

const production: Setting = {
  profiles: ["production"],
  auth: { kind: "basic", users: { bob: USERS.bob, nils: { password: "n" } } },
};

Deno.test("production needs a login for services without requirement (authn-endpoints-001)", () =>
  withApp(production, async ({ call }) => {
    assert.equal((await call("GET /odata/v4/shop/Books")).status, 401);
    assert.equal((await call("GET /odata/v4/shop/Books", { as: "nils:n" })).status, 200);
  }));

Deno.test("no way to write a path gets past the login (authn-endpoints-003)", () =>
  withApp(production, async ({ call }) => {
    const paths = [
      "/odata/v4/members/",
      "/odata/v4/members//",
      "//odata/v4/members",
      "/odata//v4/members/Notes",
    ];
    const encoded = ["/odata%2Fv4/members", "/odata/v4/members%2FNotes", "/odata/v4/%6dembers/Notes"];
    const dots = [
      "/x/../odata/v4/members/Notes",
      "/odata/v4/./members/Notes",
      "/health/../own",
      "/health/%2e%2e/own",
    ];
    for (
      const path of [...paths, ...encoded, ...dots, "/odata/v4/members;x=1/Notes", "/odata/v4/MEMBERS/Notes"]
    ) {
      const { status } = await call(`GET ${path}`);
      assert.ok([400, 401, 404].includes(status), `${path}: ${status}`);
    }
  }));

Deno.test("a batch to an authenticated service is refused as a whole (authn-endpoints-005)", () =>
  withApp(production, async ({ call }) => {
    const body = { requests: [{ id: "1", method: "GET", url: "Notes" }] };
    const { status, text } = await call("POST /odata/v4/members/$batch", { body });
    assert.equal(status, 401);
    assert.ok(!text.includes("responses"));
    assert.equal((await call("POST /odata/v4/members/$batch", { body: "no batch at all" })).status, 401);
  }));

Deno.test("no method gets data or an echo without login (authn-endpoints-006)", () =>
  withApp(production, async ({ call }) => {
    // TRACE cannot be sent with `Request`; other unknown methods stand for it
    for (const method of ["HEAD", "OPTIONS", "REPORT", "PROPFIND", "PATCH", "FOO"]) {
      for (const path of ["/odata/v4/members/Notes", "/odata/v4/members", "/own"]) {
        const { status, text } = await call(`${method} ${path}`, { headers: { "x-secret": "echo-me" } });
        assert.ok([401, 405, 501].includes(status), `${method} ${path}: ${status}`);
        assert.ok(!text.includes("echo-me"));
      }
    }
  }));

Deno.test("own routes of an application need a login (authn-endpoints-008)", () =>
  withApp(production, async ({ call }) => {
    assert.equal((await call("GET /own")).status, 401);
    assert.equal((await call("GET /own", { as: "nils:n" })).text, "own");
  }));

Deno.test("X-HTTP-Method-Override has no effect (authn-endpoints-011)", () =>
  withApp({}, async ({ call }) => {
    for (const header of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      await call("POST /odata/v4/shop/Books(1)", { headers: { [header]: "DELETE" }, body: {} });
      await call("POST /odata/v4/shop/ping", { headers: { [header]: "DELETE" }, body: {} });
    }
    assert.equal((await call("GET /odata/v4/shop/Books(1)")).status, 200);
  }));

Deno.test("credentials inside a batch have no effect (authn-endpoints-013)", () =>
  withApp({}, async ({ call }) => {
    const headers = { authorization: `Basic ${btoa("boris:")}` };
    const body = { requests: [{ id: "1", method: "GET", url: "/odata/v4/area/People", headers }] };
    const { status, json } = await call("POST /odata/v4/area/$batch", { as: "clara:", body });
    assert.equal(status, 200);
    assert.equal((json as { responses: { status: number }[] }).responses[0]!.status, 403);
    const text = [
      "--b",
      "Content-Type: application/http",
      "",
      "GET People HTTP/1.1",
      `Authorization: ${headers.authorization}`,
      "",
      "",
      "--b--",
      "",
    ].join("\r\n");
    const multipart = {
      as: "clara:",
      headers: { "content-type": "multipart/mixed; boundary=b" },
      body: text,
    };
    assert.match((await call("POST /odata/v4/area/$batch", multipart)).text, /HTTP\/1\.1 403/);
  }));

Deno.test("an error of a custom strategy is answered without its text (authn-endpoints-015)", async () => {
  const steps: readonly unknown[] = [
    (_request: Request, _context: unknown) => {
      throw new Error("the secret is 42");
    },
    (_req: unknown, _res: unknown, next: (error: unknown) => void) => next(new Error("the secret is 42")),
    async (_request: Request, _context: unknown) => await Promise.reject("the secret is 42"),
  ];
  for (const step of steps) {
    const kinds = { importModule: () => Promise.resolve({ default: step }) };
    await withApp({ kinds, auth: { kind: undefined, impl: "./auth.ts" } }, async ({ call }) => {
      const { status, text } = await call(NOTES);
      assert.ok([401, 500].includes(status), String(status));
      assert.ok(!text.includes("42"), text);
    });
  }
});

Deno.test("a custom strategy that cannot be loaded stops the start (authn-endpoints-016)", async () => {
  const kinds = { importModule: () => Promise.reject(new Error("no such file")) };
  const start = withApp({ kinds, auth: { kind: undefined, impl: "./missing.ts" } }, async ({ call }) => {
    assert.notEqual((await call(NOTES)).status, 200);
  });
  await assert.rejects(start, ConfigurationError);
});

Deno.test("/health says UP and nothing else, without login (authn-endpoints-018)", () =>
  withApp(production, async ({ call }) => {
    const { status, text } = await call("GET /health");
    assert.deepEqual([status, text], [200, '{"status":"UP"}']);
  }));

const act = "POST /odata/v4/members/act";

const foreign: readonly Record<string, string>[] = [
  { origin: "https://evil.example" },
  { "sec-fetch-site": "cross-site" },
  { origin: "null" },
];
const own: readonly Record<string, string>[] = [
  { origin: "http://localhost" },
  { "sec-fetch-site": "same-origin" },
  {},
];

Deno.test("a cross-site POST with ambient credentials is refused (csrf-001)", () =>
  withApp({}, async ({ call }) => {
    for (const headers of foreign) {
      assert.equal((await call(act, { as: "nils:", headers, body: {} })).status, 403);
    }
  }));

Deno.test("a cross-site form is refused (csrf-003)", () =>
  withApp({}, async ({ call }) => {
    for (
      const type of ["multipart/form-data; boundary=b", "application/x-www-form-urlencoded", "text/plain"]
    ) {
      const headers = { origin: "https://evil.example", "content-type": type };
      const { status } = await call("POST /odata/v4/members/Notes", { as: "nils:", headers, body: "{}" });
      assert.ok([403, 415].includes(status), type);
      const same = await call("POST /odata/v4/members/Notes", {
        as: "nils:",
        headers: { "content-type": type },
        body: "{}",
      });
      assert.equal(same.status, 415, type);
    }
  }));

Deno.test("a POST of the own origin is accepted (csrf-005)", () =>
  withApp({}, async ({ call }) => {
    for (const headers of own) {
      assert.equal((await call(act, { as: "nils:", headers, body: {} })).status, 200);
    }
  }));
