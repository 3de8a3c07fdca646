/**
 * The rules of queued work that every database engine keeps.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { OUTBOX_MESSAGES, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { ClaimRequest, Database, DatabaseTransaction } from "../../src/service/database.ts";

/** An engine under test. */
export interface QueueContract {
  readonly name: string;
  readonly open: (model: LinkedModel) => Database | Promise<Database>;
}

const NOW = "2026-01-01T00:00:00.000Z";
const LATER = "2026-01-01T00:00:30.000Z";
const AFTERWARDS = "2026-01-01T00:01:00.000Z";

function claim(given: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    entity: OUTBOX_MESSAGES,
    target: "t",
    application: "app",
    owner: "w1",
    now: NOW,
    lockedUntil: LATER,
    limit: 10,
    ...given,
  };
}

function row(ID: string, given: Row = {}): Row {
  return { ID, target: "t", appid: "app", due: NOW, partition: 0, attempts: 0, ...given };
}

async function inTransaction(
  database: Database,
  run: (tx: DatabaseTransaction) => unknown,
): Promise<unknown> {
  const tx = database.begin(new EventContext());
  const result = await run(tx);
  await tx.commit();
  return result;
}

function add(database: Database, ...rows: readonly Row[]): Promise<unknown> {
  return inTransaction(database, (tx) => {
    for (const one of rows) tx.enqueue!(OUTBOX_MESSAGES, one);
  });
}

function change(database: Database, ID: string, data: Row): Promise<unknown> {
  const where = [{ ref: ["ID"] }, "=", { val: ID }];
  return inTransaction(
    database,
    (tx) => tx.run({ UPDATE: { entity: OUTBOX_MESSAGES, data, where } } as Query),
  );
}

async function ids(database: Database, given: Partial<ClaimRequest> = {}): Promise<unknown[]> {
  return (await database.claim!(claim(given))).map(({ ID }) => ID);
}

/** Registers the tests. */
export function testQueue({ name, open }: QueueContract): void {
  const test = (rule: string, run: (database: Database) => Promise<void>) =>
    Deno.test(`${name}: ${rule}`, async () => {
      const database = await open(linkModel(withQueueTables({ definitions: {} })));
      try {
        await database.deploy();
        await run(database);
      } finally {
        await database.close();
      }
    });

  test("work is claimed in the order of its transactions, each row once", async (one) => {
    await add(one, row("c"), row("a"), row("b"));
    assert.deepEqual(await ids(one, { limit: 2 }), ["c", "a"]);
    assert.deepEqual(await ids(one, { owner: "w2" }), ["b"]);
    assert.deepEqual(await ids(one, { owner: "w3" }), []);
  });

  test("work that a transaction queues at once has the order in which it was queued", async (one) => {
    await inTransaction(
      one,
      (tx) => ["a", "b", "c"].forEach((ID) => tx.enqueue!(OUTBOX_MESSAGES, row(ID))),
    );
    const rows = await inTransaction(
      one,
      (tx) => tx.run({ SELECT: { from: { ref: [OUTBOX_MESSAGES] }, orderBy: [{ ref: ["ID"] }] } }),
    ) as Row[];
    const numbers = rows.map(({ seq }) => Number(seq));
    assert.deepEqual(numbers, [0, 1, 2].map((step) => numbers[0]! + step));
  });

  test("rows that are queued together have numbers in their order, whatever members they have", async (one) => {
    await add(one, row("c"), row("a"), row("b", { status: "dead" }), row("d"));
    const SELECT = {
      from: { ref: [OUTBOX_MESSAGES] },
      columns: [{ ref: ["ID"] }, { ref: ["status"] }],
      orderBy: [{ ref: ["seq"] }],
    };
    const rows = await inTransaction(one, (tx) => tx.run({ SELECT })) as Row[];
    assert.deepEqual(rows.map(({ ID }) => ID), ["c", "a", "b", "d"]);
    assert.deepEqual(rows.map(({ status }) => status), [null, null, "dead", null]);
  });

  test("a claim removes what its worker has leased and done, nothing else, and what waited behind is free", async (one) => {
    await add(one, row("a", { partition: 7 }), row("b", { partition: 7 }), row("c"));
    assert.deepEqual(await ids(one, { limit: 1 }), ["a"]);
    assert.deepEqual(await ids(one, { owner: "w2", done: ["a"], limit: 1 }), ["c"]);
    assert.deepEqual(await ids(one, { done: ["a", "c"] }), ["b"]);
    const SELECT = {
      from: { ref: [OUTBOX_MESSAGES] },
      columns: [{ ref: ["ID"] }],
      orderBy: [{ ref: ["seq"] }],
    };
    const left = async () =>
      (await inTransaction(one, (tx) => tx.run({ SELECT })) as Row[]).map(({ ID }) => ID);
    assert.deepEqual(await left(), ["b", "c"]);
    assert.deepEqual(await ids(one, { owner: "w2", done: ["c"] }), []);
    assert.deepEqual(await left(), ["b"]);
  });

  test("rows of others, of dead letters and of later times are not claimed", async (one) => {
    await add(
      one,
      row("other", { target: "x" }),
      row("app", { appid: "x" }),
      row("dead", { status: "dead" }),
      row("later", { due: LATER }),
      row("mine"),
    );
    assert.deepEqual(await ids(one), ["mine"]);
  });

  test("a lease that ran out frees its rows", async (one) => {
    await add(one, row("a"));
    assert.deepEqual(await ids(one), ["a"]);
    assert.deepEqual(await ids(one, { owner: "w2", now: LATER, lockedUntil: AFTERWARDS }), ["a"]);
  });

  test("a partition is leased to one worker, and waits behind a row that waits", async (one) => {
    await add(one, row("k1", { partition: 7 }), row("k2", { partition: 7 }), row("l1", { partition: 8 }));
    assert.deepEqual(await ids(one, { limit: 1 }), ["k1"]);
    assert.deepEqual(await ids(one, { owner: "w2" }), ["l1"]);
    await change(one, "k1", { lockedBy: null, lockedUntil: null, due: LATER });
    assert.deepEqual(await ids(one, { owner: "w2" }), []);
    assert.deepEqual(await ids(one, { owner: "w2", now: LATER, lockedUntil: AFTERWARDS }), [
      "k1",
      "k2",
      "l1",
    ]);
  });

  test("a dead letter lets the rows behind it pass", async (one) => {
    await add(one, row("k1", { partition: 7, status: "dead" }), row("k2", { partition: 7 }));
    assert.deepEqual(await ids(one), ["k2"]);
  });

  test("workers that claim at the same time share the rows", async (one) => {
    await add(one, ...Array.from({ length: 100 }, (_, n) => row(`r${n}`, { partition: n % 3 })));
    const claimed = await Promise.all(Array.from({ length: 24 }, (_, n) => ids(one, { owner: `w${n}` })));
    const all = claimed.flat();
    assert.equal(new Set(all).size, all.length);
    const owners = claimed.filter((found) => found.some((id) => Number(String(id).slice(1)) % 3 === 1));
    assert.equal(owners.length, 1);
  });
}
