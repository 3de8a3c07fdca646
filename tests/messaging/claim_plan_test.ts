import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Row } from "../../src/cqn/cqn.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import { runInternally } from "../../src/db/fill_tables.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { OUTBOX_MESSAGES, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { postgresDatabase, server } from "../db/postgres.ts";
import { inFolder } from "./services.ts";

const MODEL = linkModel(withQueueTables({ definitions: {} }));
const ROWS = 3_000;
const IS_CLAIM = /^SELECT .*"fw_outbox_Messages".* LIMIT /s;

/** A backlog of one service, half of it with keys. */
async function fill(database: Database): Promise<void> {
  await database.deploy();
  const now = new Date().toISOString();
  const entries = Array.from({ length: ROWS }, (_, n): Row => ({
    ...{ ID: crypto.randomUUID(), timestamp: now, due: now, target: "messaging", appid: "shop", msg: "{}" },
    ...{ partition: n % 2 === 0 ? 0 : n % 50, seq: n + 1 },
  }));
  await runInternally(
    () => database.begin(new EventContext({ user: User.anonymous })),
    async (tx) => await tx.run({ INSERT: { into: OUTBOX_MESSAGES, entries } }),
  );
}

/** Claims some rows; the next chunk is those behind them. */
async function claim(database: Database, limit = 10): Promise<readonly number[]> {
  const now = Date.now();
  const rows = await database.claim!({
    ...{
      entity: OUTBOX_MESSAGES,
      target: "messaging",
      application: "shop",
      owner: crypto.randomUUID(),
      limit,
    },
    now: new Date(now).toISOString(),
    lockedUntil: new Date(now + 30_000).toISOString(),
  });
  return rows.map(({ seq }) => Number(seq));
}

/** Runs something while all texts of SQLite are looked at; gives the plans of claims. */
async function sqlitePlans(run: () => Promise<unknown>): Promise<readonly string[]> {
  const { prepare } = DatabaseSync.prototype;
  const plans: string[] = [];
  DatabaseSync.prototype.prepare = function (sql: string) {
    if (IS_CLAIM.test(sql)) {
      plans.push(
        prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => detail).join("\n"),
      );
    }
    return prepare.call(this, sql);
  };
  try {
    await run();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return plans;
}

Deno.test("a claim on SQLite reads rows in their order by an index, and sorts nothing (messaging 6.3)", () =>
  inFolder(async (folder) => {
    const file = `${folder}/db.sqlite`;
    const database = createSqliteDatabase({ model: MODEL, options: { credentials: { url: file } } });
    await fill(database);
    let claimed: readonly number[] = [];
    const plans = await sqlitePlans(async () => claimed = await claim(database));
    await database.close();
    assert.deepEqual(claimed, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.equal(plans.length, 1);
    assert.match(
      plans[0]!,
      /SEARCH Messages USING INDEX fw_outbox_Messages_claimed \(appid=\? AND target=\?/,
    );
    assert.match(plans[0]!, /USING INDEX fw_outbox_Messages_delayed \(due>\?/);
    assert.match(plans[0]!, /USING INDEX fw_outbox_Messages_locked \(lockedUntil>\?/);
    assert.doesNotMatch(plans[0]!, /TEMP B-TREE|SCAN/);
  }));

/** The same with PostgreSQL, which makes plans by what it knows of a table. */
async function postgresPlans(run: () => Promise<unknown>): Promise<readonly string[]> {
  // the client takes an object that sends itself
  const client = pg.Client.prototype as unknown as { query(given: unknown, ...rest: unknown[]): unknown };
  const { query } = client;
  const plans: Promise<string>[] = [];
  client.query = function (given, ...rest) {
    const { text, values } = Object(given) as { text?: string; values?: unknown[] };
    if (text !== undefined && IS_CLAIM.test(text)) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      plans.push(promise);
      const tell = (error: unknown, result: { rows: Record<string, string>[] }) =>
        error ? reject(error) : resolve(result.rows.map((row) => row["QUERY PLAN"]).join("\n"));
      query.call(this, { text: `EXPLAIN ${text}`, values }, tell);
    }
    return query.call(this, given, ...rest);
  };
  try {
    await run();
  } finally {
    client.query = query;
  }
  return await Promise.all(plans);
}

if (server.isThere) {
  for (const knows of [false, true]) {
    Deno.test(
      `a claim on PostgreSQL reads rows in their order by an index, ${
        knows ? "knowing" : "knowing nothing of"
      } the table (messaging 6.3)`,
      async () => {
        const database = postgresDatabase(MODEL);
        try {
          await fill(database);
          if (knows) {
            await runInternally(
              () => database.begin(new EventContext({ user: User.anonymous })),
              (tx) => tx.sql!(`ANALYZE "fw_outbox_Messages"`),
            );
          }
          let claimed: readonly number[] = [];
          const plans = await postgresPlans(async () => claimed = await claim(database));
          assert.deepEqual(claimed, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
          assert.equal(plans.length, 1);
          assert.match(plans[0]!, /Index Scan using "?fw_outbox_Messages_claimed/);
          assert.doesNotMatch(plans[0]!, /Sort|Seq Scan/);
        } finally {
          await database.close();
        }
      },
    );
  }
}

for (
  const [name, open] of [
    ["SQLite", () => createSqliteDatabase({ model: MODEL, options: {} })],
    ...server.isThere ? [["PostgreSQL", () => postgresDatabase(MODEL)] as const] : [],
  ] as const
) {
  Deno.test(`on ${name}, claims of several workers never share a row or a key, and take rows in order (messaging 6.2)`, async () => {
    const database = open();
    try {
      await fill(database);
      const one = await claim(database, 100);
      const other = await claim(database, 100);
      assert.deepEqual(one, Array.from({ length: 100 }, (_, n) => n + 1));
      // the first worker has rows of all keys: what is left is without key
      assert.equal(other.length, 100);
      assert.ok(other.every((seq) => seq > 100 && seq % 2 === 1), String(other));
    } finally {
      await database.close();
    }
  });
}
