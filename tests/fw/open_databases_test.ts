/** The databases of a runtime: what opens them, who is admitted, and when they make room for others. */

import assert from "node:assert/strict";
import { openDatabases } from "../../src/fw/open_databases.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

const MODEL = linkModel(csnOf("entity A { key ID : Integer; }"));

/** Databases that note what happens to them, as stored ones. */
async function opening(requires: object, more: object = {}) {
  const done: string[] = [];
  const create = ({ tenant }: { readonly tenant?: string }) => {
    done.push(`open ${tenant}`);
    return Promise.resolve({
      kind: "sqlite",
      deploy: () => Promise.resolve({ filled: ["A"], statements: [] }),
      close: () => Promise.resolve(void done.push(`close ${tenant}`)),
      begin: () => ({ run: () => [], commit: () => {}, rollback: () => {} }),
    });
  };
  const runtime = {
    env: { requires },
    kinds: { databases: { sqlite: () => create, memory: () => create } },
    limits: { tenantDatabases: 1, handlerMs: 100 },
    deployedModel: MODEL,
    log: () => ({ warn: () => {} }),
    ...more,
  } as unknown as RuntimeParts;
  const opened = await openDatabases(runtime, {
    ...{ watchers: { kinds: {} }, isBusy: () => false, data: () => undefined },
    opened: (tenant) => void done.push(`opened ${tenant}`),
    closing: (tenant) => Promise.resolve(void done.push(`closing ${tenant}`)),
  });
  return { ...opened, done };
}

Deno.test("the database of a tenant makes room for that of another one after twice the time of a request", async () => {
  const { now } = performance;
  let at = 5_000;
  performance.now = () => at;
  try {
    const db = { kind: "sqlite", credentials: { url: "own.db" }, tenants: { t1: {}, t2: {} } };
    const { databases, done } = await opening({ multitenancy: true, db });
    await databases.of("t1");
    at += 199;
    await assert.rejects(async () => await databases.of("t2"), { status: 503 });
    at += 1;
    await databases.of("t2");
    assert.deepEqual(done, ["open t1", "opened t1", "closing t1", "close t1", "open t2", "opened t2"]);
    await assert.rejects(async () => await databases.of("stranger"), { status: 403 });
  } finally {
    performance.now = now;
  }
});

Deno.test("databases in memory stay open, and admit every tenant", async () => {
  const { databases, tenants, done } = await opening({ multitenancy: true, db: { kind: "memory" } });
  assert.equal(tenants, undefined);
  for (const tenant of ["t1", "t2", "t3"]) await databases.of(tenant);
  assert.deepEqual(done.filter((what) => what.startsWith("clos")), []);
  assert.equal(databases.all().length, 3);
});

Deno.test("the service asks for the database of the tenant, and tells which one is open", async () => {
  const { service, databases } = await opening({ db: { kind: "sqlite", own: 1 } });
  assert.equal(service.opened(undefined), undefined);
  const database = await service.database(undefined);
  assert.equal(service.opened(undefined), database);
  assert.equal(databases.opened(undefined), database);
  assert.deepEqual([service.name, service.options], ["db", { kind: "sqlite", own: 1 }]);
});

Deno.test("engines are told to who watches, and statements where requests are explained", async () => {
  const observed: string[] = [];
  const telemetry = { observe: (name: string) => void observed.push(name) };
  await opening({ db: { kind: "sqlite" } }, { telemetry });
  assert.ok(observed.includes("fw.cache.entries"), observed.join());
});
