/**
 * Listing files of a folder.
 *
 * @module
 */

import { fileError } from "./file_error.ts";

/**
 * Paths of the files of a folder, sorted.
 *
 * @param folder the folder; one that is missing has no files
 * @param ending what a name must end with
 * @throws ConfigurationError when it is there, but cannot be read
 */
export function listFiles(folder: string, ending: string): string[] {
  return entriesOf(folder).filter((entry) => !entry.isDirectory && entry.name.endsWith(ending))
    .map((entry) => `${folder}/${entry.name}`).sort();
}

/**
 * Names of the folders in a folder, sorted.
 *
 * @param folder the folder; one that is missing has none
 * @throws ConfigurationError when it is there, but cannot be read
 */
export function listFolders(folder: string): string[] {
  return entriesOf(folder).filter((entry) => entry.isDirectory).map(({ name }) => name).sort();
}

function entriesOf(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw fileError(error, folder, "Cannot be read");
  }
}
