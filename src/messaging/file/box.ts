/**
 * The files of a message box: the box itself, renamed segments of it, and the folder of its consumer groups.
 *
 * @module
 */

import { contentTag } from "../../util/content_tag.ts";

/** Paths of a box. */
export interface BoxPaths {
  /** The file that writers append to. */
  readonly box: string;
  /** Segments, cursors, locks, bad lines and dead letters. */
  readonly folder: string;
}

/** The files of a box at one moment: older segments by number, and the number that the box itself has. */
export interface BoxFiles {
  /** Numbers of the segments, oldest first. */
  readonly segments: readonly number[];
  /** Number of the box. */
  readonly next: number;
}

const SEGMENT = /^seg-(\d+)(\.gone)?$/;

/**
 * The paths of a box; its folder is created.
 *
 * @param file the configured path; `~` is the home directory
 */
export function openBox(file: string): BoxPaths {
  const paths = boxPaths(file);
  Deno.mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  return paths;
}

/** The paths of a box, which there may not be yet. */
export function boxPaths(file: string): BoxPaths {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? ".";
  const expanded = file === "~" || file.startsWith("~/") ? home + file.slice(1) : file;
  const box = expanded.startsWith("/") || /^[A-Za-z]:/.test(expanded)
    ? expanded
    : `${Deno.cwd()}/${expanded}`;
  return { box, folder: `${box}.d` };
}

/** The segments there are, oldest first, and the number of the next one. */
export function listFiles({ folder }: BoxPaths): BoxFiles {
  const segments: number[] = [];
  let highest = 0;
  for (const { name } of Deno.readDirSync(folder)) {
    const match = SEGMENT.exec(name);
    if (!match) continue;
    highest = Math.max(highest, Number(match[1]));
    if (!match[2]) segments.push(Number(match[1]));
  }
  return { segments: segments.sort((a, b) => a - b), next: highest + 1 };
}

/** The path of a segment. */
export function segmentPath({ folder }: BoxPaths, segment: number): string {
  return `${folder}/seg-${segment}`;
}

/** How long the part of a file name is that names a group: file systems take 255 bytes with what stands behind it. */
const GROUP_LENGTH = 200;

/** A name of a consumer group as part of a file name; long names, which may begin alike, end with their digest. */
export function groupFileName(group: string): string {
  const name = encodeURIComponent(group).replaceAll(".", "%2E").replaceAll("*", "%2A").replaceAll("~", "%7E");
  if (name.length <= GROUP_LENGTH) return name;
  const digest = contentTag(group);
  return `${name.slice(0, GROUP_LENGTH - digest.length - 1)}~${digest}`;
}

/** Size and identity of a file; undefined if it does not exist. */
export function statFile(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** How long ago a file was written; one whose system does not tell is old. */
export function ageMs({ mtime }: Deno.FileInfo): number {
  return Date.now() - Number(mtime);
}

/**
 * Makes the box the newest segment, if it still has a reason to become one.
 *
 * @param paths the box
 * @param isDue looks at the box under the lock
 * @returns whether the box was renamed
 */
export function rotate(paths: BoxPaths, isDue: (info: Deno.FileInfo) => boolean): boolean {
  using lock = Deno.openSync(`${paths.folder}/rotate.lock`, { create: true, write: true });
  // Whoever has it renames the box, or stands still: nobody waits for that, the next append looks again.
  if (!lock.tryLockSync(true)) return false;
  const info = statFile(paths.box);
  if (!info || info.size === 0 || !isDue(info)) return false;
  Deno.renameSync(paths.box, segmentPath(paths, listFiles(paths).next));
  return true;
}

/**
 * Writes a file that takes the place of another one: after it was renamed, either the old or the new text is there, whatever
 * crashes.
 *
 * @param path the file
 * @param text the new text
 */
export function writeSynced(path: string, text: string): void {
  using file = Deno.openSync(path, { create: true, write: true, truncate: true, mode: 0o600 });
  writeAll(file, new TextEncoder().encode(text));
  file.syncDataSync();
}

/**
 * Appends to a file that nobody else writes at this time: all of it, or on a full disk nothing.
 *
 * @param path the file
 * @param write appends
 */
export function appendWhole(path: string, write: (file: Deno.FsFile) => void): void {
  using file = Deno.openSync(path, { create: true, append: true, mode: 0o600 });
  const { size } = file.statSync();
  try {
    write(file);
  } catch (error) {
    file.truncateSync(size);
    throw error;
  }
}

/** Appends bytes with as few calls as the system allows, normally one. */
export function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}
