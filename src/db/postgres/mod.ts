/**
 * PostgreSQL as database, for those who compose a runtime by hand. Permissions: `--allow-net=<host>:<port>`,
 * `--allow-env=PG*,USER,USERNAME,HOME,LOGNAME`.
 *
 * @module
 */

export { createPostgresDatabase } from "./postgres_database.ts";
export type * from "../../service/database.ts";
export type * from "../../service/row_cursor.ts";
