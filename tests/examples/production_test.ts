import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { createCertificate, createIdentity } from "../../src/test/mod.ts";
import { REPOSITORY } from "../deno/project.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT", "FOO"];

/** All paths that the services of a runtime answer, whatever the model holds. */
function pathsOf(runtime: Runtime): string[] {
  return runtime.endpoints.flatMap(({ path, service }) => {
    const { entities, operations } = service.definition!;
    const below = [...entities].flatMap((entity) => {
      const name = entity.$localName.replaceAll(".", "_");
      const members = [...entity.elements].map((element) => `${name}(1)/${element.name}`);
      const bound = [...entity.actions].map((action) => `${name}(1)/${action.name}`);
      return [name, `${name}(1)`, `${name}/$count`, `${name}?$filter=(((`, ...members, ...bound];
    });
    const unbound = [...operations].flatMap((one) => {
      const name = one.name.slice(service.name.length + 1);
      return [name, `${name}()`];
    });
    const own = [
      "$metadata",
      "$metadata?$format=json",
      "$batch",
      "$entity",
      "$crossjoin",
      "nothing",
      ...below,
      ...unbound,
    ];
    return [path, `${path}/`, ...own.map((rest) => `${path}/${rest}`)];
  });
}

const identity = createIdentity({ kind: "oauth2" });
const bound = createIdentity({ kind: "oidc" });
const certificate = (await createCertificate({ subject: "CN=client" })).header;

/** Strategies, and requests of nobody: without credentials, and with some that are worth nothing. */
const STRATEGIES: readonly (readonly [name: string, auth: object, headers: Record<string, string>[]])[] = [
  ["basic", { kind: "basic", users: { zoe: { password: "1" } } }, [{}, {
    authorization: `Basic ${btoa("zoe:")}`,
  }]],
  ["oauth2", { kind: "oauth2", credentials: identity.credentials }, [{}, { authorization: "Bearer a.b.c" }]],
  ["oidc", { kind: "oidc", credentials: bound.credentials }, [{}, {
    "x-forwarded-client-cert": certificate,
  }]],
];

for (const [name, auth, callers] of STRATEGIES) {
  Deno.test(`the bookshop in production rejects unauthenticated requests of every method to all endpoints: ${name} [5.5.4]`, async () => {
    const { runtime } = await loadProject(`${REPOSITORY}/examples/bookshop`, {
      variables: { FW_ENV: "production" },
      env: {
        log: { levels: { default: "silent" } },
        requires: { auth, db: { kind: "sqlite" }, messaging: false },
        server: { index: true },
      },
    });
    runtime.app.get("/own", (c) => c.text("own"));
    await runtime.start();
    try {
      assert.ok(runtime.endpoints.length >= 2);
      const paths = [...pathsOf(runtime), "/", "/index.html", "/own"];
      assert.ok(paths.length > 100);
      const answered: string[] = [];
      for (const path of paths) {
        for (const method of METHODS) {
          for (const headers of callers) {
            const response = await runtime.fetch(new Request(`http://localhost${path}`, { method, headers }));
            const text = await response.text();
            const isRefused = response.status === 401 && !/Wuthering|Bront/.test(text) &&
              response.headers.has("www-authenticate");
            if (!isRefused) answered.push(`${method} ${path} ${response.status}`);
          }
        }
      }
      assert.deepEqual(answered, []);
      const health = await runtime.fetch(new Request("http://localhost/health"));
      assert.deepEqual([health.status, await health.json()], [200, { status: "UP" }]);
    } finally {
      await runtime.close();
    }
  });
}
