/**
 * Removing what all consumer groups have read from a message box.
 *
 * @module
 */

import { ageMs, type BoxPaths, listFiles, rotate, segmentPath, statFile } from "./box.ts";
import { type Cursor, readCursorFile } from "./cursor.ts";
import { parseLine, readLines } from "./line_format.ts";

/** Bounds of housekeeping. */
export interface HousekeepingOptions {
  /** How long messages stay after everybody has read them. */
  readonly retentionMs: number;
  /** Bytes of a line at most. */
  readonly maxMessageBytes: number;
  /** Nesting of JSON at most. */
  readonly maxDepth: number;
}

/**
 * Removes segments that are older than the retention, that each group has read to the end, and that hold no line
 * without a group; an old box that everybody has read becomes a segment.
 *
 * @param paths the box
 * @param options bounds
 * @returns the numbers of the removed segments
 */
export function removeOldSegments(paths: BoxPaths, options: HousekeepingOptions): readonly number[] {
  const cursors = readCursors(paths);
  if (cursors.length === 0) return [];
  const { segments, next } = listFiles(paths);
  const isOld = (info: Deno.FileInfo) => ageMs(info) >= options.retentionMs;
  const isRead = (number: number, size: number) =>
    cursors.every(({ offsets, catchUp }) =>
      (offsets[number] ?? 0) >= size && (!catchUp || (catchUp.offsets[number] ?? 0) >= size)
    );
  const removed: number[] = [];
  for (const number of segments) {
    const path = segmentPath(paths, number);
    const info = statFile(path);
    if (!info || !isOld(info) || !isRead(number, info.size)) continue;
    if (holdsLineWithoutGroup(path, cursors, options)) continue;
    removeSegment(paths, number);
    removed.push(number);
  }
  const box = statFile(paths.box);
  if (box && isOld(box) && isRead(next, box.size)) {
    rotate(paths, (info) => isOld(info) && isRead(next, info.size));
  }
  return removed;
}

/** The newest number stays known as an empty marker, so that no number is used twice. */
function removeSegment(paths: BoxPaths, number: number): void {
  const path = segmentPath(paths, number);
  Deno.writeTextFileSync(`${path}.gone`, "");
  Deno.removeSync(path);
  for (const { name } of Deno.readDirSync(paths.folder)) {
    const marker = /^seg-(\d+)\.gone$/.exec(name);
    if (marker && Number(marker[1]) < number) Deno.removeSync(`${paths.folder}/${name}`);
  }
}

function readCursors(paths: BoxPaths): readonly Cursor[] {
  const names = [...Deno.readDirSync(paths.folder)].map(({ name }) => name);
  return names.filter((name) => name.endsWith(".cur"))
    .map((name) => readCursorFile(`${paths.folder}/${name}`))
    .filter((cursor) => cursor !== undefined);
}

function holdsLineWithoutGroup(
  path: string,
  cursors: readonly Cursor[],
  { maxMessageBytes, maxDepth }: HousekeepingOptions,
): boolean {
  if (cursors.some(({ topics }) => topics === "*")) return false;
  const topics = new Set(cursors.flatMap((cursor) => cursor.topics));
  using file = Deno.openSync(path);
  for (const line of readLines(file, 0, maxMessageBytes)) {
    const parsed = parseLine(line.text, maxDepth);
    if (parsed.kind === "message" && !topics.has(parsed.message.topic)) return true;
  }
  return false;
}
