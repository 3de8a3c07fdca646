/**
 * Reading files.
 *
 * @module
 */

import { fileError } from "./file_error.ts";

/**
 * The text of a file.
 *
 * @param path of the file
 * @throws ConfigurationError when it cannot be read
 */
export function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw fileError(error, path, "Cannot be read");
  }
}

/**
 * The text of a file that may be missing.
 *
 * @param path of the file
 * @returns undefined if there is none
 * @throws ConfigurationError when it is there, but cannot be read
 */
export function readTextIfExists(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    const { NotFound, NotADirectory, IsADirectory } = Deno.errors;
    if (error instanceof NotFound || error instanceof NotADirectory) return undefined;
    if (error instanceof IsADirectory) return undefined;
    throw fileError(error, path, "Cannot be read");
  }
}
