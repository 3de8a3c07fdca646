import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Query } from "../../../src/cqn/cqn.ts";
import { createPostgresDatabase } from "../../../src/db/postgres/postgres_database.ts";
import { compileText } from "../../../src/deno/compiler.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Database } from "../../../src/service/database.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../postgres.ts";

const FIRST =
  "entity db.Orders { key ID : Integer; quantity : Integer default 1; item : String(20) not null; };";
const SECOND = `entity db.Orders { key ID : Integer; @fw.renamedFrom: 'quantity' amount : Integer default 1;
  @fw.renamedFrom: 'item' book : String(20) not null; remark : String(20); };`;
const THIRD = `entity db.Orders { key ID : Integer; @fw.renamedFrom: 'amount' number : Integer default 1;
  book : String(20) not null; remark : String(20); };`;

async function run(database: Database, query: Query): Promise<unknown> {
  const tx = database.begin(new EventContext());
  const result = await tx.run(query);
  await tx.commit();
  return JSON.parse(JSON.stringify(result));
}

function insert(database: Database, row: Readonly<Record<string, unknown>>): Promise<unknown> {
  return run(database, { INSERT: { into: { ref: ["db.Orders"] }, entries: [row] } });
}

function update(database: Database, data: Readonly<Record<string, unknown>>): Promise<unknown> {
  return run(database, { UPDATE: { entity: { ref: ["db.Orders"] }, data } });
}

function rows(database: Database): Promise<unknown> {
  return run(database, { SELECT: { from: { ref: ["db.Orders"] }, orderBy: [{ ref: ["ID"] }] } });
}

Deno.test({
  name:
    "servers of two versions read and write renamed elements side by side, until a deployment ends that (PostgreSQL)",
  ignore: !server.isThere,
  fn: async () => {
    const schema = uniqueName();
    const databases: Database[] = [];
    const open = (cdl: string) => {
      const database = createPostgresDatabase({
        model: linkModel(compileText(cdl)),
        options: { credentials: credentials(schema) },
      });
      databases.push(database);
      return database;
    };
    try {
      const [first, second, third] = [FIRST, SECOND, THIRD].map(open) as [Database, Database, Database];
      await first.deploy();
      await insert(first, { ID: 1, quantity: 5, item: "a" });
      await second.deploy();
      await insert(first, { ID: 2, quantity: 6, item: "b" });
      await insert(second, { ID: 3, amount: 7, book: "c" });
      await insert(second, { ID: 4, amount: null, book: "d" });
      const old = [[1, 5, "a"], [2, 6, "b"], [3, 7, "c"], [4, null, "d"]];
      assert.deepEqual(await rows(first), old.map(([ID, quantity, item]) => ({ ID, quantity, item })));
      assert.deepEqual(
        await rows(second),
        old.map(([ID, amount, book]) => ({ ID, amount, book, remark: null })),
      );
      await update(first, { quantity: 8 });
      assert.deepEqual((await rows(second) as { amount: number }[]).map(({ amount }) => amount), [
        8,
        8,
        8,
        8,
      ]);
      await update(second, { amount: 9, book: "e" });
      assert.deepEqual((await rows(first) as unknown[])[3], { ID: 4, quantity: 9, item: "e" });
      // an old server that starts again finds what it knows
      assert.deepEqual((await open(FIRST).deploy()).losses, []);
      await update(first, { quantity: 10 });
      assert.equal((await rows(second) as { amount: number }[])[0]!.amount, 10);
      // one version back is enough: the copies of the first one end
      await third.deploy();
      await insert(second, { ID: 5, amount: 11, book: "f" });
      assert.equal((await rows(third) as { number: number }[])[4]!.number, 11);
      const { losses, statements } = await third.deploy(undefined, { mode: "lossless" });
      assert.deepEqual(losses, []);
      assert.ok(statements.some((sql) => /DROP COLUMN "?amount"?/.test(sql)));
      assert.deepEqual((await rows(third) as unknown[])[4], { ID: 5, number: 11, book: "f", remark: null });
      const again = await third.deploy(undefined, { mode: "lossless", dryRun: true });
      assert.deepEqual(again.statements, []);
    } finally {
      for (const database of databases) await database.close();
      await dropSchemas(schema);
    }
  },
});
