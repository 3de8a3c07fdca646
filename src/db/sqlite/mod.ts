/**
 * The SQLite engine, for those who compose a runtime by hand. Permissions: none for `:memory:`; `--allow-read` and
 * `--allow-write` for a file.
 *
 * @example A runtime over SQLite
 * ```ts
 * import { createRuntime } from "@fw/runtime";
 * import { createSqliteDatabase } from "@fw/runtime/sqlite";
 *
 * const model = { definitions: { Notes: { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } } } } as const;
 * const runtime = createRuntime({
 *   model,
 *   kinds: { databases: { sqlite: () => createSqliteDatabase } },
 *   env: { requires: { db: { kind: "sqlite" } } },
 * });
 * await runtime.start();
 * await runtime.close();
 * ```
 *
 * @module
 */

export { createSqliteDatabase } from "./sqlite_database.ts";
export type * from "../../service/database.ts";
export type * from "../../service/row_cursor.ts";
