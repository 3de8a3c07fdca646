/**
 * What a consumer group has read of a message box.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { type BoxPaths, groupFileName, writeSynced } from "./box.ts";
import type { GroupTurn } from "./group_lease.ts";
import { jsonOr } from "../../util/json_text.ts";

/** Bytes read by number of the segment; the box has the number that comes next. */
export type Offsets = Record<string, number>;

/** A message that is delivered again later. */
export interface Retry {
  /** The line as it stood in the box. */
  readonly line: string;
  /** Messages of one key wait for each other. */
  readonly key?: string;
  /** How often it was delivered. */
  readonly deliveries: number;
  /** Milliseconds since 1970. */
  readonly due: number;
}

/** Topics that the group began to read when it was further already: they are read from the start. */
export interface CatchUp {
  /** Topics, or all. */
  readonly topics: readonly string[] | "*";
  /** Topics that were read before. */
  readonly except: readonly string[];
  /** Bytes read by segment. */
  readonly offsets: Offsets;
}

/** The state of a group. */
export interface Cursor {
  /** Topics, or all. */
  readonly topics: readonly string[] | "*";
  /** Bytes read by segment. */
  readonly offsets: Offsets;
  /** Identity of the box that belongs to the newest offset. */
  readonly box: { readonly segment: number; readonly ino: number | null } | undefined;
  /** Messages that are delivered again. */
  readonly retries: readonly Retry[];
  /** Topics that are read from the start. */
  readonly catchUp: CatchUp | undefined;
}

/** The path of the cursor of a group. */
function cursorPath({ folder }: BoxPaths, group: string): string {
  return `${folder}/${groupFileName(group)}.cur`;
}

/**
 * Reads the cursor of a group; a group without one begins with the oldest line.
 *
 * @param paths the box
 * @param group the group
 * @returns the cursor, undefined if there is none yet
 */
export function readCursor(paths: BoxPaths, group: string): Cursor | undefined {
  return readCursorFile(cursorPath(paths, group));
}

/** Reads a cursor by its path. */
export function readCursorFile(path: string): Cursor | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const cursor = jsonOr(text, undefined);
  if (!isPlainObject(cursor) || !isPlainObject(cursor.offsets)) {
    throw new Error(`${path} is no cursor of a message box; without it, all messages are read again`);
  }
  // Written by writeCursor only, as a whole.
  return cursor as unknown as Cursor;
}

/**
 * Stores the cursor of the group whose turn it is.
 *
 * @throws LeaseLost if it is the turn of another instance by now
 */
export function writeCursor(turn: GroupTurn, cursor: Cursor): void {
  const { paths, group } = turn;
  turn.replace(cursorPath(paths, group), (temporary) => writeSynced(temporary, JSON.stringify(cursor)));
}

/**
 * The cursor for the topics a reader wants: topics that are new to the group are read from the start.
 *
 * @param cursor the stored cursor
 * @param wanted topics of the reader
 */
export function withTopics(cursor: Cursor | undefined, wanted: readonly string[] | "*"): Cursor {
  if (!cursor) return { topics: wanted, offsets: {}, box: undefined, retries: [], catchUp: undefined };
  const known = cursor.topics;
  if (known === "*") return cursor;
  if (wanted !== "*" && wanted.every((topic) => known.includes(topic))) return cursor;
  const before = cursor.catchUp;
  if (wanted === "*" || before?.topics === "*") {
    return { ...cursor, topics: "*", catchUp: { topics: "*", except: known, offsets: {} } };
  }
  const fresh = wanted.filter((topic) => !known.includes(topic));
  const topics = [...before?.topics ?? [], ...fresh];
  return { ...cursor, topics: [...known, ...fresh], catchUp: { topics, except: [], offsets: {} } };
}
