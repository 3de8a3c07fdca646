/**
 * A small application with messaging for tests.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import type { Channel } from "../../src/messaging/channel.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { MessagingService } from "../../src/messaging/messaging_service.ts";
import type { Csn } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { Service } from "../../src/service/service.ts";
import type { ServiceEnvironment } from "../../src/service/service_environment.ts";
import { channelOptions, fileChannel, recordingLog } from "./channels.ts";

const ID = { ID: { type: "cds.String" } } as const;

/** Two services with events. */
export const CSN: Csn = {
  definitions: {
    "my.namespace.SomeEventEmitter": { kind: "service" },
    "my.namespace.SomeEventEmitter.SomeEvent": { kind: "event", elements: ID },
    "OwnService": { kind: "service" },
    "OwnService.OwnEvent": { kind: "event", elements: ID, "@topic": "my.custom.topic" },
    "OwnService.Keyed": { kind: "event", elements: { ID: { key: true, type: "cds.String" } } },
    "T": { kind: "service" },
    "T.e": { kind: "event", elements: { n: { type: "cds.Integer" } } },
  },
};

/** A runtime of a test, and what was logged. */
export interface TestEnvironment extends ServiceEnvironment {
  readonly lines: unknown[][];
}

/** A runtime. */
export function environment(name = "app"): TestEnvironment {
  const lines: unknown[][] = [];
  return {
    model: linkModel(CSN),
    env: { name },
    limits: DEFAULT_LIMITS,
    production: false,
    texts: () => undefined,
    log: () => recordingLog(lines),
    lines,
  };
}

/** A served or required service. */
export function service(name: string, host: ServiceEnvironment = environment()): Service {
  return new Service({ name, host, definition: host.model.service(name) });
}

/** What a messaging service of a test may be given. */
export interface MessagingOptions {
  readonly host?: ServiceEnvironment;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly retryDelayMs?: (attempts: number) => number;
}

/** A messaging service over a channel. */
export function messaging(
  channel: Channel = createLocalChannel(channelOptions({})),
  { host = environment(), options = {}, retryDelayMs }: MessagingOptions = {},
): MessagingService {
  return new MessagingService({ name: "messaging", host, options, channel, retryDelayMs });
}

/** Runs a test with a temporary folder. */
export async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync();
  try {
    await run(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The lines of a box that are not blank. */
export function boxLines(file: string): string[] {
  try {
    return Deno.readTextFileSync(file).split("\n").filter(Boolean);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Runs a test with channels on one box, which are closed at the end. */
export async function withBox(
  run: (box: string, open: (options?: Record<string, unknown>) => Channel) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const channels: Channel[] = [];
    const open = (options: Record<string, unknown> = {}) => {
      const channel = fileChannel(`${folder}/box`, options);
      channels.push(channel);
      return channel;
    };
    try {
      await run(`${folder}/box`, open);
    } finally {
      await Promise.all(channels.map((channel) => channel.close()));
    }
  });
}
