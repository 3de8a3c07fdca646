/** What is noted of the queries of requests that are explained. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { ContextNotes } from "../../src/fw/context_notes.ts";
import { explainedDatabase, type ExplainedRequest } from "../../src/fw/explanations.ts";
import type { Database, DatabaseTransaction } from "../../src/service/database.ts";

const BOOKS: Query = { SELECT: { from: { ref: ["Books"] } } };
const ROWS = [{ ID: 1 }];

/** A transaction of a request that is explained, what is noted of it, and the queries that reach the engine. */
function explaining(runs: boolean, more: Partial<DatabaseTransaction> = {}) {
  const notes = new ContextNotes<ExplainedRequest>();
  const context = new EventContext({ user: new User({ id: "x" }) });
  const queries: ExplainedRequest["queries"] = [];
  const ran: Query[] = [];
  notes.begin(context, { queries, runs });
  const engine: Partial<DatabaseTransaction> = {
    run: (query) => (ran.push(query), ROWS),
    explain: () => ({ sql: "SELECT 1", plan: ["SCAN"] }) as never,
    readJson: () => assert.fail("unseen"),
    openCursor: () => assert.fail("unseen"),
    ...more,
  };
  const database = { begin: () => engine } as unknown as Database;
  const transaction = explainedDatabase(database, notes).begin(context);
  return { transaction, queries, ran };
}

Deno.test("a hundred queries of a request are explained, and the others only run", async () => {
  const { transaction, queries, ran } = explaining(true);
  for (let count = 0; count < 102; count++) assert.deepEqual(await transaction.run(BOOKS), ROWS);
  assert.deepEqual([queries.length, ran.length], [100, 102]);
  assert.deepEqual(queries[99], {
    cql: "SELECT from Books",
    query: BOOKS,
    ...{ sql: "SELECT 1", plan: ["SCAN"] },
  });
});

Deno.test("queries are noted with their parameters, those that write without a plan, and run where rows are wanted", async () => {
  const insert: Query = { INSERT: { into: "Books", entries: [{ ID: 1 }] } };
  for (const runs of [true, false]) {
    const { transaction, queries, ran } = explaining(runs);
    const rows = runs ? ROWS : [];
    assert.deepEqual(await transaction.run(BOOKS, { p: 1 }), rows);
    assert.deepEqual(await transaction.run(insert), rows);
    assert.deepEqual(queries.map((one) => [Object.keys(one), one.params]), [
      [["cql", "query", "params", "sql", "plan"], { p: 1 }],
      [["cql", "query"], undefined],
    ]);
    assert.deepEqual(ran, runs ? [BOOKS, insert] : []);
    assert.deepEqual([transaction.readJson, transaction.openCursor], [undefined, undefined]);
  }
});

Deno.test("an engine that explains nothing leaves the query as it is noted", async () => {
  for (const explain of [undefined, () => undefined]) {
    const { transaction, queries } = explaining(true, { explain });
    await transaction.run(BOOKS);
    assert.deepEqual(queries, [{ cql: "SELECT from Books", query: BOOKS }]);
  }
});

Deno.test("what no request wants explained is not noted, unless it runs within a transaction for one that does", async () => {
  const notes = new ContextNotes<ExplainedRequest>();
  const [plain, wanted] = [0, 1].map(() => new EventContext({ user: new User({ id: "x" }) }));
  const queries: ExplainedRequest["queries"] = [];
  notes.begin(wanted, { queries, runs: true });
  const json = () => undefined;
  const engine = { run: () => ROWS, readJson: json, within: () => engine };
  const transaction = explainedDatabase({ begin: () => engine } as unknown as Database, notes).begin(plain);
  assert.deepEqual(await transaction.run(BOOKS), ROWS);
  assert.equal(transaction.readJson !== undefined, true);
  await transaction.within!(plain).run(BOOKS);
  assert.equal(queries.length, 0);
  await transaction.within!(wanted).run(BOOKS);
  assert.equal(queries.length, 1);
  await transaction.within!(wanted).within!(plain).run(BOOKS);
  assert.equal(queries.length, 1);
  await transaction.within!(wanted).within!(wanted).run(BOOKS);
  assert.equal(queries.length, 2);
});
