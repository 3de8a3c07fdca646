/**
 * Services by HCQL, for those who compose a runtime by hand, also at the edge: `kinds.protocols.hcql`.
 *
 * @module
 */

export { createHcqlAdapter } from "./hcql_adapter.ts";
export type * from "../service/wire/protocol_adapter.ts";
