/**
 * Appending to a message box.
 *
 * @module
 */

import { type BoxPaths, rotate, statFile, writeAll } from "./box.ts";

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
export class BoxWriter {
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
