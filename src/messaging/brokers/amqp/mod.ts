/**
 * Brokers that speak AMQP 1.0, for those who compose a runtime by hand. Permissions: `--allow-net`.
 *
 * @module
 */

export { createAmqpChannel } from "./amqp_channel.ts";
export type * from "../../channel.ts";
export type * from "../../channel.ts";
