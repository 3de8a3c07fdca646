/**
 * Lines of a message box (spec 2.7): `<topic> {"data":…,"headers":{…}}`.
 *
 * @module
 */

import { holdsInfinity, isDeeperThan } from "../../util/json_text.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Message } from "../channel.ts";
import { fromDataMember, jsonOf, toDataMember } from "../message_json.ts";
import { concatBytes, utf8Text } from "../../util/bytes.ts";

/** A line that was read: a message, nothing (blank), or why it is bad. */
export type ParsedLine =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly reason: string };

/**
 * A message as line, without line breaks around it.
 *
 * @param message the message; its topic has no white space
 */
export function formatLine({ topic, data, headers }: Message): string {
  return `${topic} ${jsonOf({ ...toDataMember(data), headers })}`;
}

/**
 * Reads a line. No proper prefix of the text of a JSON object is valid JSON, so a torn line is always found.
 *
 * @param text the line without its line break
 * @param maxDepth nesting of JSON beyond which a line is bad
 */
export function parseLine(text: string, maxDepth: number): ParsedLine {
  const line = text.trim();
  if (line.length === 0) return { kind: "blank" };
  const gap = line.search(/\s/);
  if (gap < 0) return { kind: "bad", reason: "no payload" };
  let body: unknown;
  try {
    body = JSON.parse(line.slice(gap + 1));
  } catch {
    return { kind: "bad", reason: "no valid JSON" };
  }
  if (!isPlainObject(body)) return { kind: "bad", reason: "no JSON object" };
  const { data, fault } = fromDataMember(body);
  if (fault) return { kind: "bad", reason: fault };
  if (isDeeperThan(body, maxDepth + 1)) {
    return { kind: "bad", reason: `nested deeper than ${maxDepth} levels` };
  }
  if (holdsInfinity({ data: body.data, headers: body.headers })) {
    return { kind: "bad", reason: "a number is beyond those of JavaScript" };
  }
  const headers = isPlainObject(body.headers) ? body.headers : {};
  const key = typeof headers.partitionkey === "string" ? headers.partitionkey : undefined;
  return { kind: "message", message: { topic: line.slice(0, gap), data, headers, key } };
}

/** A line and where it ends. */
export interface Line {
  /** The line without its line break. */
  readonly text: string;
  /** Offset behind the line and its line break. */
  readonly end: number;
  /** Whether a line break follows. */
  readonly complete: boolean;
  /** Bytes of a line that is longer than the limit; its text is only the beginning. */
  readonly tooLong?: number;
  /** Whether it is no UTF-8: other characters stand in its text then. */
  readonly garbled?: boolean;
}

const CHUNK = 256 * 1024;
const NEWLINE = 10;

/**
 * Reads lines until there is nothing more or the caller stops.
 *
 * @param file an open file
 * @param start offset of the first line
 * @param maxBytes bytes of a line that are kept
 */
export function* readLines(file: Deno.FsFile, start: number, maxBytes: number): Generator<Line> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(CHUNK);
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let lineBytes = 0;
  let offset = start;
  file.seekSync(start, Deno.SeekMode.Start);
  const hold = (bytes: Uint8Array) => {
    lineBytes += bytes.length;
    const kept = bytes.slice(0, maxBytes - heldBytes);
    heldBytes += kept.length;
    held.push(kept);
  };
  const take = (complete: boolean): Line => {
    const bytes = concatBytes(held);
    const text = utf8Text(bytes);
    const line: Line = {
      ...text === undefined ? { text: decoder.decode(bytes), garbled: true } : { text },
      ...{ end: offset, complete },
      ...lineBytes > maxBytes && { tooLong: lineBytes },
    };
    held = [];
    heldBytes = lineBytes = 0;
    return line;
  };
  for (let read = file.readSync(chunk); read !== null; read = file.readSync(chunk)) {
    for (let from = 0; from < read;) {
      const found = chunk.subarray(0, read).indexOf(NEWLINE, from);
      const to = found < 0 ? read : found;
      hold(chunk.subarray(from, to));
      offset += to - from;
      from = to;
      if (found < 0) continue;
      offset++;
      from++;
      yield take(true);
    }
  }
  if (lineBytes > 0) yield take(false);
}
