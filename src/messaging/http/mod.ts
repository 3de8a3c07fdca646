/**
 * The channel for CloudEvents over HTTP, for those who compose a runtime by hand, also at the edge.
 *
 * @module
 */

export { createHttpChannel } from "./http_channel.ts";
export type * from "../channel.ts";
export type * from "../channel.ts";
