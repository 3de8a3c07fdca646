/**
 * Redis streams, for those who compose a runtime by hand. Permissions: `--allow-net`.
 *
 * @module
 */

export { createRedisChannel } from "./redis_channel.ts";
export type * from "../../channel.ts";
export type * from "../../channel.ts";
