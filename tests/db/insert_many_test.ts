import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { insertNumbered, insertRows } from "../../src/db/write/insert.ts";
import type { InsertStatement, StatementRunner } from "../../src/db/write/statement_runner.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { renderInsert } from "../../src/db/render/render_write.ts";
import { OUTBOX_MESSAGES, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { testModel } from "./fixture.ts";
import { postgresDatabase, server } from "./postgres.ts";

/** The tables that rows are inserted into, and the number of rows, by statement. */
async function statementsOf(into: string, entries: readonly Row[]): Promise<(readonly [string, number])[]> {
  return (await insertsOf(into, entries)).map(({ into: { table }, rows }) =>
    [table.name, rows.length] as const
  );
}

function insertsOf(into: string, entries: readonly Row[]): Promise<InsertStatement[]> {
  return insertsBy((runner) => insertRows(runner, { into, entries }));
}

async function insertsBy(
  insert: (runner: StatementRunner) => unknown,
  model = testModel(),
): Promise<InsertStatement[]> {
  const statements: InsertStatement[] = [];
  const runner = {
    model,
    context: new EventContext({}),
    change: (statement: unknown) => statements.push(statement as InsertStatement),
    select: () => [],
    mark: () => undefined,
  };
  await insert(runner);
  return statements;
}

const books = (count: number) => Array.from({ length: count }, (_, ID) => ({ ID, title: "t" }));

Deno.test("insertMany() writes rows by statements of few sizes, with at most 1024 values", async () => {
  // each with ID, title, stock and modifiedAt
  assert.deepEqual((await statementsOf("my.Books", books(523))).map(([, rows]) => rows), [256, 256, 8, 3]);
});

Deno.test("insertMany() writes the parts of all rows together", async () => {
  const entries = books(3).map((row) => ({ ...row, reviews: [{ text: "a" }, { text: "b" }] }));
  assert.deepEqual(await statementsOf("my.Books", entries), [
    ["my.Books", 3],
    ["my.Reviews", 6],
  ]);
});

Deno.test("insertMany() writes rows that follow each other together, if they have the same members", async () => {
  const [first, ...others] = books(4);
  const entries = [{ ...first!, price: 1 }, ...others];
  assert.deepEqual((await statementsOf("my.Books", entries)).map(([, rows]) => rows), [1, 3]);
});

Deno.test("insertNumbered() writes the events of a transaction by one statement", async () => {
  const events = ["a", "b", "c"].map((ID) => ({ ID, target: "t", msg: "{}", partition: 0 }));
  const statements = await insertsBy(
    (runner) => insertNumbered(runner, OUTBOX_MESSAGES, events),
    linkModel(withQueueTables({ definitions: {} })),
  );
  assert.deepEqual(statements.map(({ rows, into }) => [rows.length, into.numbered?.name]), [[3, "seq"]]);
});

Deno.test("renderInsert() numbers the placeholders of several rows", async () => {
  const [{ into }] = await insertsOf("my.Reviews", [{ ID: "r", stars: 1 }]) as [InsertStatement];
  assert.equal(
    renderInsert(POSTGRES, into, 2).sql,
    'INSERT INTO "my_Reviews" ("ID", "stars") VALUES ($1, $2), ($3, $4)',
  );
  assert.equal(renderInsert(POSTGRES, into, 2), renderInsert(POSTGRES, into, 2));
});

if (server.isThere) {
  Deno.test("PostgreSQL keeps no large inserts prepared", async () => {
    const db = postgresDatabase(testModel());
    try {
      await db.deploy(new Map());
      const tx = db.begin(new EventContext({}));
      for (const first of [0, 1000, 2000]) {
        await tx.run({
          INSERT: { into: "my.Books", entries: books(527).map((row) => ({ ...row, ID: row.ID + first })) },
        });
      }
      const kept = await tx.sql!("SELECT statement FROM pg_prepared_statements") as { statement: string }[];
      const rows = kept.filter(({ statement }) => statement.startsWith('INSERT INTO "my_Books"'))
        .map(({ statement }) => statement.split("), (").length);
      await tx.commit();
      // 527 rows are inserted by 256, 256, 8 and 7
      assert.deepEqual(rows.sort((a, b) => a - b), [7, 8]);
    } finally {
      await db.close();
    }
  });
}
