/**
 * Writing files.
 *
 * @module
 */

import { fileError } from "./file_error.ts";

/**
 * Writes a file.
 *
 * @param file its path
 * @param text what it holds
 * @param options those of `Deno.writeTextFile`
 * @throws ConfigurationError when it cannot be written
 */
export async function writeText(file: string, text: string, options?: Deno.WriteFileOptions): Promise<void> {
  try {
    await Deno.writeTextFile(file, text, options);
  } catch (cause) {
    throw fileError(cause, file, "Cannot be written");
  }
}

/**
 * Makes a folder and those it is in, unless they are there.
 *
 * @param folder its path
 * @param options those of `Deno.mkdir`
 * @throws ConfigurationError when it cannot be made
 */
export async function makeFolder(folder: string, options?: Deno.MkdirOptions): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true, ...options });
  } catch (cause) {
    throw fileError(cause, folder, "Cannot be made");
  }
}

/**
 * Removes a file or folder if it is there.
 *
 * @param path its path
 * @param options those of `Deno.remove`
 * @throws ConfigurationError when it cannot be removed
 */
export async function removeIfExists(path: string, options?: Deno.RemoveOptions): Promise<void> {
  try {
    await Deno.remove(path, options);
  } catch (cause) {
    const { NotFound, NotADirectory } = Deno.errors;
    if (cause instanceof NotFound || cause instanceof NotADirectory) return;
    throw fileError(cause, path, "Cannot be removed");
  }
}
