/**
 * NATS JetStream, for those who compose a runtime by hand. Permissions: `--allow-net`.
 *
 * @module
 */

export { createNatsChannel } from "./nats_channel.ts";
export type * from "../../channel.ts";
export type * from "../../channel.ts";
