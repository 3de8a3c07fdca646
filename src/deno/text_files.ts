/**
 * Text files, and the folders they are in; what cannot be read or written is a `ConfigurationError`.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

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

/**
 * The error to throw for what the platform threw.
 *
 * @param cause what was thrown
 * @param file path of the file or folder
 * @param what was not possible: "Cannot be read"
 */
export function fileError(cause: unknown, file: string, what: string): ConfigurationError {
  const { message } = cause as Error;
  // the platform names its function and the path once more
  const reason = message.replace(/: \w+ '.*'(?: -> '.*')?$/s, "");
  return new ConfigurationError(`${what}: ${reason}`, { file }, { cause });
}

/**
 * Whether a path is that of a file.
 *
 * @param path absolute or relative path, or a `file:` URL
 */
export function isFile(path: string | URL): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
