/**
 * The file channel (spec 2.7, `messaging` 4): messages are lines of a file that every process of the machine may append to.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type {
  Backlog,
  Channel,
  ChannelOptions,
  DeadLetters,
  Delivery,
  Guarantees,
  Message,
  Subscription,
} from "../channel.ts";
import { assertMessageSize } from "../message_json.ts";
import { backlogOf } from "./batch.ts";
import { type BoxPaths, boxPaths, openBox, rotate, statFile, writeAll } from "./box.ts";
import { readCursor } from "./cursor.ts";
import { FileDeadLetters } from "./file_dead_letters.ts";
import { GroupConsumer } from "./group_consumer.ts";
import { removeOldSegments } from "./housekeeping.ts";
import { formatLine } from "./line_format.ts";
import { addAll } from "../../util/add_all.ts";

/** How often to look; a look takes microseconds. */
const LOOK_MS = 20;

/**
 * Calls back when a box has grown or was replaced. `Deno.watchFs` is of no use for that: a watch on the box misses everything
 * after it was renamed, and a watch on its folder opens and closes every file there that changes. Where a database of SQLite
 * lies beside the box, each such close takes the locks of the process from it, and committed rows are lost.
 *
 * @param box path of the box
 * @param onChange called after each change
 * @returns ends watching
 */
export function watchBox(box: string, onChange: () => void): () => void {
  let last = stateOf(box);
  const timer = setInterval(() => {
    const state = stateOf(box);
    if (state === last) return;
    last = state;
    onChange();
  }, LOOK_MS);
  Deno.unrefTimer(timer as unknown as number);
  return () => clearInterval(timer);
}

function stateOf(box: string): string {
  try {
    const info = statFile(box);
    return info ? `${info.ino} ${info.size}` : "";
  } catch {
    // whoever reads the box tells what is wrong with it
    return "";
  }
}

/** How a box is written. */
export interface BoxWriterOptions {
  /** Bytes after which the box becomes a segment. */
  readonly segmentBytes: number;
  /** Whether every append waits for the disk. */
  readonly sync: boolean;
}

/**
 * Appends lines to a box without a lock: each append is one call, and the system never mixes appends. The file is kept
 * open; whoever finds it too large renames it, and all writers notice by its identity.
 */
class BoxWriter {
  readonly #paths: BoxPaths;
  readonly #options: BoxWriterOptions;
  #file: Deno.FsFile | undefined;
  #ino: number | null = null;

  /**
   * Creates a writer; the file is opened with the first append.
   *
   * @param paths the box
   * @param options size of a segment, and whether appends wait for the disk
   */
  constructor(paths: BoxPaths, options: BoxWriterOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  /**
   * Appends lines; when it returns, they survive the end of this process.
   *
   * @param lines lines without line breaks
   */
  append(lines: readonly string[]): void {
    const { file, size } = this.#open();
    // The line break in front keeps a line whole that was added by hand without one.
    const bytes = new TextEncoder().encode(lines.map((line) => `\n${line}\n`).join(""));
    writeAll(file, bytes);
    if (this.#options.sync) file.syncDataSync();
    if (size + bytes.length >= this.#options.segmentBytes) this.#rotateIfLarge();
  }

  /** Closes the file. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** The box, opened again if it was renamed, and its size. */
  #open(): { readonly file: Deno.FsFile; readonly size: number } {
    const found = this.#file && statFile(this.#paths.box);
    if (this.#file && found && found.ino === this.#ino) return { file: this.#file, size: found.size };
    this.close();
    const file = this.#file = Deno.openSync(this.#paths.box, { create: true, append: true, mode: 0o600 });
    const { ino, size } = file.statSync();
    this.#ino = ino;
    return { file, size };
  }

  #rotateIfLarge(): void {
    const isLarge = (info: Deno.FileInfo) => info.size >= this.#options.segmentBytes;
    const info = statFile(this.#paths.box);
    if (info && isLarge(info)) rotate(this.#paths, isLarge);
  }
}

const DEFAULT_FILE = "~/.fw-msg-box";
const DEFAULT_SEGMENT_BYTES = 64 * 1024 * 1024;
const DEFAULT_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const DEFAULT_LEASE_MS = 10_000;
const MIN_LEASE_MS = 100;
const HOUSEKEEPING_MS = 60_000;

/** What the file channel promises; printed at start. */
const FILE_CHANNEL_NOTICE: string =
  "At least once per consumer group for every message whose emit returned, across kill -9 of any reader or writer, " +
  "on one machine and a local file system; in file order for one writer; duplicates only after a crash, or after an " +
  "instance stood still for longer than ackWaitMs, at most one batch (64) each time, removed when the inbox is on. An emit that did not return may still be delivered. Power loss: " +
  "only with sync: true, and only if the disk honours it. For development; use a broker for more than one machine";

/**
 * Creates a file channel. Options of the entry: `file`, `sync`, `segmentBytes`, `retentionMs`, `maxMessageBytes`,
 * `ackWaitMs`.
 *
 * @param options the configuration
 */
export function createFileChannel(options: ChannelOptions): Channel {
  return new FileChannel(options);
}

class FileChannel implements Channel {
  readonly kind = "file-based-messaging";
  readonly guarantees: Guarantees;
  readonly notice = FILE_CHANNEL_NOTICE;
  readonly #options: ChannelOptions;
  readonly #file: string;
  readonly #sync: boolean;
  readonly #segmentBytes: number;
  readonly #retentionMs: number;
  readonly #leaseMs: number;
  readonly #consumers: Set<GroupConsumer> = new Set();
  #waiting: string[] = [];
  #appending: Promise<void> | undefined;
  #paths: BoxPaths | undefined;
  #writer: BoxWriter | undefined;
  #stopWatching: (() => void) | undefined;
  #housekeeping: ReturnType<typeof setInterval> | undefined;

  constructor(options: ChannelOptions) {
    const { file, sync, segmentBytes, retentionMs, maxMessageBytes, ackWaitMs } = options.options;
    this.#options = options;
    this.#file = typeof file === "string" ? file : DEFAULT_FILE;
    this.#sync = sync === true;
    this.#segmentBytes = positive(segmentBytes, DEFAULT_SEGMENT_BYTES, "segmentBytes");
    this.#retentionMs = positive(retentionMs, DEFAULT_RETENTION_MS, "retentionMs");
    this.#leaseMs = Math.max(MIN_LEASE_MS, positive(ackWaitMs, DEFAULT_LEASE_MS, "ackWaitMs"));
    this.guarantees = {
      delivery: "at-least-once",
      survives: this.#sync ? "host crash" : "process crash",
      order: "topic",
      dedupeWindowMs: 0,
      maxMessageBytes: positive(maxMessageBytes, options.limits.messageBytes, "maxMessageBytes"),
      delayedRetry: true,
      deadLetters: true,
      replay: false,
    };
  }

  connect(): Promise<void> {
    this.#open();
    return Promise.resolve();
  }

  deadLetters(group: string): DeadLetters {
    const wake = () => {
      for (const consumer of this.#consumers) consumer.wake();
    };
    return new FileDeadLetters({ paths: boxPaths(this.#file), group, leaseMs: this.#leaseMs, wake });
  }

  backlog(group: string): Promise<Backlog | undefined> {
    const paths = boxPaths(this.#file);
    if (statFile(paths.folder) === undefined) return Promise.resolve(undefined);
    const cursor = readCursor(paths, group);
    const { maxMessageBytes } = this.guarantees;
    const { jsonDepth: maxDepth } = this.#options.limits;
    return Promise.resolve(cursor && backlogOf(paths, cursor, { maxMessageBytes, maxDepth }));
  }

  publish(messages: readonly Message[]): Promise<void> {
    try {
      addAll(this.#waiting, messages.map((message) => this.#toLine(message)));
    } catch (error) {
      return Promise.reject(error);
    }
    // What is published in one go is one append.
    return this.#appending ??= Promise.resolve().then(() => this.#append());
  }

  #append(): void {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#appending = undefined;
    this.#open();
    this.#write(lines);
    for (const consumer of this.#consumers) consumer.wake();
  }

  subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const paths = this.#open();
    const { maxMessageBytes } = this.guarantees;
    const { log, limits } = this.#options;
    const maxDepth = limits.jsonDepth;
    const consumer = new GroupConsumer({
      ...{ paths, subscription, onDelivery, maxMessageBytes, maxDepth, leaseMs: this.#leaseMs, log },
    });
    this.#consumers.add(consumer);
    this.#stopWatching ??= watchBox(paths.box, () => {
      for (const one of this.#consumers) one.wake();
    });
    this.#keepHouse(paths);
    return Promise.resolve({
      close: async () => {
        this.#consumers.delete(consumer);
        await consumer.close();
      },
    });
  }

  async close(options: { drainMs: number } = { drainMs: 0 }): Promise<void> {
    clearInterval(this.#housekeeping);
    const closing = Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await Promise.race([closing, ...options.drainMs > 0 ? [pause(options.drainMs, closing)] : []]);
    this.#consumers.clear();
    this.#stopWatching?.();
    this.#writer?.close();
    this.#writer = this.#stopWatching = this.#housekeeping = undefined;
  }

  /** What the disk says, as that it is full, says nothing about the messages: the outbox keeps them without counting. */
  #write(lines: readonly string[]): void {
    try {
      this.#writer!.append(lines);
    } catch (cause) {
      throw new ServiceError({
        ...{ status: 503, code: "CHANNEL_UNREACHABLE", unreachable: true, cause },
        message: `The message box ${this.#paths!.box} cannot be written: ${(cause as Error).message}`,
      });
    }
  }

  /** @throws ConfigurationError where there can be no box */
  #open(): BoxPaths {
    try {
      this.#paths ??= openBox(this.#file);
    } catch (cause) {
      const { name, options } = this.#options;
      const where = options.file === undefined ? `, name another place by fw.requires.${name}.file` : "";
      const reason = (cause as Error).message;
      throw new ConfigurationError(`The message box ${this.#file} cannot be opened${where}: ${reason}`);
    }
    this.#writer ??= new BoxWriter(this.#paths, { segmentBytes: this.#segmentBytes, sync: this.#sync });
    return this.#paths;
  }

  #toLine(message: Message): string {
    const { topic } = message;
    if (/[\s\p{Cc}]/u.test(topic) || topic.length === 0) {
      const text = `The topic ${JSON.stringify(topic)} holds white space or control characters, or is empty`;
      throw new ServiceError({ status: 500, code: "BAD_TOPIC", message: text, unrecoverable: true });
    }
    const line = formatLine(message);
    assertMessageSize(topic, line, this.guarantees.maxMessageBytes);
    return line;
  }

  #keepHouse(paths: BoxPaths): void {
    if (this.#housekeeping !== undefined) return;
    const { maxMessageBytes } = this.guarantees;
    const maxDepth = this.#options.limits.jsonDepth;
    const run = () => {
      try {
        removeOldSegments(paths, { retentionMs: this.#retentionMs, maxMessageBytes, maxDepth });
      } catch (error) {
        this.#options.log.warn(`Cannot remove old segments of ${paths.box}:`, error);
      }
    };
    run();
    this.#housekeeping = setInterval(run, HOUSEKEEPING_MS);
    Deno.unrefTimer(this.#housekeeping as unknown as number);
  }
}

function positive(value: unknown, fallback: number, name: string): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= 0) return value;
  throw new ConfigurationError(`${name} of a file channel must be a number, found ${JSON.stringify(value)}`);
}

/** Resolves after a time, or with something else that comes first. */
async function pause(ms: number, other: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([other, new Promise((resolve) => timer = setTimeout(resolve, ms))]);
  clearTimeout(timer);
}
