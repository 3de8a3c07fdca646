import assert from "node:assert/strict";
import postgres from "postgres";
import { compileText } from "../../../src/deno/compiler.ts";
import { createPostgresDatabase } from "../../../src/db/postgres/postgres_database.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Database, DeployReport } from "../../../src/service/database.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../postgres.ts";

const BEFORE = `entity db.Authors { key ID : Integer; }
  entity db.Books { key ID : Integer; title : String(20); author_ID : Integer; }`;
const AFTER = `entity db.Authors { key ID : Integer; }
  @fw.index.titles: ['title']
  entity db.Books { key ID : Integer; title : String(20); author : Association to db.Authors; }
  @fw.index.names: ['name']
  entity db.Shops { key ID : Integer; name : String(20); }`;

interface Place {
  readonly open: (cdl: string) => Database;
  readonly ask: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

async function withSchema(run: (place: Place) => Promise<void>): Promise<void> {
  const schema = uniqueName();
  const { schema: _schema, ...given } = credentials(schema);
  const sql = postgres({ ...given, max: 1, onnotice: () => {}, connection: { search_path: `"${schema}"` } });
  const databases: Database[] = [];
  try {
    await run({
      open: (cdl) => {
        const database = createPostgresDatabase({
          model: linkModel(compileText(cdl)),
          options: { credentials: credentials(schema), assert_integrity: "db" },
        });
        databases.push(database);
        return database;
      },
      ask: async (text) => await sql.unsafe(text),
    });
  } finally {
    for (const database of databases) await database.close();
    await sql.end();
    await dropSchemas(schema);
  }
}

async function insert(database: Database, row: Readonly<Record<string, unknown>>): Promise<void> {
  const tx = database.begin(new EventContext());
  await tx.run({ INSERT: { into: { ref: ["db.Books"] }, entries: [row] } });
  await tx.commit();
}

const INDEXES = "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid " +
  "WHERE i.indisvalid AND c.relnamespace = current_schema()::regnamespace AND c.relname LIKE 'db_%s' ORDER BY 1";
const KEYS = "SELECT convalidated FROM pg_constraint WHERE contype = 'f' " +
  "AND connamespace = current_schema()::regnamespace AND conrelid = '\"db_Books\"'::regclass";

Deno.test({
  name: "online deployments build indexes and check references behind the transaction (PostgreSQL)",
  ignore: !server.address,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      await open(BEFORE).deploy();
      const database = open(AFTER);
      const steps: string[] = [];
      const onStep = (sql: string, step: number, all: number) => void steps.push(`${step}/${all} ${sql}`);
      const { statements } = await database.deploy(undefined, { online: true, onStep }) as DeployReport;
      const texts = statements.join("\n");
      assert.match(texts, /ADD CONSTRAINT \S+ FOREIGN KEY.* NOT VALID\n/);
      assert.match(texts, /VALIDATE CONSTRAINT/);
      assert.match(texts, /CREATE INDEX CONCURRENTLY IF NOT EXISTS "db_Books_titles"/);
      // a table that is made now is empty
      assert.match(texts, /CREATE INDEX IF NOT EXISTS "db_Shops_names"/);
      assert.equal(steps.length, statements.length);
      assert.match(steps.at(-1)!, new RegExp(`^${steps.length}/${steps.length} `));
      assert.deepEqual((await ask(INDEXES)).map(({ relname }) => relname), [
        "db_Books_titles",
        "db_Shops_names",
      ]);
      assert.deepEqual([...await ask(KEYS)], [{ convalidated: true }]);
      assert.deepEqual((await database.deploy(undefined, { online: true })).statements, []);
    });
  },
});

Deno.test({
  name: "what fails behind the transaction is done by the next deployment, of whatever kind (PostgreSQL)",
  ignore: !server.address,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      const before = open(BEFORE);
      await before.deploy();
      await insert(before, { ID: 1, author_ID: 7 });
      await assert.rejects(
        open(AFTER).deploy(undefined, { online: true }),
        /The tables are changed, but a last step failed .* VALIDATE CONSTRAINT/,
      );
      assert.deepEqual([...await ask(KEYS)], [{ convalidated: false }]);
      // new rows are checked already
      await assert.rejects(insert(open(AFTER), { ID: 2, author_ID: 8 }));
      await assert.rejects(open(AFTER).deploy(), /VALIDATE CONSTRAINT/);
      await ask('DELETE FROM "db_Books"');
      const { statements } = await open(AFTER).deploy();
      assert.match(statements.join("\n"), /VALIDATE CONSTRAINT/);
      assert.deepEqual([...await ask(KEYS)], [{ convalidated: true }]);
      assert.deepEqual((await open(AFTER).deploy()).statements, []);
    });
  },
});

Deno.test({
  name: "an index that was not completed is built again (PostgreSQL)",
  ignore: !server.address,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      await open(BEFORE).deploy();
      // what a server that went away leaves
      await ask('CREATE INDEX "db_Books_titles" ON "db_Books" ("title")');
      await ask("UPDATE pg_index SET indisvalid = false WHERE indexrelid = '\"db_Books_titles\"'::regclass");
      await open(AFTER).deploy(undefined, { online: true });
      assert.deepEqual((await ask(INDEXES)).map(({ relname }) => relname), [
        "db_Books_titles",
        "db_Shops_names",
      ]);
    });
  },
});
