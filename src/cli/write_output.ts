/**
 * Files that commands write.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * Writes a file.
 *
 * @param file its path
 * @param text what it holds
 * @param options those of `Deno.writeTextFile`
 * @throws ConfigurationError when it cannot be written
 */
export async function writeOutput(
  file: string,
  text: string,
  options?: Deno.WriteFileOptions,
): Promise<void> {
  try {
    await Deno.writeTextFile(file, text, options);
  } catch (cause) {
    throw new ConfigurationError(`Cannot be written: ${(cause as Error).message}`, { file }, { cause });
  }
}
