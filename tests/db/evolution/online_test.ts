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
  ignore: !server.isThere,
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
  ignore: !server.isThere,
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
  ignore: !server.isThere,
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

const LOOSE = `entity db.Books { key ID : Integer; title : String(20); stock : Integer; }`;
const STRICT = `@assert.unique.titles: [title]
  entity db.Books { key ID : Integer; title : String(20); stock : Integer not null default 3; }`;
const CONSTRAINTS = "SELECT conname FROM pg_constraint WHERE contype IN ('c', 'u') " +
  "AND connamespace = current_schema()::regnamespace AND conrelid = '\"db_Books\"'::regclass";
const ALL_INDEXES =
  "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid " +
  "WHERE i.indrelid = '\"db_Books\"'::regclass AND NOT i.indisprimary";

Deno.test({
  name:
    "online deployments refuse equal values and null, and give defaults, behind the transaction (PostgreSQL)",
  ignore: !server.isThere,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      const before = open(LOOSE);
      await before.deploy();
      await insert(before, { ID: 1, title: "a" });
      const database = open(STRICT);
      const steps: string[] = [];
      const onStep = (sql: string, step: number, all: number) => void steps.push(`${step}/${all} ${sql}`);
      const report = await database.deploy(undefined, {
        mode: "lossy",
        online: true,
        onStep,
      }) as DeployReport;
      const texts = report.statements.join("\n");
      assert.match(
        texts,
        /CREATE UNIQUE INDEX CONCURRENTLY "(\w+)" ON "db_Books" \("title"\)\n.* USING INDEX "\1"/,
      );
      assert.match(
        texts,
        /CHECK \("stock" IS NOT NULL\) NOT VALID\nUPDATE .*\n.*VALIDATE CONSTRAINT.*\n.*SET NOT NULL\n.*DROP CONSTRAINT/,
      );
      assert.equal(steps.length, report.statements.length);
      assert.match(steps.at(-1)!, new RegExp(`^${steps.length}/${steps.length} `));
      assert.deepEqual([...await ask(CONSTRAINTS)], [{ conname: "db_Books_titles" }]);
      assert.deepEqual([...await ask(ALL_INDEXES)], [{ relname: "db_Books_titles", indisvalid: true }]);
      assert.deepEqual([...await ask('SELECT "stock" FROM "db_Books"')], [{ stock: 3 }]);
      await assert.rejects(insert(database, { ID: 2, title: "a", stock: 1 }));
      await assert.rejects(insert(database, { ID: 2, title: "b", stock: null }));
      assert.deepEqual((await database.deploy(undefined, { online: true })).statements, []);
      // the same as a deployment at once makes of it
      await open(LOOSE).deploy();
      assert.deepEqual([...await ask(CONSTRAINTS)], []);
    });
  },
});

const STRICT_WITHOUT_DEFAULT = STRICT.replace(" default 3", "");

Deno.test({
  name: "equal values and null are looked for without keeping the table from anybody (PostgreSQL)",
  ignore: !server.isThere,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      const before = open(LOOSE);
      await before.deploy();
      // who has written and not ended keeps away whoever wants the table for itself
      const tx = before.begin(new EventContext());
      await tx.run({ INSERT: { into: { ref: ["db.Books"] }, entries: [{ ID: 1, title: "a", stock: 1 }] } });
      const isDone: boolean[] = [];
      const onStep = () => {
        if (isDone.push(true) === 1) void tx.commit();
      };
      await open(STRICT_WITHOUT_DEFAULT).deploy(undefined, { online: true, onStep });
      assert.deepEqual([...await ask(CONSTRAINTS)], [{ conname: "db_Books_titles" }]);
    });
  },
});

Deno.test({
  name: "what a failed try to refuse equal values leaves is removed by the next deployment (PostgreSQL)",
  ignore: !server.isThere,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      const before = open(LOOSE);
      await before.deploy();
      for (const ID of [1, 2]) await insert(before, { ID, title: "a", stock: 1 });
      const online = () => open(STRICT_WITHOUT_DEFAULT).deploy(undefined, { online: true });
      for (let attempt = 0; attempt < 2; attempt++) {
        await assert.rejects(online(), /a last step failed .* CREATE UNIQUE INDEX/);
        assert.deepEqual((await ask(ALL_INDEXES)).map(({ indisvalid }) => indisvalid), [false]);
      }
      // nobody wants it any more
      await open(LOOSE).deploy();
      assert.deepEqual([...await ask(ALL_INDEXES)], []);
      await assert.rejects(online(), /a last step failed/);
      await ask('DELETE FROM "db_Books" WHERE "ID" = 2');
      // of whatever kind it is
      await open(STRICT_WITHOUT_DEFAULT).deploy();
      assert.deepEqual([...await ask(ALL_INDEXES)], [{ relname: "db_Books_titles", indisvalid: true }]);
      assert.deepEqual([...await ask(CONSTRAINTS)], [{ conname: "db_Books_titles" }]);
    });
  },
});

Deno.test({
  name: "what a failed try to refuse null leaves is removed by the next deployment (PostgreSQL)",
  ignore: !server.isThere,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      await open(LOOSE).deploy();
      const online = (how = {}) => open(STRICT_WITHOUT_DEFAULT).deploy(undefined, { online: true, ...how });
      // null that is written while the rows are looked at, and seen after that
      const tx = open(LOOSE).begin(new EventContext());
      await tx.run({ INSERT: { into: { ref: ["db.Books"] }, entries: [{ ID: 1, title: "a" }] } });
      await assert.rejects(
        online({ onStep: (_sql: string, step: number) => void (step === 1 && tx.commit()) }),
        /a last step failed .* VALIDATE CONSTRAINT/,
      );
      await assert.rejects(ask('INSERT INTO "db_Books" ("ID") VALUES (2)'), /violates check constraint/);
      await open(LOOSE).deploy();
      await ask('INSERT INTO "db_Books" ("ID") VALUES (2)');
      await assert.rejects(online(), /null in column "stock"/);
      await ask('UPDATE "db_Books" SET "stock" = 1');
      await online();
      assert.deepEqual([...await ask(CONSTRAINTS)], [{ conname: "db_Books_titles" }]);
      await assert.rejects(ask('INSERT INTO "db_Books" ("ID") VALUES (4)'), /violates not-null constraint/);
      assert.deepEqual((await open(STRICT_WITHOUT_DEFAULT).deploy()).statements, []);
    });
  },
});

Deno.test({
  name: "steps of an online deployment that were done before it was cut off are done again (PostgreSQL)",
  ignore: !server.isThere,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      await open(LOOSE).deploy();
      const [{ model: state }] = await ask('SELECT "model" FROM "fw_deployed"');
      await open(STRICT).deploy(undefined, { online: true });
      await ask(`UPDATE "fw_deployed" SET "model" = '${String(state).replaceAll("'", "''")}'`);
      await open(STRICT).deploy(undefined, { online: true });
      assert.deepEqual([...await ask(CONSTRAINTS)], [{ conname: "db_Books_titles" }]);
      assert.deepEqual([...await ask(ALL_INDEXES)], [{ relname: "db_Books_titles", indisvalid: true }]);
    });
  },
});

Deno.test({
  name: "a dry run of an online deployment tells its statements, and runs none of them (PostgreSQL)",
  ignore: !server.isThere,
  async fn() {
    await withSchema(async ({ open, ask }) => {
      await open(LOOSE).deploy();
      const [before] = await ask('SELECT "model" FROM "fw_deployed"');
      const online = { mode: "lossy", online: true } as const;
      const planned = await open(STRICT).deploy(undefined, { ...online, dryRun: true }) as DeployReport;
      assert.match(planned.statements.join("\n"), /CREATE UNIQUE INDEX CONCURRENTLY/);
      assert.deepEqual([...await ask(ALL_INDEXES)], []);
      assert.deepEqual([...await ask('SELECT "model" FROM "fw_deployed"')], [before]);
      const { statements } = await open(STRICT).deploy(undefined, online) as DeployReport;
      assert.deepEqual(statements, planned.statements);
    });
  },
});
