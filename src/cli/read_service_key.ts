/**
 * Service key files.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { readTextIfExists } from "../deno/read_text.ts";

/**
 * The content of a service key file. Lines before the object, as the platform's command line prints them, are skipped.
 *
 * @param file its path
 * @throws ConfigurationError when there is no such file, or no JSON object in it
 */
export function readServiceKey(file: string): unknown {
  const text = readTextIfExists(file);
  if (text === undefined) throw new ConfigurationError("No such file", { file });
  try {
    return JSON.parse(text.slice(Math.max(text.indexOf("{"), 0)));
  } catch {
    // The reason would show parts of the text.
    throw new ConfigurationError("Not valid JSON", { file });
  }
}
