/**
 * The file channel, for those who compose a runtime by hand. Permissions: `--allow-read`, `--allow-write`.
 *
 * @module
 */

export { createFileChannel } from "./file_channel.ts";
export type * from "../channel.ts";
export type * from "../channel.ts";
