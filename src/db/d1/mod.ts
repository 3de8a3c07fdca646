/**
 * D1 and the SQLite databases of Durable Objects, for Workers. Bundles hold nothing of a server process.
 *
 * @example A Worker over D1
 * ```ts
 * import { createRuntime, type Runtime } from "@fw/runtime";
 * import { type D1Binding, d1Database } from "@fw/runtime/d1";
 *
 * const model = { definitions: { Notes: { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } } } } as const;
 *
 * // called with the `env.DB` of the first request; the Worker answers `runtime.fetch(request)`
 * function createShop(DB: D1Binding): Runtime {
 *   return createRuntime({
 *     model,
 *     kinds: { databases: { d1: () => d1Database(DB) } },
 *     env: { requires: { db: { kind: "d1" } } },
 *   });
 * }
 * ```
 *
 * @module
 */

export { d1Database, durableObjectDatabase } from "./d1_database.ts";
export type { PerTenant } from "./d1_database.ts";
export type { D1Binding, D1Result, D1Statement } from "./sql_driver.ts";
export type { DurableObjectStorage } from "./sql_driver.ts";
export type * from "../../service/database.ts";
export type * from "../../service/row_cursor.ts";
