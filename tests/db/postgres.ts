/**
 * PostgreSQL for tests: each database is a schema of its own, dropped in the end.
 *
 * @module
 */

import postgres from "postgres";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { Database, DatabaseOptions } from "../../src/service/database.ts";
import { findService, uniqueName } from "../contract/services.ts";

/** The server, if it is there. */
export const server = await findService("postgres");

/** How to reach the server: `TEST_POSTGRES_USER` and `TEST_POSTGRES_DATABASE` override user and database. */
export function credentials(schema: string): Record<string, unknown> {
  const [host, port] = server.address.split(":");
  const user = Deno.env.get("TEST_POSTGRES_USER") ?? "postgres";
  return {
    host,
    port: Number(port),
    user,
    database: Deno.env.get("TEST_POSTGRES_DATABASE") ?? "test",
    schema,
  };
}

/** Drops schemas. */
export async function dropSchemas(...schemas: readonly string[]): Promise<void> {
  const { schema: _schema, ...given } = credentials("");
  const sql = postgres({ ...given, max: 1, onnotice: () => {}, fetch_types: false });
  for (const schema of schemas) await sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await sql.end();
}

/** A database in a schema of its own that goes when it is closed. */
export function postgresDatabase(
  model: LinkedModel,
  options: Readonly<Record<string, unknown>> = {},
  given: Pick<DatabaseOptions, "modelOf" | "limits"> = {},
): Database {
  const schema = uniqueName();
  const db = createPostgresDatabase({
    model,
    ...given,
    options: {
      ...options,
      credentials: { ...credentials(schema), ...options.credentials as object | undefined },
    },
  });
  const close = db.close.bind(db);
  return Object.assign(db, { close: () => close().then(() => dropSchemas(schema)) });
}
