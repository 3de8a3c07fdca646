/**
 * Channels for tests.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import type { Logger } from "../../src/log/logger.ts";
import type { Channel, ChannelOptions } from "../../src/messaging/channel.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";

/** A logger that keeps its lines. */
export function recordingLog(lines: unknown[][] = []): Logger & { readonly lines: unknown[][] } {
  const write = (...values: readonly unknown[]) => void lines.push([...values]);
  return {
    id: "messaging",
    level: "info",
    lines,
    ...{ trace: () => {}, debug: () => {}, info: write, log: write, warn: write, error: write },
    ...{ _trace: false, _debug: false, _info: true, _warn: true, _error: true },
  };
}

/** Options of a channel. */
export function channelOptions(
  options: Readonly<Record<string, unknown>>,
  channels: Readonly<Record<string, Channel>> = {},
): ChannelOptions {
  return {
    name: "messaging",
    options,
    limits: DEFAULT_LIMITS,
    log: recordingLog(),
    channel: (name) => Promise.resolve(channels[name]),
  };
}

/** A file channel. */
export function fileChannel(file: string, options: Readonly<Record<string, unknown>> = {}): Channel {
  return createFileChannel(channelOptions({ file, ...options }));
}
