/** Where states of collections are kept: in this process, or in a table beside the outbox. */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import type { DatabaseFactory } from "../../../src/service/database.ts";
import { DatabaseService } from "../../../src/service/database_service.ts";
import type { ServiceHost } from "../../../src/service/host.ts";
import { inOwnTransaction } from "../../../src/service/own_work.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { CLIENT_TABLES } from "../../../src/odata/kept_for_clients.ts";
import {
  MemorySnapshots,
  type SnapshotRow,
  type SnapshotStore,
} from "../../../src/odata/snapshots/snapshot_store.ts";
import { StoredSnapshots } from "../../../src/odata/snapshots/stored_snapshots.ts";
import { recordingLog } from "../../messaging/channels.ts";
import { withClock } from "../../security/clock.ts";
import { ENGINES } from "../engines.ts";

const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
const [FIRST, SECOND] = [id(8), id(9)];

function state(number: number, more: Partial<SnapshotRow> = {}): SnapshotRow {
  return {
    ...{ ID: id(number), series: FIRST, number, base: null, owner: "ann", place: "here" },
    ...{ length: 2, sinceBase: 0, data: `d${number}`, ...more },
  };
}

/** Stores of two applications with two services each in one table. */
async function openTable(factory: DatabaseFactory) {
  const model = linkModel({ definitions: CLIENT_TABLES });
  const database = await factory({ model, options: { credentials: { url: ":memory:" } } });
  await database.deploy(new Map());
  const log = recordingLog();
  const host = {
    model,
    env: {},
    limits: DEFAULT_LIMITS,
    services: {},
    log: () => log,
  } as unknown as ServiceHost;
  const db = new DatabaseService({ name: "db", host, database: () => database, opened: () => database });
  const of = (application: string, service: string) =>
    new StoredSnapshots({ run: (work) => inOwnTransaction(db, undefined, work), application, service });
  return { of, close: async () => await database.close() };
}

async function assertKeeps(store: SnapshotStore): Promise<void> {
  const kept = async () => {
    const found: number[] = [];
    for (let number = 0; number < 8; number++) if (await store.find(id(number))) found.push(number);
    return found;
  };
  const rows = [
    state(0),
    state(1, { base: id(0), length: 3, sinceBase: 3, place: "there" }),
    state(2, { base: id(0), length: 4 }),
    state(3),
    state(4, { base: id(3) }),
    state(5, { series: SECOND, owner: "bob", number: 0, length: 7 }),
  ];
  for (const row of rows) await store.add(row);
  for (const row of rows) {
    const found = (await store.find(row.ID))!;
    assert.deepEqual({ ...found.row }, row);
    assert.equal(found.base, row.base === null ? undefined : `d${row.base.at(-1)}`);
    assert.ok(found.ageMs >= 0 && found.ageMs < 60_000);
  }
  assert.equal(await store.find(id(7)), undefined);
  const sizes = (await store.sizes()).map(({ series, owner, length }) => [series, owner, length]);
  assert.deepEqual(sizes.toSorted(), [[FIRST, "ann", 13], [SECOND, "bob", 7]]);
  // a base stays as long as a later state needs it
  await store.forgetUpTo(FIRST, 1);
  assert.deepEqual(await kept(), [0, 2, 3, 4, 5]);
  await store.forgetUpTo(FIRST, 1);
  await store.forgetUpTo(SECOND, -1);
  assert.deepEqual(await kept(), [0, 2, 3, 4, 5]);
  await store.forgetUpTo(FIRST, 2);
  assert.deepEqual(await kept(), [3, 4, 5]);
  await store.renew(id(3));
  await store.renew(id(7));
  assert.deepEqual(await kept(), [3, 4, 5]);
  await store.forget([SECOND, id(6)]);
  assert.deepEqual(await kept(), [3, 4]);
  await store.forget([FIRST]);
  assert.deepEqual(await kept(), []);
  assert.deepEqual(await store.sizes(), []);
}

Deno.test("states are kept in this process until their series is forgotten, a base as long as it is needed", async () => {
  await assertKeeps(new MemorySnapshots());
});

Deno.test("the series whose state is youngest is told first, with the age of that state (this process)", () =>
  withClock(async (forward) => {
    const store = new MemorySnapshots();
    store.add(state(0));
    forward(10);
    store.add(state(5, { series: SECOND }));
    forward(10);
    const ages = () => store.sizes().map(({ series, ageMs }) => [series, ageMs]);
    assert.deepEqual(ages(), [[SECOND, 10], [FIRST, 20]]);
    assert.equal(store.find(id(0))!.ageMs, 20);
    store.renew(id(0));
    forward(5);
    assert.deepEqual(ages(), [[FIRST, 5], [SECOND, 15]]);
    assert.equal(store.find(id(0))!.ageMs, 5);
    store.clear();
    assert.deepEqual(ages(), []);
    await Promise.resolve();
  }));

for (const [engine, factory] of Object.entries(ENGINES)) {
  Deno.test(`states are kept in a table, those of each application and service for themselves (${engine})`, async () => {
    const table = await openTable(factory);
    try {
      const others = [table.of("app", "T"), table.of("other", "S")];
      for (const [at, other] of others.entries()) await other.add(state(6 + at));
      await assertKeeps(table.of("app", "S"));
      for (const [at, other] of others.entries()) {
        assert.equal((await other.find(id(6 + at)))?.row.ID, id(6 + at));
        assert.equal((await other.sizes()).length, 1);
      }
    } finally {
      await table.close();
    }
  });
}
