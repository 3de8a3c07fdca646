/**
 * Listing files of a folder.
 *
 * @module
 */

/**
 * Paths of the files of a folder, sorted.
 *
 * @param folder the folder; one that is missing has no files
 * @param ending what a name must end with
 */
export function listFiles(folder: string, ending: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter((entry) => !entry.isDirectory && entry.name.endsWith(ending))
      .map((entry) => `${folder}/${entry.name}`).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}
