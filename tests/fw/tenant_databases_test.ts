/** The engines of tenants: when they are opened, shared, let go, and who is refused (spec 2.1). */

import assert from "node:assert/strict";
import {
  isMultitenant,
  TenantDatabases,
  type TenantDatabasesOptions,
} from "../../src/fw/tenant_databases.ts";
import type { Database } from "../../src/service/database.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Databases that note what happens to them; a step may fail. */
function recording(options: Partial<TenantDatabasesOptions> = {}, fails: readonly string[] = []) {
  const done: string[] = [];
  const step = async (name: string) => {
    await turn();
    done.push(name);
    if (fails.includes(name)) throw new Error(`${name} failed`);
  };
  const databases = new TenantDatabases({
    multitenancy: true,
    data: () => new Map(),
    opened: (tenant) => void done.push(`opened ${tenant}`),
    closing: (tenant) => turn().then(() => step(`closing ${tenant}`)),
    open: async (tenant) => {
      await step(`open ${tenant}`);
      return {
        deploy: async () => {
          await step(`deploy ${tenant}`);
          return { filled: [`of ${tenant}`], statements: [] };
        },
        reset: (data: unknown) => step(`reset ${tenant} ${data instanceof Map}`),
        close: () => step(`close ${tenant}`),
      } as unknown as Database;
    },
    ...options,
  });
  return { databases, done, take: () => done.splice(0) };
}

/** Runs a test whose clock only moves when it says so. */
async function withClock(test: (pass: (ms: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance;
  let at = 1_000_000;
  performance.now = () => at;
  try {
    await test((ms) => at += ms);
  } finally {
    performance.now = now;
  }
}

Deno.test("a configuration keeps tenants apart where multitenancy is true, and nothing else", () => {
  for (const multitenancy of [true, false, undefined, null, {}, "true"]) {
    assert.equal(isMultitenant({ requires: { multitenancy } } as never), multitenancy === true);
  }
});

Deno.test("each tenant has one engine, which all who ask meanwhile wait for", async () => {
  const { databases, take } = recording();
  await databases.start();
  assert.deepEqual(take(), [], "nothing is opened before somebody asks");
  assert.equal(databases.opened("t1"), undefined);
  const [one, same, other] = await Promise.all([databases.of("t1"), databases.of("t1"), databases.of("t2")]);
  assert.equal(one, same);
  assert.notEqual(one, other);
  assert.deepEqual(take(), ["open t1", "open t2", "deploy t1", "opened t1", "deploy t2", "opened t2"]);
  assert.equal(databases.of("t1"), one);
  assert.equal(databases.opened("t1"), one);
  assert.deepEqual(databases.all(), [one, other]);
  assert.deepEqual(databases.filled, []);
  await databases.reset();
  assert.deepEqual(take(), ["reset t1 true", "reset t2 true"]);
  await databases.close();
  assert.deepEqual(take(), ["close t1", "close t2"]);
  assert.deepEqual(databases.all(), []);
});

Deno.test("without multitenancy all have the same engine, which is opened at the start", async () => {
  const { databases, take } = recording({ multitenancy: false });
  await databases.start();
  assert.deepEqual(take(), ["open undefined", "deploy undefined"]);
  const one = databases.of(undefined);
  for (const tenant of ["t1", "not a tenant!", undefined]) {
    assert.equal(databases.of(tenant), one);
    assert.equal(databases.opened(tenant), one);
  }
  assert.deepEqual([databases.filled, take()], [["of undefined"], []]);
});

Deno.test("nobody without tenant, and no malformed one, has an engine", () => {
  const { databases, take } = recording();
  const cases = [[undefined, "without tenant"], ["", "for a malformed tenant"], [
    "../x",
    "for a malformed tenant",
  ]] as const;
  for (const [tenant, reason] of cases) {
    assert.throws(() => databases.of(tenant), (error: { status: number; cause: Error }) => {
      assert.deepEqual([error.status, error.cause.message], [401, `The database was asked ${reason}`]);
      return true;
    });
  }
  assert.deepEqual(take(), []);
});

Deno.test("strangers are refused before anything is opened, and what fails is tried again by the next one", async () => {
  const admitted = new Set(["t1"]);
  const { databases, take } = recording({
    admit: (tenant) => {
      if (!admitted.has(tenant)) throw new Error(`${tenant} is a stranger`);
    },
  });
  await assert.rejects(async () => await databases.of("t2"), /t2 is a stranger/);
  assert.deepEqual(take(), []);
  await databases.of("t1");
  admitted.add("t2");
  await databases.of("t2");
  assert.equal(databases.all().length, 2);
  const failing = recording({}, ["deploy t1"]);
  await assert.rejects(async () => await failing.databases.of("t1"), /deploy t1 failed/);
  assert.deepEqual(failing.take(), ["open t1", "deploy t1", "close t1"]);
  assert.equal(failing.databases.opened("t1"), undefined);
  await assert.rejects(async () => await failing.databases.of("t1"), /deploy t1 failed/);
  assert.deepEqual(failing.take(), ["open t1", "deploy t1", "close t1"]);
});

Deno.test("the engine that was used for longest makes room, if it was idle for long enough and is not busy", () =>
  withClock(async (pass) => {
    const busy = new Set<string>();
    const { databases, take } = recording({ limit: 2, idleMs: 100, isBusy: (tenant) => busy.has(tenant) });
    const refused = { status: 503, cause: new Error("The databases of 2 tenants are in use") };
    const full = async (tenant: string) =>
      await assert.rejects(async () => await databases.of(tenant), (error: typeof refused) => {
        assert.deepEqual([error.status, error.cause.message], [refused.status, refused.cause.message]);
        return true;
      });
    await databases.of("t1");
    pass(50);
    await databases.of("t2");
    pass(49);
    await full("t3");
    pass(1);
    take();
    await databases.of("t3");
    assert.deepEqual(take(), ["closing t1", "close t1", "open t3", "deploy t3", "opened t3"]);
    pass(60);
    databases.use("t2");
    pass(40);
    await databases.of("t4");
    assert.deepEqual(take(), ["closing t3", "close t3", "open t4", "deploy t4", "opened t4"], "t2 was used");
    pass(200);
    busy.add("t2");
    await databases.of("t5");
    assert.deepEqual(take(), ["closing t4", "close t4", "open t5", "deploy t5", "opened t5"], "t2 is busy");
    busy.add("t5");
    pass(200);
    await full("t6");
    busy.clear();
    await full("t6");
    pass(100);
    await databases.of("t6");
    assert.deepEqual(take(), ["closing t2", "close t2", "open t6", "deploy t6", "opened t6"]);
  }));

Deno.test("an engine is let go once it is there, and opened again by the next who asks", async () => {
  const { databases, take } = recording();
  const opening = databases.of("t1");
  await databases.release("t1");
  assert.deepEqual(take(), ["open t1", "deploy t1", "opened t1", "closing t1", "close t1"]);
  assert.equal(databases.opened("t1"), undefined);
  await opening;
  await databases.release("t1");
  assert.deepEqual(take(), [], "there is nothing to let go");
  await databases.of("t1");
  assert.deepEqual(take(), ["open t1", "deploy t1", "opened t1"]);
  databases.use("t2");
  await databases.close();
  assert.deepEqual(take(), ["close t1"]);
});

Deno.test("an engine that cannot be opened is let go without a word, and closing waits for those that are being opened", async () => {
  const failing = recording({}, ["open t1"]);
  const opening = failing.databases.of("t1") as Promise<Database>;
  await Promise.all([assert.rejects(opening, /open t1 failed/), failing.databases.release("t1")]);
  assert.deepEqual(failing.take(), ["open t1"]);
  const { databases, take } = recording();
  const both = [databases.of("t1"), databases.of("t2")];
  await databases.close();
  assert.deepEqual(take(), [
    ...["open t1", "open t2", "deploy t1", "opened t1", "deploy t2", "opened t2", "close t1", "close t2"],
  ]);
  await Promise.all(both);
});
