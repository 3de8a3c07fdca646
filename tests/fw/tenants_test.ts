import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { compileText } from "../../src/deno/compiler.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { AuthenticationStrategy } from "../../src/auth/strategy.ts";
import { User } from "../../src/context/user.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { databaseOpener } from "../../src/fw/open_database.ts";
import { TenantDatabases } from "../../src/fw/tenant_databases.ts";
import { LIST_OWNER, TENANT_JOBS, TenantList, tenantListModel } from "../../src/fw/tenants/tenant_list.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";

const MODEL = compileText(`
  entity db.Books { key ID : Integer; title : String; }
  service Shop { entity Books as projection on db.Books; function hello() returns String; }`);

/** Believes what a header says, like a strategy for tokens whose tenants are anybody's. */
const ANYBODY: AuthenticationStrategy = {
  kind: "anybody",
  challenge: "Bearer",
  authenticate: ({ headers }) => {
    const [id, tenant, ...roles] = (headers.get("authorization") ?? "").split(" ");
    return id ? { user: new User({ id, roles }), tenant } : { anonymous: true };
  },
};

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

type Ask = (method: string, path: string, who: string, body?: unknown) => Promise<Answer>;

async function withShop(
  db: Readonly<Record<string, unknown>>,
  run: (ask: Ask) => Promise<void>,
  env: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: { ...denoKinds, strategies: { anybody: () => ANYBODY } },
    env: {
      requires: { multitenancy: true, auth: { kind: "anybody" }, db },
      tenants: { requires: "cds.Subscriber" },
      log: { levels: { default: "silent" } },
      ...env,
    },
    handlers: { Shop: (srv) => srv.on("hello", () => "hello") },
  });
  try {
    await runtime.start();
    await run(async (method, path, who, body) => {
      const headers = { authorization: who, "content-type": "application/json" };
      const init = { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } };
      const response = await runtime.fetch(new Request(`http://localhost${path}`, init));
      return { status: response.status, text: await response.text(), headers: response.headers };
    });
  } finally {
    await runtime.close();
  }
}

async function withFiles(
  run: (folder: string, db: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder, { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const BOOKS = "/odata/v4/shop/Books";
const TENANT = "/-/cds/saas-provisioning/tenant";
const PLATFORM = "platform provider cds.Subscriber";

Deno.test("tokens of unknown tenants are 403 everywhere and make no database, however many there are", async () => {
  await withFiles(async (folder, db) => {
    await withShop(db, async (ask) => {
      for (let i = 0; i < 20; i++) assert.equal((await ask("GET", BOOKS, `eve stranger${i}`)).status, 403);
      assert.equal((await ask("GET", "/odata/v4/shop/hello()", "eve stranger")).status, 403);
      const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
      assert.ok(names.every((name) => !name.includes("stranger")), names.join());
    });
  });
});

Deno.test("the platform subscribes and unsubscribes tenants; whoever has no role sees nothing", async () => {
  await withFiles(async (folder, db) => {
    await withShop(db, async (ask) => {
      assert.equal((await ask("PUT", `${TENANT}/t1`, "eve t1", {})).status, 403);
      assert.equal((await ask("GET", TENANT, "")).status, 401);
      assert.equal((await ask("GET", `${TENANT}/t1`, PLATFORM)).status, 404);
      const subscribed = await ask("PUT", `${TENANT}/t1`, PLATFORM, { subscribedSubdomain: "acme" });
      assert.deepEqual([subscribed.status, subscribed.text], [201, "http://localhost"]);
      assert.equal((await ask("GET", BOOKS, "ann t1")).status, 200);
      const known = JSON.parse((await ask("GET", `${TENANT}/t1`, PLATFORM)).text);
      assert.deepEqual([known.tenant, known.status, known.subscribedSubdomain], ["t1", "ready", "acme"]);
      assert.equal(
        (await ask("PUT", `${TENANT}/t1`, PLATFORM, { subscribedSubdomain: "other" })).status,
        200,
      );
      assert.equal((await ask("POST", BOOKS, "ann t1", { ID: 1 })).status, 201);
      assert.equal((await ask("DELETE", `${TENANT}/t1`, PLATFORM)).status, 204);
      assert.equal((await ask("GET", BOOKS, "ann t1")).status, 403);
      assert.throws(() => Deno.statSync(`${folder}/shop-t1.sqlite`), Deno.errors.NotFound);
      assert.equal((await ask("DELETE", `${TENANT}/t1`, PLATFORM)).status, 204);
      for (
        const [method, path, body] of [["PUT", `${TENANT}/_x`, {}], ["PUT", `${TENANT}/t1`, []]] as const
      ) {
        assert.equal((await ask(method, path, PLATFORM, body)).status, 400);
      }
    });
  });
});

Deno.test("upgrades run behind their answer and tell their state; those of strangers are 404", async () => {
  await withFiles(async (_folder, db) => {
    await withShop(db, async (ask) => {
      for (const tenant of ["t1", "t2"]) {
        await ask("POST", "/-/cds/deployment/subscribe", PLATFORM, { tenant });
      }
      const begun = await ask("POST", "/-/cds/saas-provisioning/upgrade", PLATFORM, { tenants: ["*"] });
      assert.equal(begun.status, 202);
      const location = begun.headers.get("location")!;
      let job = JSON.parse(begun.text);
      for (let i = 0; job.status === "RUNNING" && i < 200; i++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        job = JSON.parse((await ask("GET", location, PLATFORM)).text);
      }
      assert.deepEqual(job.tenants, { t1: { status: "FINISHED" }, t2: { status: "FINISHED" } });
      assert.equal(job.status, "FINISHED");
      for (
        const tenants of ["*", ["*", "t1"], ["t1", "*"], ["t1", 7], "t1", null, {}, { length: 1, 0: "*" }]
      ) {
        const wrong = await ask("POST", "/-/cds/saas-provisioning/upgrade", PLATFORM, { tenants });
        assert.equal(wrong.status, 400, JSON.stringify(tenants));
      }
      const stranger = await ask("POST", "/-/cds/deployment/upgrade", PLATFORM, { tenant: "t9" });
      assert.equal(stranger.status, 404);
      assert.equal((await ask("GET", "/-/cds/jobs/none", PLATFORM)).status, 404);
    });
  });
});

Deno.test("every process tells how an upgrade goes, and that the one has ended which did it", async () => {
  await withFiles(async (_folder, db) => {
    await withShop(db, async (one) => {
      await withShop(db, async (other) => {
        await one("PUT", `${TENANT}/t1`, PLATFORM, {});
        const begun = await one("POST", "/-/cds/saas-provisioning/upgrade", PLATFORM, {});
        const location = begun.headers.get("location")!;
        const tell = async () => JSON.parse((await other("GET", location, PLATFORM)).text);
        while ((await tell()).status === "RUNNING") await new Promise((resolve) => setTimeout(resolve, 5));
        assert.deepEqual(await tell(), {
          ID: JSON.parse(begun.text).ID,
          status: "FINISHED",
          tenants: { t1: { status: "FINISHED" } },
        });
        const openList = await databaseOpener({
          env: { requires: { db } },
          kinds: denoKinds,
          model: tenantListModel(),
        });
        const list = new TenantList(() => openList(LIST_OWNER));
        const tenants = JSON.stringify({ t1: { status: "FINISHED" }, t2: { status: "QUEUED" } });
        const data = { status: "RUNNING", tenants, at: new Date(Date.now() - 60_000).toISOString() };
        await list.run({ UPDATE: { entity: TENANT_JOBS, data } });
        const { status, tenants: told } = await tell();
        assert.deepEqual([status, told.t1, told.t2.status], ["FAILED", { status: "FINISHED" }, "FAILED"]);
        assert.match(told.t2.error, /process that did the upgrade has ended/);
        for (let count = 0; count < 52; count++) {
          await one("POST", "/-/cds/saas-provisioning/upgrade", PLATFORM, {});
        }
        assert.equal((await list.run({ SELECT: { from: { ref: [TENANT_JOBS] } } }) as unknown[]).length, 50);
        await list.close();
      });
    });
  });
});

Deno.test("without roles in the configuration there are no endpoints for tenants", async () => {
  await withFiles(async (_folder, db) => {
    await withShop(db, async (ask) => {
      assert.equal((await ask("GET", TENANT, PLATFORM)).status, 404);
    }, { tenants: undefined });
  });
});

Deno.test("a process has as many databases open as its limit says; more are 503 while the others are in use", async () => {
  await withFiles(async (_folder, db) => {
    const one = { limits: { tenantDatabases: 1 } };
    await withShop(db, async (ask) => {
      for (const tenant of ["t1", "t2"]) await ask("PUT", `${TENANT}/${tenant}`, PLATFORM, {});
      assert.equal((await ask("GET", BOOKS, "ann t1")).status, 200);
      assert.equal((await ask("GET", BOOKS, "bob t2")).status, 503);
      assert.equal((await ask("GET", BOOKS, "ann t1")).status, 200);
    }, one);
  });
});

Deno.test("TenantDatabases closes what was not used for longest for another tenant, and opens it again", async () => {
  const log: string[] = [];
  const busy = new Set<string>();
  const databases = new TenantDatabases({
    multitenancy: true,
    limit: 2,
    idleMs: 0,
    isBusy: (tenant) => busy.has(tenant),
    data: () => undefined,
    closing: (tenant) => Promise.resolve(void log.push(`left ${tenant}`)),
    open: (tenant) => {
      log.push(`open ${tenant}`);
      const database = createMemoryDatabase({ model: linkModel({ definitions: {} }), options: {} });
      return Promise.resolve(
        Object.assign(database, { close: () => Promise.resolve(void log.push(`close ${tenant}`)) }),
      );
    },
  });
  for (const tenant of ["t1", "t2"]) await databases.of(tenant);
  databases.use("t1");
  await databases.of("t3");
  await databases.of("t2");
  assert.deepEqual(log, [
    "open t1",
    "open t2",
    "left t2",
    "close t2",
    "open t3",
    "left t1",
    "close t1",
    "open t2",
  ]);
  busy.add("t3");
  await databases.of("t1");
  assert.deepEqual(log.slice(-3), ["left t2", "close t2", "open t1"]);
  busy.add("t1");
  await assert.rejects(async () => await databases.of("t2"), { status: 503 });
  await databases.close();
});

Deno.test("a tenant may have a database of its own, which nobody else's configuration may name", async () => {
  await withFiles(async (folder, db) => {
    const own = { credentials: { url: `${folder}/own.sqlite` } };
    await withShop({ ...db, tenants: { t1: own } }, async (ask) => {
      assert.equal((await ask("POST", BOOKS, "ann t1", { ID: 1 })).status, 201);
      assert.ok(Deno.statSync(`${folder}/own.sqlite`).isFile);
      assert.throws(() => Deno.statSync(`${folder}/shop-t1.sqlite`), Deno.errors.NotFound);
    });
    await assert.rejects(
      withShop({ ...db, tenants: { t1: own, t2: own } }, () => Promise.resolve()),
      /"fw\.requires\.db\.tenants\.t2\.credentials" are those of tenant "t1"/,
    );
  });
});

Deno.test({
  name: "on PostgreSQL a tenant that unsubscribes leaves no schema",
  ignore: !server.isThere,
  async fn() {
    const schema = uniqueName();
    try {
      await withShop({ kind: "postgres", credentials: credentials(schema) }, async (ask) => {
        assert.equal((await ask("PUT", `${TENANT}/t1`, PLATFORM, {})).status, 201);
        assert.equal((await ask("POST", BOOKS, "ann t1", { ID: 1 })).status, 201);
        assert.equal((await ask("DELETE", `${TENANT}/t1`, PLATFORM)).status, 204);
        assert.equal((await ask("GET", BOOKS, "ann t1")).status, 403);
        assert.equal((await ask("PUT", `${TENANT}/t1`, PLATFORM, {})).status, 201);
        assert.deepEqual(JSON.parse((await ask("GET", BOOKS, "ann t1")).text).value, []);
      });
    } finally {
      await dropSchemas(`${schema}_t1`, `${schema}__5f_tenants`, schema);
    }
  },
});
