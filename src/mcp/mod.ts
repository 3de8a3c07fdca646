/**
 * Services by the Model Context Protocol, for those who compose a runtime by hand, also at the edge:
 * `kinds.protocols.mcp`.
 *
 * @module
 */

export { createMcpAdapter } from "./mcp_adapter.ts";
export type * from "../service/wire/protocol_adapter.ts";
