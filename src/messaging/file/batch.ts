/**
 * Which lines of a message box a consumer group is given next.
 *
 * @module
 */

import { type Backlog, backlogSince, type Message } from "../channel.ts";
import { ageMs, type BoxFiles, type BoxPaths, listFiles, segmentPath, statFile } from "./box.ts";
import type { Cursor, Offsets, Retry } from "./cursor.ts";
import { type Line, parseLine, readLines } from "./line_format.ts";

/** Messages of a batch at most; so many are delivered again after a crash. */
const BATCH_SIZE = 64;
/** Messages that wait for another delivery at most, and their characters: the group reads nothing new beyond. */
const MAX_RETRIES = 200;
const MAX_RETRY_LENGTH = 4 * 1024 * 1024;
/** How long a torn line at the end of a segment may still grow. */
const GRACE_MS = 5_000;

/** A message to deliver. */
export interface Item {
  /** The message. */
  readonly message: Message;
  /** The line as it stands in the box. */
  readonly line: string;
  /** How often it was delivered, this time included. */
  readonly deliveries: number;
  /** The entry this comes from, if it was delivered before. */
  readonly retry?: Retry;
  /** Where the group is when this message is done, if it is new. */
  readonly position?: Position;
}

/** An offset in a segment, of the main reader or of the one that catches up. */
export interface Position {
  /** Which reader. */
  readonly offsets: "offsets" | "catchUp";
  /** Number of the segment. */
  readonly segment: number;
  /** Offset behind the line. */
  readonly end: number;
}

/** A line that is no message. */
export interface BadLine {
  /** Number of the segment. */
  readonly segment: number;
  /** Offset of the line. */
  readonly start: number;
  /** Offset behind the line. */
  readonly end: number;
  /** What is wrong with it. */
  readonly reason: string;
}

/** What to deliver, and where the group is afterwards. */
export interface Batch {
  /** Messages to deliver, in order. */
  readonly items: readonly Item[];
  /** Lines to set aside. */
  readonly bad: readonly BadLine[];
  /** The cursor when all items are done; retries are not updated. */
  readonly cursor: Cursor;
}

/** Bounds and filters of a reader. */
export interface ReaderOptions {
  /** Bytes of a line at most. */
  readonly maxMessageBytes: number;
  /** Nesting of JSON at most. */
  readonly maxDepth: number;
  /** Whether the id of a message was seen before; asked after somebody else rewrote the box. */
  readonly isKnown: (message: Message) => boolean;
}

/**
 * Collects the next batch of a group.
 *
 * @param paths the box
 * @param cursor where the group is
 * @param options bounds and filters
 */
export function collectBatch(paths: BoxPaths, cursor: Cursor, options: ReaderOptions): Batch {
  const waiting = dueRetries(cursor, options);
  if (waiting.length >= BATCH_SIZE || isFull(cursor)) return { items: waiting, bad: [], cursor };
  const room = BATCH_SIZE - waiting.length;
  const pass = cursor.catchUp
    ? catchUp(paths, cursor, { ...options, room })
    : readOn(paths, cursor, { ...options, room });
  return { ...pass, items: [...waiting, ...pass.items] };
}

/** Lines that are counted at most. */
const COUNTED = 10_000;

/**
 * What a group has not handled: lines behind its place, and those that it tries again.
 *
 * @param paths the box
 * @param cursor where the group is
 * @param options bounds
 */
export function backlogOf(
  paths: BoxPaths,
  cursor: Cursor,
  options: Omit<ReaderOptions, "isKnown">,
): Backlog {
  const reading = { ...options, isKnown: () => false, room: COUNTED };
  const missed = cursor.catchUp ? catchUp(paths, cursor, reading).items : [];
  const { items } = readOn(paths, cursor, reading);
  const messages = [...missed, ...items].map(({ message }) => message);
  for (const { line } of cursor.retries) {
    const parsed = parseLine(line, options.maxDepth);
    if (parsed.kind === "message") messages.push(parsed.message);
  }
  const known = messages.map(({ headers }) => Date.parse(String(headers.time))).filter(Number.isFinite);
  return backlogSince(missed.length + items.length + cursor.retries.length, known);
}

/** The earliest time at which a message may be delivered again. */
export function nextDue(cursor: Cursor): number | undefined {
  const times = firstOfKeys(cursor.retries).map(({ due }) => due);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function dueRetries({ retries }: Cursor, { maxDepth }: ReaderOptions): Item[] {
  const now = Date.now();
  const items: Item[] = [];
  for (const retry of firstOfKeys(retries)) {
    if (retry.due > now || items.length >= BATCH_SIZE) continue;
    const parsed = parseLine(retry.line, maxDepth);
    if (parsed.kind !== "message") continue;
    items.push({ message: parsed.message, line: retry.line, deliveries: retry.deliveries + 1, retry });
  }
  return items;
}

/** The messages that need not wait for an earlier one of their key. */
function firstOfKeys(retries: readonly Retry[]): readonly Retry[] {
  const keys = new Set<string>();
  return retries.filter(({ key }) => key === undefined || (!keys.has(key) && keys.add(key)));
}

function isFull({ retries }: Cursor): boolean {
  return retries.length >= MAX_RETRIES ||
    retries.reduce((length, { line }) => length + line.length, 0) > MAX_RETRY_LENGTH;
}

interface PassOptions extends ReaderOptions {
  readonly room: number;
}

/** Reads on where the group is. */
function readOn(paths: BoxPaths, cursor: Cursor, options: PassOptions): Batch {
  for (;;) {
    const files = listFiles(paths);
    const pass = new Pass(options, topicFilter(cursor.topics), "offsets");
    const box = pass.read(paths, files, { cursor });
    if (!box) continue;
    return { items: pass.items, bad: pass.bad, cursor: { ...cursor, offsets: pass.offsets, box } };
  }
}

/** Reads topics that are new to the group up to where it is with the others. */
function catchUp(paths: BoxPaths, cursor: Cursor, options: PassOptions): Batch {
  const { topics, except, offsets } = cursor.catchUp!;
  const known = new Set(except);
  const wanted = topicFilter(topics);
  const pass = new Pass(options, (topic) => wanted(topic) && !known.has(topic), "catchUp");
  pass.read(paths, listFiles(paths), { cursor: { ...cursor, offsets }, ends: cursor.offsets });
  const isDone = Object.entries(cursor.offsets).every(([segment, end]) => {
    const path = Number(segment) === listFiles(paths).next ? paths.box : segmentPath(paths, Number(segment));
    return (pass.offsets[segment] ?? 0) >= end || statFile(path) === undefined;
  });
  const next = isDone ? undefined : { topics, except, offsets: pass.offsets };
  return { items: pass.items, bad: pass.bad, cursor: { ...cursor, catchUp: next } };
}

/** One reading of the files from the offsets of a cursor, in order. */
class Pass {
  items: Item[] = [];
  bad: BadLine[] = [];
  offsets: Offsets = {};
  readonly #options: PassOptions;
  readonly #wants: (topic: string) => boolean;
  readonly #kind: Position["offsets"];

  constructor(options: PassOptions, wants: (topic: string) => boolean, kind: Position["offsets"]) {
    this.#options = options;
    this.#wants = wants;
    this.#kind = kind;
  }

  /**
   * Reads the segments and the box.
   *
   * @param from where the group is; `ends` are offsets where to stop, default: the ends of the files
   * @returns the identity of the box, undefined if it was renamed meanwhile: read again then
   */
  read(paths: BoxPaths, files: BoxFiles, from: { cursor: Cursor; ends?: Offsets }): Cursor["box"] {
    const { cursor, ends } = from;
    const numbers = [...files.segments, files.next];
    for (const number of numbers) {
      if (cursor.offsets[number] !== undefined) this.offsets[number] = cursor.offsets[number];
    }
    let ino: number | null = null;
    for (const number of numbers) {
      const isBox = number === files.next;
      using file = openFile(isBox ? paths.box : segmentPath(paths, number));
      if (isBox && listFiles(paths).next !== files.next) return undefined;
      if (!file) continue;
      const info = file.statSync();
      const before = { items: this.items.length, bad: this.bad.length, offset: this.offsets[number] };
      const rewritten = isBox && isRewritten(cursor, number, info);
      if (rewritten) this.offsets[number] = 0;
      if (isBox) ino = info.ino;
      const isWaiting = this.#readFile(file, { number, isBox, info, rewritten, end: ends?.[number] });
      // A writer that still had an older file open comes first: its line there is older than one it wrote here.
      const late = !ends && numbers.some((older) => older < number && this.#hasMore(paths, older));
      if (late) {
        this.items.length = before.items;
        this.bad.length = before.bad;
        this.offsets[number] = before.offset ?? 0;
        break;
      }
      if (isWaiting || this.items.length >= this.#options.room) break;
    }
    return { segment: files.next, ino };
  }

  /** Reads one file; returns whether a torn line keeps the reader from going on. */
  #readFile(
    file: Deno.FsFile,
    place: { number: number; isBox: boolean; info: Deno.FileInfo; rewritten: boolean; end?: number },
  ): boolean {
    const { number, isBox, info } = place;
    const start = this.offsets[number] ?? 0;
    if (info.size <= start || (place.end !== undefined && start >= place.end)) return false;
    for (const line of readLines(file, start, this.#options.maxMessageBytes)) {
      const isTorn = !line.complete && !this.#isMessage(line);
      const mayGrow = isBox || ageMs(info) < GRACE_MS;
      if (isTorn && mayGrow) return true;
      this.#take(line, number, place.rewritten);
      this.offsets[number] = line.end;
      if (this.items.length >= this.#options.room) return false;
      if (place.end !== undefined && line.end >= place.end) return false;
    }
    return false;
  }

  #isMessage(line: Line): boolean {
    return !line.tooLong && !line.garbled && parseLine(line.text, this.#options.maxDepth).kind !== "bad";
  }

  #take(line: Line, segment: number, rewritten: boolean): void {
    const { maxMessageBytes, maxDepth, isKnown } = this.#options;
    const topic = /^\s*(\S+)\s/.exec(line.text)?.[1];
    if (topic !== undefined && !this.#wants(topic)) return;
    const parsed = line.tooLong
      ? { kind: "bad" as const, reason: `${line.tooLong} bytes, the limit is ${maxMessageBytes}` }
      : line.garbled
      ? { kind: "bad" as const, reason: "no UTF-8" }
      : parseLine(line.text, maxDepth);
    if (parsed.kind === "bad") {
      this.bad.push({ segment, start: this.offsets[segment] ?? 0, end: line.end, reason: parsed.reason });
    } else if (parsed.kind === "message" && !(rewritten && isKnown(parsed.message))) {
      const position = { offsets: this.#kind, segment, end: line.end };
      this.items.push({ message: parsed.message, line: line.text, deliveries: 1, position });
    }
  }

  #hasMore(paths: BoxPaths, segment: number): boolean {
    return (statFile(segmentPath(paths, segment))?.size ?? 0) > (this.offsets[segment] ?? 0);
  }
}

function isRewritten({ box, offsets }: Cursor, number: number, info: Deno.FileInfo): boolean {
  if (info.size < (offsets[number] ?? 0)) return true;
  return box !== undefined && box.segment === number && box.ino !== null && box.ino !== info.ino;
}

function topicFilter(topics: readonly string[] | "*"): (topic: string) => boolean {
  if (topics === "*") return () => true;
  const names = new Set(topics);
  return (topic) => names.has(topic);
}

function openFile(path: string): Deno.FsFile | undefined {
  try {
    return Deno.openSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
