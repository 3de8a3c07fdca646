import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { RuntimeOptions } from "../../mod.ts";
import { captureLog } from "../../src/test/capture_log.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";
import { uniqueName } from "../contract/services.ts";

const MODEL = {
  definitions: {
    "db.Books": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, title: { type: "cds.String" } },
    },
    "Shop": { kind: "service" },
    "Shop.Books": {
      kind: "entity",
      projection: { from: { ref: ["db.Books"] } },
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String" },
      },
    },
    "Shop.count": { kind: "function", returns: { type: "cds.Integer" } },
  },
} as const;

const USERS = { operator: { password: "pw", roles: ["operator"] }, bob: { password: "pw" } };

/** Runs something with a runtime, whose log is captured. */
async function withRuntime(
  env: Readonly<Record<string, unknown>>,
  run: (runtime: Runtime, log: ReturnType<typeof captureLog>) => Promise<void>,
  { db = { kind: "sqlite", credentials: { url: ":memory:" } }, ...options }:
    & Partial<RuntimeOptions>
    & { readonly db?: Readonly<Record<string, unknown>> } = {},
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    env: { requires: { auth: { kind: "mocked", users: USERS }, db }, ...env },
    ...options,
  });
  await runtime.start();
  using log = captureLog();
  try {
    await run(runtime, log);
  } finally {
    await runtime.close();
  }
}

async function ask(
  runtime: Runtime,
  path: string,
  init: RequestInit & { user?: string } = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Basic ${btoa(`${init.user ?? "bob"}:pw`)}`);
  const response = await runtime.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
  await response.clone().text();
  return response;
}

const SQL_DEBUG = { levels: { default: "silent", sql: "debug" } };

function insert(title: string): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ID: 1, title }),
  };
}

const databases: Readonly<
  Record<string, () => Promise<[db: Record<string, unknown>, end: () => Promise<void>]>>
> = {
  "SQLite in memory": () =>
    Promise.resolve([{ kind: "sqlite", credentials: { url: ":memory:" } }, async () => {}]),
  "SQLite in a file": async () => {
    const folder = await Deno.makeTempDir();
    return [
      { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } },
      () => Deno.remove(folder, { recursive: true }),
    ];
  },
  "PostgreSQL": () => {
    const schema = uniqueName();
    return Promise.resolve([
      { kind: "postgres", credentials: credentials(schema) },
      () => dropSchemas(schema),
    ]);
  },
};

for (const [name, open] of Object.entries(databases)) {
  Deno.test({
    name: `${name}: the log of SQL names text, duration, rows and who asked, and hides values`,
    ignore: name === "PostgreSQL" && !server.isThere,
    async fn() {
      const [db, end] = await open();
      try {
        await withRuntime({ log: SQL_DEBUG }, async (runtime, log) => {
          assert.equal((await ask(runtime, "/odata/v4/shop/Books", insert("pw-1"))).status, 201);
          assert.match(
            log.output,
            /^\[sql\] - [\d.]+ ms, (1 row|done): INSERT INTO .* \[2 values\] \((CREATE Shop\.Books|POST \/odata\/v4\/shop\/Books)\)$/m,
          );
          assert.match(log.output, /^\[sql\] - [\d.]+ ms, done: COMMIT/m);
          log.clear();
          await ask(runtime, "/odata/v4/shop/Books?$filter=title eq 'pw-1'");
          assert.match(
            log.output,
            /^\[sql\] - [\d.]+ ms, 1 row: SELECT .* \[\d+ values?\] \((READ Shop\.Books|GET \/odata\/v4\/shop\/Books)\)$/m,
          );
          assert.doesNotMatch(log.output, /pw-1/);
        }, { db });
      } finally {
        await end();
      }
    },
  });
}

Deno.test("values are shown where the configuration says so, cut where they are long", async () => {
  await withRuntime({ log: { ...SQL_DEBUG, sanitize_values: false } }, async (runtime, log) => {
    await ask(runtime, "/odata/v4/shop/Books", insert("x".repeat(200)));
    const [line] = log.output.split("\n").filter((one) => one.includes("INSERT"));
    assert.match(line!, /\[1, "x{90,100}…\]/);
  });
});

Deno.test("a statement that fails is logged with the code of its error", async () => {
  await withRuntime({ log: SQL_DEBUG }, async (runtime, log) => {
    await ask(runtime, "/odata/v4/shop/Books", insert("a"));
    log.clear();
    assert.equal((await ask(runtime, "/odata/v4/shop/Books", insert("a"))).status, 409);
    assert.match(log.output, /^\[sql\] - [\d.]+ ms, failed with \w+: INSERT INTO/m);
  });
});

Deno.test("the log of SQL names the place in a handler that asked", async () => {
  const handlers: RuntimeOptions["handlers"] = {
    Shop: (srv) =>
      srv.on("count", async () => {
        const rows = await runtimeOf().db!.run({ SELECT: { from: { ref: ["db.Books"] } } }) as unknown[];
        return rows.length;
      }),
  };
  let runtimeOf: () => Runtime;
  await withRuntime({ log: SQL_DEBUG }, async (runtime, log) => {
    runtimeOf = () => runtime;
    assert.deepEqual((await (await ask(runtime, "/odata/v4/shop/count()")).json()).value, 0);
    assert.match(log.output, /: SELECT .* \(count, \S*statements_test\.ts:\d+\)$/m);
  }, { handlers });
});

Deno.test("slow statements are warnings, whatever is logged otherwise; without a limit there are none", async () => {
  const handlers: RuntimeOptions["handlers"] = {
    Shop: (srv) =>
      srv.on("count", async () => {
        const slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) " +
          "SELECT count(*) AS n FROM n";
        await runtimeOf().db!.run(slow);
        return 1;
      }),
  };
  let runtimeOf: () => Runtime;
  const log = { levels: { default: "warn" } } as const;
  for (const [settings, isWarned] of [[{ slow_sql_ms: 1 }, true], [{}, false]] as const) {
    await withRuntime({ log: { ...log, ...settings } }, async (runtime, captured) => {
      runtimeOf = () => runtime;
      await ask(runtime, "/odata/v4/shop/count()");
      const found = /\[sql\] - WARN slow statement: [\d.]+ ms, 1 row: WITH RECURSIVE .*\(count\)/.test(
        captured.output,
      );
      assert.equal(found, isWarned, captured.output);
    }, { handlers });
  }
});

Deno.test("Server-Timing tells total, login and statements to those with the role, and to nobody else", async () => {
  const server = { timing: { requires: "operator" } };
  const log = { levels: { default: "silent" } };
  await withRuntime({ server, log }, async (runtime) => {
    const seen = await ask(runtime, "/odata/v4/shop/Books", { user: "operator" });
    assert.match(
      seen.headers.get("server-timing") ?? "",
      /^total;dur=[\d.]+, auth;dur=[\d.]+, db;dur=[\d.]+;desc="1 statement"$/,
    );
    assert.equal((await seen.json()).value.length, 0);
    assert.equal((await ask(runtime, "/odata/v4/shop/Books")).headers.get("server-timing"), null);
    const failed = await ask(runtime, "/odata/v4/shop/Nothing", { user: "operator" });
    assert.match(failed.headers.get("server-timing") ?? "", /desc="0 statements"$/);
  });
});

Deno.test("Server-Timing is for everybody in development where it is switched on, and never so in production", async () => {
  const env = { server: { timing: true }, log: { levels: { default: "silent" } } };
  await withRuntime(env, async (runtime) => {
    assert.match((await ask(runtime, "/odata/v4/shop/Books")).headers.get("server-timing") ?? "", /^total;/);
  });
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    profiles: ["production"],
    env: { ...env, requires: { auth: "dummy", db: { kind: "sqlite", credentials: { url: ":memory:" } } } },
  });
  await assert.rejects(runtime.start(), /"fw\.server\.timing" is true, .* name roles/);
});
