/** When there is an outbox, and what its model has more. */

import assert from "node:assert/strict";
import { modelWithQueues, openOutbox } from "../../src/fw/open_outbox.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import type { DatabaseService } from "../../src/service/database_service.ts";
import { csnOf } from "./shop.ts";

Deno.test("a model has the tables of the outbox where there is a database, unless it is switched off", () => {
  const model = csnOf("entity A { key ID : Integer; }");
  const cases: readonly [object, boolean][] = [
    [{ requires: {} }, false],
    [{ requires: { db: false } }, false],
    [{ requires: { db: {} } }, true],
    [{ requires: { db: {} }, outbox: true }, true],
    [{ requires: { db: {} }, outbox: {} }, true],
    [{ requires: { db: {} }, outbox: false }, false],
  ];
  for (const [env, hasTables] of cases) {
    const made = modelWithQueues(model, env as never);
    assert.equal(made === model, !hasTables, JSON.stringify(env));
    assert.equal(Object.hasOwn(made.definitions!, "fw.outbox.Messages"), hasTables);
  }
});

Deno.test("there is an outbox where the database keeps one; who asks for it in vain is told", async () => {
  const open = async (outbox: unknown, keeps: boolean, multitenancy?: boolean) => {
    const database = { kind: "own", ...keeps && { claim: () => {} } };
    const db = {
      database: (tenant: unknown) => {
        assert.ok(!multitenancy, "there is none without tenant");
        assert.equal(tenant, undefined);
        return Promise.resolve(database);
      },
    } as unknown as DatabaseService;
    const env = { outbox, requires: { multitenancy } };
    const runtime = { env, name: "app", limits: {}, log: () => ({}) } as unknown as RuntimeParts;
    return await openOutbox(runtime, db);
  };
  assert.equal(await open(false, true), undefined);
  assert.equal(await open(undefined, false), undefined);
  for (const outbox of [undefined, true, {}, { leaseMs: 5 }]) {
    const made = await open(outbox, true);
    assert.deepEqual([made!.isFor(undefined), made!.isFor("t1")], [true, true]);
  }
  for (const outbox of [true, {}]) {
    await assert.rejects(open(outbox, false), {
      name: "ConfigurationError",
      message: 'The database "own" keeps no outbox: set "fw.outbox" to false',
    });
  }
  const tenants = await open(undefined, false, true);
  assert.deepEqual([tenants!.isFor(undefined), tenants!.isFor("t1")], [false, true]);
});
