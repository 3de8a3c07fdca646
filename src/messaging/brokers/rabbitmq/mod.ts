/**
 * RabbitMQ over AMQP 0-9-1, for those who compose a runtime by hand. Permissions: `--allow-net`.
 *
 * @module
 */

export { createRabbitChannel } from "./rabbit_channel.ts";
export type * from "../../channel.ts";
export type * from "../../channel.ts";
