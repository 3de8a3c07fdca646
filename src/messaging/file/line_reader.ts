/**
 * Reading lines of a segment from an offset.
 *
 * @module
 */

import { concatBytes } from "../../util/concat_bytes.ts";
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
    const kept = bytes.slice(0, Math.max(0, maxBytes + 1 - heldBytes));
    heldBytes += kept.length;
    if (kept.length > 0) held.push(kept);
  };
  const take = (complete: boolean): Line => {
    const text = decoder.decode(concatBytes(held));
    const line: Line = { text, end: offset, complete, ...lineBytes > maxBytes && { tooLong: lineBytes } };
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
