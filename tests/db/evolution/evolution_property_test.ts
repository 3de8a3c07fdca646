/**
 * Random pairs of versions of a model with rows: rows keep all their values, or the change is refused; and what is
 * migrated looks like what is made anew.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { createPostgresDatabase } from "../../../src/db/postgres/postgres_database.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Database } from "../../../src/service/database.ts";
import { uniqueName } from "../../contract/services.ts";
import { propertyRuns } from "../../property_runs.ts";
import { credentials, dropSchemas, server } from "../postgres.ts";
import { expectedRows, modelOf, reasonsToRefuse, type Version, versions } from "./versions.ts";

/** A place that databases of several versions open one after the other. */
interface Place {
  open(version: Version): Promise<Database>;
  /** What the tables look like, apart from the order of columns. */
  describe(database: Database): Promise<unknown>;
  clean(): Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const folder = await Deno.makeTempDir();
  return {
    open: async (version) =>
      await createSqliteDatabase({
        model: linkModel(modelOf(version)),
        options: { credentials: { url: `${folder}/db.sqlite` } },
      }),
    describe: async (database) => {
      const objects = await rowsOf(
        database,
        "SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",
      );
      const tables = objects.filter(({ type }) => type === "table");
      const columns = [];
      for (const { name } of tables) {
        const found = await rowsOf(database, `SELECT * FROM pragma_table_xinfo('${name}')`);
        columns.push(...found.map(({ cid: _cid, ...column }) => [name, column]));
      }
      return sorted([...objects, ...columns]);
    },
    clean: () => Deno.remove(folder, { recursive: true }),
  };
}

function postgresPlace(): Place {
  const schema = uniqueName();
  return {
    open: async (version) =>
      await createPostgresDatabase({
        model: linkModel(modelOf(version)),
        options: { credentials: credentials(schema) },
      }),
    describe: async (database) =>
      sorted([
        ...await rowsOf(
          database,
          `SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision, numeric_scale, is_nullable,
            column_default, is_generated FROM information_schema.columns WHERE table_schema = current_schema()`,
        ),
        ...await rowsOf(
          database,
          `SELECT conname, contype, pg_get_constraintdef(oid) AS def FROM pg_constraint
            WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'`,
        ),
        ...await rowsOf(
          database,
          "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()",
        ),
      ]),
    clean: () => dropSchemas(schema),
  };
}

async function rowsOf(database: Database, sql: string): Promise<Row[]> {
  const tx = database.begin(new EventContext());
  try {
    return await tx.sql!(sql) as Row[];
  } finally {
    await tx.rollback();
  }
}

function sorted(items: readonly unknown[]): string[] {
  return items.map((item) =>
    JSON.stringify(
      item,
      (_, value) =>
        value && typeof value === "object" && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort())
          : value,
    )
  ).sort();
}

async function read(database: Database, { entity, columns }: Version): Promise<Row[]> {
  const tx = database.begin(new EventContext());
  try {
    const rows = await tx.run({
      SELECT: {
        from: { ref: [entity] },
        columns: columns.map(({ name }) => ({ ref: [name] })),
        orderBy: [{ ref: ["ID"] }],
      },
    });
    return JSON.parse(JSON.stringify(rows)).map((row: Row) => comparable(row, columns));
  } finally {
    await tx.rollback();
  }
}

const NUMBERS = new Set(["small", "int", "long", "dec", "wide", "double"]);

/** Decimals may come as text. */
function comparable(row: Row, columns: Version["columns"]): Row {
  return Object.fromEntries(columns.map(({ name, type }) => {
    const value = row[name];
    return [name, NUMBERS.has(type) && value !== null ? Number(value) : value];
  }));
}

async function withVersion<T>(place: Place, version: Version, run: (db: Database) => Promise<T>): Promise<T> {
  const database = await place.open(version);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

/** Deploys both versions; gives what the second says of losses, or undefined where it was done. */
async function migrate(
  open: () => Place | Promise<Place>,
  { before, after, rows }: { before: Version; after: Version; rows: readonly Row[] },
): Promise<void> {
  const [place, fresh] = [await open(), await open()];
  try {
    await withVersion(place, before, (db) => db.deploy(new Map([[before.entity, rows]])));
    const reasons = reasonsToRefuse(before, after, rows);
    const refusal = await withVersion(
      place,
      after,
      (db) => db.deploy(new Map(), { mode: "lossless" }).then(() => undefined, (error: Error) => error),
    );
    assert.equal(refusal === undefined, reasons.length === 0, `${refusal?.message} / ${reasons.join(", ")}`);
    if (refusal) {
      assert.equal(refusal.name, "ConfigurationError");
      const kept = rows.map((row) => comparable(row, before.columns));
      assert.deepEqual(await withVersion(place, before, (db) => read(db, before)), kept);
      await withVersion(place, after, (db) => db.deploy(new Map(), { mode: "lossy" })).catch((error) => {
        assert.equal(error.name, "ConfigurationError", error.stack);
      });
      return;
    }
    const expected = expectedRows(after, rows).map((row) => comparable(row, after.columns));
    assert.deepEqual(await withVersion(place, after, (db) => read(db, after)), expected);
    const shape = await withVersion(place, after, (db) => place.describe(db));
    await withVersion(fresh, after, (db) => db.deploy());
    assert.deepEqual(shape, await withVersion(fresh, after, (db) => fresh.describe(db)));
    const again = await withVersion(place, after, (db) => db.deploy(new Map(), { mode: "lossless" }));
    assert.deepEqual(again.statements, []);
  } finally {
    await place.clean();
    await fresh.clean();
  }
}

Deno.test("rows of random versions keep their values on SQLite, or the change is refused", async () => {
  await fc.assert(
    fc.asyncProperty(versions, (pair) => migrate(sqlitePlace, pair)),
    propertyRuns(40, 71),
  );
});

Deno.test({
  name: "rows of random versions keep their values on PostgreSQL, or the change is refused",
  ignore: !server.isThere,
  fn: async () => {
    await fc.assert(
      fc.asyncProperty(versions, (pair) => migrate(postgresPlace, pair)),
      propertyRuns(15, 72),
    );
  },
});
