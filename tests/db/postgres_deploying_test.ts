/** What a deployment locks, over connections that a test gives. */

import assert from "node:assert/strict";
import { OpenConnection } from "../../src/db/postgres/open_connection.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import type { BoundStatement, Done, StatementResult } from "../../src/db/postgres/statement_query.ts";
import { DEPLOYED, DEPLOYED_QUERY } from "../../src/db/evolution/table_catalog.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { DeployOptions } from "../../src/service/database.ts";

const EMPTY = { rows: [], fields: [], rowCount: 0, command: "" } as unknown as StatementResult;

/** The statements of a deployment that finds no tables. */
async function statementsOf(locks: string | undefined, options: DeployOptions): Promise<readonly string[]> {
  const { open } = OpenConnection;
  const sent: string[] = [];
  const connection = {
    hasEnded: false,
    hasPrepared: () => false,
    send: ({ sql, values }: BoundStatement, done: Done) => {
      sent.push([sql, ...values].join(" | "));
      done(undefined, { ...EMPTY, command: sql.split(" ")[0]! });
    },
    close: () => Promise.resolve(),
  };
  OpenConnection.open = () => Promise.resolve(connection as unknown as OpenConnection);
  try {
    const db = createPostgresDatabase({
      model: linkModel({ definitions: {} }),
      options: { locks, credentials: { host: "h", user: "u", database: "d", schema: "s" } },
    });
    await db.deploy(new Map(), options);
    await db.close();
    return sent;
  } finally {
    OpenConnection.open = open;
  }
}

/** What matters of statements, in order. */
function kindsOf(statements: readonly string[]): readonly string[] {
  const kinds: Readonly<Record<string, RegExp>> = {
    "schema": /^CREATE SCHEMA/,
    "table of locks": /^CREATE TABLE.*lock/i,
    "advisory lock": /^SELECT pg_advisory_xact_lock.* \| fw deploy s$/,
    "lock of a row": /lock.* \| fw deploy s$/i,
    "sequence": /^CREATE SEQUENCE/,
    "time": /^SET LOCAL/,
    "end": /^COMMIT/,
  };
  return statements.flatMap((sql) => Object.keys(kinds).find((kind) => kinds[kind]!.test(sql)) ?? []);
}

const TIMES = ["time", "time"];

Deno.test("a deployment keeps others waiting; one that only looks makes neither locks nor anything else", async () => {
  const cases: readonly (readonly [locks: string | undefined, dryRun: boolean, kinds: readonly string[]])[] =
    [
      [undefined, false, [...TIMES, "advisory lock", "schema", "sequence", "end"]],
      [undefined, true, [...TIMES, "advisory lock", "end"]],
      ["rows", false, [
        "schema",
        "table of locks",
        "end",
        ...TIMES,
        "lock of a row",
        "schema",
        "sequence",
        "end",
      ]],
      ["rows", true, [...TIMES, "end"]],
    ];
  for (const [locks, dryRun, kinds] of cases) {
    const statements = await statementsOf(locks, { dryRun });
    assert.deepEqual(kindsOf(statements), kinds, `${locks} ${dryRun}: ${statements.join("; ")}`);
  }
});

Deno.test("what an online deployment has done behind its transaction is stored when it ends", async () => {
  const { open } = OpenConnection;
  const sent: string[] = [];
  let stored: unknown;
  const rowsOf = (sql: string) => {
    if (sql === DEPLOYED_QUERY) return [{ model: stored }];
    if (!sql.includes("information_schema.tables")) return [];
    return ["E", DEPLOYED].map((table_name) => ({ table_name, table_type: "BASE TABLE" }));
  };
  const connection = {
    hasEnded: false,
    hasPrepared: () => false,
    send: ({ sql, values }: BoundStatement, done: Done) => {
      sent.push(sql);
      if (/^(?:INSERT INTO|UPDATE) "fw_deployed"/.test(sql)) [stored] = values;
      const rows = stored === undefined ? [] : rowsOf(sql);
      done(undefined, { ...EMPTY, rows, command: sql.split(" ")[0]! });
    },
    close: () => Promise.resolve(),
  };
  OpenConnection.open = () => Promise.resolve(connection as unknown as OpenConnection);
  const deploy = async (cdl: string, online: boolean) => {
    const db = createPostgresDatabase({
      model: linkModel(parseCdl(cdl)),
      options: { credentials: { host: "h", user: "u", database: "d", schema: "s" } },
    });
    sent.length = 0;
    await db.deploy(new Map(), { online });
    const statements = sent.filter((sql) => /^CREATE INDEX|^UPDATE|^COMMIT/.test(sql));
    await db.close();
    return statements.map((sql) => sql.split(" ")[0]);
  };
  try {
    await deploy("entity E { key ID : Integer; a : Integer; }", false);
    const statements = await deploy("@fw.index.i: ['a'] entity E { key ID : Integer; a : Integer; }", true);
    assert.deepEqual(statements, ["UPDATE", "COMMIT", "CREATE", "UPDATE", "COMMIT"]);
    assert.equal("later" in JSON.parse(String(stored)), false);
  } finally {
    OpenConnection.open = open;
  }
});
