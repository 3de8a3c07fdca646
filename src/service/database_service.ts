/**
 * The database as a service.
 *
 * @module
 */

import type { Query, QueryParams } from "../cqn/cqn.ts";
import type { QueryResult } from "./database.ts";
import type { Service } from "./service.ts";

/** Runs queries in the root transaction of the current context. */
export interface DatabaseService extends Service {
  run(query: Query, params?: QueryParams): Promise<QueryResult>;
}
